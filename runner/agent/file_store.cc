#include "runner/agent/file_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/descriptor.h"
#include "base/hash.h"
#include "runner/agent/run_briefly.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kUnusedFor{7 * 24};

bool IsWord(std::string_view text) {
  return !text.empty() && text.size() <= 200 && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
         });
}

Status WriteAt(int fd, int64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "write");
    }
    bytes.remove_prefix(static_cast<size_t>(n));
    offset += n;
  }
  return OkStatus();
}

// What changes with every change of the file at PATH; empty where it is no
// file.
std::string IdentityOf(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return "";
  }
  const auto nanoseconds = [](const timespec& time) {
    return std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec);
  };
  return std::to_string(info.st_dev) + " " + std::to_string(info.st_ino) + " " +
         std::to_string(info.st_size) + " " + nanoseconds(info.st_mtim) + " " +
         nanoseconds(info.st_ctim);
}

// Beside PATH, what is known of it, KIND apart. No file that is put there
// begins with a '.'.
std::string NotePath(const std::string& path, const std::string& kind) {
  const std::filesystem::path file(path);
  return (file.parent_path() / ("." + file.filename().string() + "." + kind))
      .string();
}

// The note at PATH, if it was made of what IDENTITY says.
std::optional<std::string> NoteAt(const std::string& path,
                                  const std::string& identity) {
  std::ifstream note(path);
  std::string made_of;
  std::string text;
  if (identity.empty() || !std::getline(note, made_of) || made_of != identity) {
    return std::nullopt;
  }
  std::getline(note, text, '\0');
  return text;
}

}  // namespace

std::string FilesOfThisProgram() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().string() +
         "/files";
}

Result<std::string> FileStore::PathOf(const std::vector<std::string>& args,
                                      size_t count) const {
  if (args.size() != count || !IsWord(args[0]) || !IsWord(args[1])) {
    return InvalidArgumentError(
        "a folder and a file name of letters, digits, '.', '_' and '-' are "
        "needed");
  }
  return root_ + "/" + args[0] + "/" + args[1];
}

std::string FileStore::PartOf(const std::string& path) const {
  return path + part_;
}

Result<std::string> FileStore::Stored(
    const std::vector<std::string>& args) const {
  ASSIGN_OR_RETURN(const std::string path, PathOf(args, 2));
  std::error_code error;
  fs::last_write_time(root_ + "/" + args[0], fs::file_time_type::clock::now(),
                      error);
  const std::string found = "path " + path + "\n";
  if (!fs::is_regular_file(path, error)) {
    return found;
  }
  ASSIGN_OR_RETURN(const std::string sha256, HashOf(path));
  return found + "sha256 " + sha256 + "\n";
}

Result<std::string> FileStore::HashOf(const std::string& path) const {
  const std::string note = NotePath(path, "hash");
  const std::string identity = IdentityOf(path);
  if (auto known = NoteAt(note, identity)) {
    return *std::move(known);
  }
  ASSIGN_OR_RETURN(std::string sha256, Sha256HexOfFile(path));
  Note(note, identity, sha256);
  return sha256;
}

void FileStore::Note(const std::string& note, const std::string& identity,
                     const std::string& text) const {
  const std::string part = PartOf(note);
  std::ofstream(part) << identity << "\n" << text;
  if (::rename(part.c_str(), note.c_str()) != 0) {
    ::unlink(part.c_str());
  }
}

Result<std::string> FileStore::Starts(const std::vector<std::string>& args,
                                      const std::string& surroundings) const {
  const size_t named = std::min<size_t>(args.size(), 2);
  ASSIGN_OR_RETURN(const std::string path,
                   PathOf({args.begin(), args.begin() + named}, 2));
  const std::string identity = IdentityOf(path);
  if (identity.empty()) {
    return NotFoundError(path + " is not there");
  }
  std::vector<std::string> command = {"10000", path};
  std::string all = identity + " loader " + IdentityOf("/etc/ld.so.cache") +
                    " " + surroundings;
  for (size_t i = named; i < args.size(); ++i) {
    command.push_back(args[i]);
    all += " " + args[i];
  }
  // One line, whatever the words hold.
  const std::string made_of = Sha256Hex(all);
  const std::string note = NotePath(path, "starts");
  if (auto known = NoteAt(note, made_of)) {
    return *std::move(known);
  }
  ASSIGN_OR_RETURN(std::string answer, RunBriefly(command));
  if (answer.starts_with("exit 0\n")) {
    Note(note, made_of, answer);
  }
  return answer;
}

Result<std::string> FileStore::Put(const std::vector<std::string>& args) const {
  ASSIGN_OR_RETURN(const std::string path, PathOf(args, 4));
  int64_t offset = -1;
  const char* end = args[2].data() + args[2].size();
  if (std::from_chars(args[2].data(), end, offset).ptr != end || offset < 0) {
    return InvalidArgumentError("offset '" + args[2] + "': a number is needed");
  }
  std::error_code error;
  fs::create_directories(root_ + "/" + args[0], error);
  if (error) {
    return ErrnoError(error.value(), root_ + "/" + args[0]);
  }
  const std::string part = PartOf(path);
  const Descriptor fd(::open(
      part.c_str(),
      O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (offset == 0 ? O_TRUNC : 0),
      0700));
  if (!fd.valid()) {
    return ErrnoError(errno, part);
  }
  const Status written = WriteAt(fd.get(), offset, args[3]);
  if (!written.ok()) {
    ::unlink(part.c_str());
    return written.WithContext(part);
  }
  return std::string("done");
}

Result<std::string> FileStore::Keep(
    const std::vector<std::string>& args) const {
  ASSIGN_OR_RETURN(const std::string path, PathOf(args, 3));
  const std::string part = PartOf(path);
  ASSIGN_OR_RETURN(const std::string sha256, Sha256HexOfFile(part));
  if (sha256 != args[2]) {
    ::unlink(part.c_str());
    return DataLossError(path + " did not arrive whole: its hash is " + sha256 +
                         ", " + args[2] + " was sent");
  }
  if (::rename(part.c_str(), path.c_str()) != 0) {
    return ErrnoError(errno, path);
  }
  Note(NotePath(path, "hash"), IdentityOf(path), sha256);
  RemoveOld();
  return path;
}

void FileStore::RemoveOld() const {
  std::error_code error;
  const auto oldest = fs::file_time_type::clock::now() - kUnusedFor;
  for (const auto& entry : fs::directory_iterator(root_, error)) {
    const auto used = fs::last_write_time(entry.path(), error);
    if (!error && used < oldest) {
      fs::remove_all(entry.path(), error);
    }
  }
}

}  // namespace zs
