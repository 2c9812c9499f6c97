// What an error of SQLite means to a person.
#ifndef RESULTS_STORE_DATABASE_ERROR_H_
#define RESULTS_STORE_DATABASE_ERROR_H_

#include <string>

#include "base/status.h"

namespace zs::results {

// CODE: an (extended) result code; SYSTEM_ERROR: errno behind it or 0;
// DETAIL: SQLite's own words.
Status DatabaseError(const std::string& path, int code, int system_error,
                     const std::string& detail);

}  // namespace zs::results

#endif  // RESULTS_STORE_DATABASE_ERROR_H_
