#include "runner/agent/session.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "runner/agent/child.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

constexpr size_t kIdDigits = 32;
constexpr auto kKeep = std::chrono::hours(7 * 24);

// On a disk of this host alone, which a home folder need not be.
std::string Root() {
  return "/tmp/zerosweep-" + std::to_string(::geteuid());
}

std::string FolderOf(const std::string& id) {
  return Root() + "/sessions/" + id;
}

// Makes the folder PATH, or takes one that is there and is this user's own.
Status OwnFolder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoError(errno, "make the folder " + path);
  }
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
      info.st_uid != ::geteuid()) {
    return {StatusCode::kPermissionDenied,
            path + " belongs to another user; ask the administrator"};
  }
  if ((info.st_mode & 077) != 0 && ::chmod(path.c_str(), 0700) != 0) {
    return ErrnoError(errno, "close the folder " + path);
  }
  return OkStatus();
}

// The address of the socket in FOLDER, however long its path is: by a
// descriptor of the folder.
Result<sockaddr_un> AddressIn(const Descriptor& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path =
      "/proc/self/fd/" + std::to_string(folder.get()) + "/socket";
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Result<Descriptor> OpenFolder(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) {
    return ErrnoError(errno, "open " + path);
  }
  return folder;
}

Result<Descriptor> UnixSocket(int flags) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!socket.valid()) {
    return ErrnoError(errno, "make a socket");
  }
  return socket;
}

// Whether an agent still writes the record in FOLDER, however long ago it did
// so last.
bool IsHeld(const fs::path& folder) {
  const Descriptor record(
      ::open((folder / "record").c_str(), O_RDONLY | O_CLOEXEC));
  return record.valid() && ::flock(record.get(), LOCK_SH | LOCK_NB) != 0;
}

std::string Number(int64_t value) {
  return " " + std::to_string(value);
}

}  // namespace

bool IsSessionId(std::string_view id) {
  return id.size() == kIdDigits &&
         std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<Descriptor> ListenAtSession(const std::string& id) {
  RETURN_IF_ERROR(OwnFolder(Root()));
  RETURN_IF_ERROR(OwnFolder(Root() + "/sessions"));
  const std::string path = FolderOf(id);
  if (::mkdir(path.c_str(), 0700) != 0) {
    return ErrnoError(errno, "make the folder " + path);
  }
  ASSIGN_OR_RETURN(const Descriptor folder, OpenFolder(path));
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressIn(folder));
  ASSIGN_OR_RETURN(Descriptor socket, UnixSocket(SOCK_NONBLOCK));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address),
             sizeof address) != 0 ||
      ::listen(socket.get(), 8) != 0) {
    const Status failed = ErrnoError(errno, "listen in " + path);
    RemoveSession(id);
    return failed;
  }
  return socket;
}

Result<Descriptor> ConnectToSession(const std::string& id) {
  const auto folder = OpenFolder(FolderOf(id));
  if (!folder.ok()) {
    return UnavailableError(folder.status().message());
  }
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressIn(*folder));
  ASSIGN_OR_RETURN(Descriptor socket, UnixSocket(0));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address),
                sizeof address) != 0) {
    return UnavailableError("nobody listens in " + FolderOf(id));
  }
  return socket;
}

void RemoveSession(const std::string& id) {
  std::error_code error;
  fs::remove_all(FolderOf(id), error);
}

void RemoveOldSessions() {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  std::vector<fs::path> old;
  for (const auto& entry :
       fs::directory_iterator(Root() + "/sessions", error)) {
    const auto written = fs::last_write_time(entry.path() / "record", error);
    if (!error && now - written > kKeep && !IsHeld(entry.path())) {
      old.push_back(entry.path());
    }
  }
  for (const fs::path& folder : old) {
    fs::remove_all(folder, error);
  }
}

SessionRecord::SessionRecord(const std::string& id)
    : id_(id),
      file_(::open((FolderOf(id) + "/record").c_str(),
                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  // As long as this process lives (see IsHeld).
  if (file_.valid()) {
    (void)::flock(file_.get(), LOCK_EX | LOCK_NB);
  }
}

void SessionRecord::Forget() {
  if (file_.valid()) {
    file_.Reset();
    RemoveSession(id_);
  }
}

void SessionRecord::Line(const std::string& text) {
  if (file_.valid()) {
    const std::string line = text + "\n";
    (void)!::write(file_.get(), line.data(), line.size());
  }
}

void SessionRecord::Started(const std::string& token, int64_t id, int64_t pid) {
  if (token != token_) {
    token_ = token;
    Line("run " + token);
  }
  Line("started" + Number(id) + Number(pid));
}

void SessionRecord::Exited(const ExitedMsg& exited) {
  Line("exited" + Number(exited.id) + Number(exited.code) +
       Number(exited.signal) + Number(exited.phase) + Number(exited.unix_us));
}

void SessionRecord::Stopped(const StoppedMsg& stopped) {
  Line("stopped" + Number(stopped.left_over) + Number(stopped.killed) +
       Number(stopped.left) + Number(UnixMicros()));
}

void SessionRecord::Leaving(const std::string& why) {
  Line("leaving" + Number(UnixMicros()) + " " + why);
}

std::string RecordOfRun(const std::string& token) {
  std::string found;
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(Root() + "/sessions", error)) {
    std::ifstream file(entry.path() / "record");
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("run ")) {
        inside = line.substr(4) == token;
      } else if (inside) {
        found += line + "\n";
      }
    }
  }
  return found;
}

}  // namespace zs
