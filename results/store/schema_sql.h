// The texts of schema.sql and views.sql, put into the program by the build.
#ifndef RESULTS_STORE_SCHEMA_SQL_H_
#define RESULTS_STORE_SCHEMA_SQL_H_

namespace zs::results {

extern const char kSchemaSql[];
extern const char kViewsSql[];

}  // namespace zs::results

#endif  // RESULTS_STORE_SCHEMA_SQL_H_
