// For tests and benchmarks: diagnoses the logs named on the command line and
// prints text, or JSON after --json. The product's command is `runner`.
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "base/json.h"
#include "runner/observe/diagnose/diagnosis.h"
#include "runner/observe/diagnose/diagnosis_json.h"

int main(int argc, char** argv) {
  bool json = false;
  zs::DiagnoseOptions options;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else {
      paths.emplace_back(argv[i]);
    }
  }
  const auto diagnosis = zs::DiagnoseLogs(paths, options);
  if (!diagnosis.ok()) {
    std::cerr << diagnosis.status() << "\n";
    return 2;
  }
  std::cout << (json ? zs::DumpJsonPretty(zs::DiagnosisToJson(*diagnosis))
                     : zs::DiagnosisToText(*diagnosis))
            << "\n";
  switch (diagnosis->verdict) {
    case zs::Health::kFailed:
      return 1;
    case zs::Health::kUnknown:
      return 4;
    default:
      return 0;
  }
}
