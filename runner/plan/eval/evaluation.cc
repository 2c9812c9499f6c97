#include "runner/plan/eval/evaluation.h"

#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "runner/plan/eval/imports.h"

extern "C" {
#include "libjsonnet.h"
}

namespace zs {
namespace {

// How libjsonnet 0.18 says that the file's function lacks our argument; an
// error from deeper inside names a file instead of "Top-level function".
constexpr std::string_view kNoMachine =
    "RUNTIME ERROR: function has no parameter machine\n\tTop-level function";

struct VmDeleter {
  void operator()(JsonnetVm* vm) const { ::jsonnet_destroy(vm); }
};
using Vm = std::unique_ptr<JsonnetVm, VmDeleter>;

// A buffer that VM frees.
char* VmCopy(JsonnetVm* vm, std::string_view text) {
  char* buffer = ::jsonnet_realloc(vm, nullptr, text.size() + 1);
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  return buffer;
}

std::string FolderOf(const std::string& file) {
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

// The folder below which FILE may import: the nearest one above it that is
// named "experiments", else its own.
std::string OwnTree(const std::string& file) {
  std::error_code error;
  const auto folder =
      std::filesystem::weakly_canonical(file, error).parent_path();
  if (error) {
    return FolderOf(file);
  }
  for (auto at = folder; at.has_relative_path(); at = at.parent_path()) {
    if (at.filename() == "experiments") {
      return at.string();
    }
  }
  return folder.string();
}

// Where the files of the shipped library really lie: in Bazel's runfiles each
// is a link into the source tree.
std::string LibraryTree(const std::string& library_dir) {
  const std::filesystem::path file = "lib/matrix.libsonnet";
  std::error_code error;
  const auto real = std::filesystem::canonical(library_dir / file, error);
  return error ? library_dir : real.parent_path().parent_path().string();
}

std::vector<std::string> Roots(const EvalRequest& request) {
  std::vector<std::string> roots = {OwnTree(request.file)};
  if (!request.library_dir.empty()) {
    roots.push_back(LibraryTree(request.library_dir));
  }
  return roots;
}

// -J from the last to the first, as the jsonnet command has it; the library.
std::vector<std::string> SearchPath(const EvalRequest& request) {
  std::vector<std::string> folders(request.jpaths.rbegin(),
                                   request.jpaths.rend());
  if (!request.library_dir.empty()) {
    folders.push_back(request.library_dir);
  }
  return folders;
}

bool HasName(const NameValues& values, std::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) {
      return true;
    }
  }
  return false;
}

// One evaluation: what it reads, and the answer.
class Evaluation {
 public:
  explicit Evaluation(const EvalRequest& request)
      : request_(request), imports_(Roots(request), SearchPath(request)) {}

  EvalAnswer Run() &&;

  // What an import gives: the text, or (success false) why there is none.
  struct Imported {
    bool success = false;
    std::string path;
    std::string text;
  };
  Imported Import(const char* base, const char* name);
  JsonnetVm* vm() const { return vm_.get(); }

 private:
  // Replaces TEXT of the file at PATH where the request says so.
  void Overlay(const std::string& path, std::string& text) const;
  void Record(const std::string& path, const std::string& text);
  void MakeVm(bool offer_machine);
  bool EvaluateOnce(const std::string& source, bool offer_machine);

  const EvalRequest& request_;
  const Imports imports_;
  std::set<std::string> seen_;
  Vm vm_;
  EvalAnswer answer_;
};

// The import callback, in the form that this version of libjsonnet has.
template <typename Callback>
struct ImportCallback;

template <>  // until 0.18
struct ImportCallback<char*(void*, const char*, const char*, char**, int*)> {
  static char* Call(void* context, const char* base, const char* name,
                    char** found_here, int* success) {
    auto* evaluation = static_cast<Evaluation*>(context);
    const auto imported = evaluation->Import(base, name);
    *success = imported.success ? 1 : 0;
    *found_here = VmCopy(evaluation->vm(), imported.path);
    return VmCopy(evaluation->vm(), imported.text);
  }
};

template <>  // from 0.19
struct ImportCallback<int(void*, const char*, const char*, char**, char**,
                          size_t*)> {
  static int Call(void* context, const char* base, const char* name,
                  char** found_here, char** text, size_t* size) {
    auto* evaluation = static_cast<Evaluation*>(context);
    const auto imported = evaluation->Import(base, name);
    *found_here = VmCopy(evaluation->vm(), imported.path);
    *text = VmCopy(evaluation->vm(), imported.text);
    *size = imported.text.size();
    return imported.success ? 0 : 1;
  }
};

Evaluation::Imported Evaluation::Import(const char* base, const char* name) {
  auto source = imports_.Find(base, name);
  if (!source.ok()) {
    return {.text = source.status().message()};
  }
  if (source->text.find('\0') != std::string::npos) {
    return {.text = source->path + ": holds a NUL byte, so it is no text"};
  }
  Overlay(source->path, source->text);
  Record(source->path, source->text);
  return {.success = true,
          .path = std::move(source->path),
          .text = std::move(source->text)};
}

void Evaluation::Overlay(const std::string& path, std::string& text) const {
  for (const auto& [name, other] : request_.overlay) {
    if (name == path) {
      text = other;
    }
  }
}

void Evaluation::Record(const std::string& path, const std::string& text) {
  if (seen_.insert(path).second) {
    answer_.header.files.push_back({.path = path, .sha256 = Sha256Hex(text)});
  }
}

void Evaluation::MakeVm(bool offer_machine) {
  vm_.reset(::jsonnet_make());
  JsonnetVm* vm = vm_.get();
  ::jsonnet_max_stack(vm, static_cast<unsigned>(request_.limits.max_frames));
  ::jsonnet_import_callback(vm, &ImportCallback<JsonnetImportCallback>::Call,
                            this);
  for (const auto& [name, value] : request_.ext_strs) {
    ::jsonnet_ext_var(vm, name.c_str(), value.c_str());
  }
  for (const auto& [name, value] : request_.ext_codes) {
    ::jsonnet_ext_code(vm, name.c_str(), value.c_str());
  }
  for (const auto& [name, value] : request_.tla_strs) {
    ::jsonnet_tla_var(vm, name.c_str(), value.c_str());
  }
  for (const auto& [name, value] : request_.tla_codes) {
    ::jsonnet_tla_code(vm, name.c_str(), value.c_str());
  }
  if (offer_machine) {
    ::jsonnet_tla_code(vm, "machine", request_.machine.c_str());
  }
}

// Whether there is a document; else the error is in the answer.
bool Evaluation::EvaluateOnce(const std::string& source, bool offer_machine) {
  MakeVm(offer_machine);
  int failed = 0;
  char* text = ::jsonnet_evaluate_snippet(vm_.get(), request_.file.c_str(),
                                          source.c_str(), &failed);
  std::string& target = failed != 0 ? answer_.header.error : answer_.document;
  answer_.header.error.clear();
  target = text;
  ::jsonnet_realloc(vm_.get(), text, 0);
  return failed == 0;
}

EvalAnswer Evaluation::Run() && {
  auto source = ReadFile(request_.file, kMaxSourceBytes);
  if (!source.ok()) {
    answer_.header.error = source.status().message();
    return std::move(answer_);
  }
  Overlay(request_.file, *source);
  Record(request_.file, *source);
  if (source->find('\0') != std::string::npos) {
    answer_.header.error = request_.file +
                           ": holds a NUL byte, so it is no "
                           "Jsonnet";
    return std::move(answer_);
  }
  const bool offer = !request_.machine.empty() &&
                     !HasName(request_.tla_strs, "machine") &&
                     !HasName(request_.tla_codes, "machine");
  if (!EvaluateOnce(*source, offer) && offer &&
      answer_.header.error.rfind(kNoMachine, 0) == 0) {
    EvaluateOnce(*source, false);
  }
  return std::move(answer_);
}

}  // namespace

EvalAnswer EvaluateHere(const EvalRequest& request) {
  return Evaluation(request).Run();
}

}  // namespace zs
