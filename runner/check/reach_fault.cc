#include "runner/check/reach_fault.h"

#include <string>

namespace zs {
namespace {

struct Sign {
  std::string_view part;  // of the message
  ReachFault fault;
};

// The first that fits counts: a changed key ends in the same sentence as an
// unknown one, and behind our own words about the agent's folder stand those of
// mkdir ("Permission denied").
constexpr Sign kSigns[] = {
    {"it is mounted noexec",
     {"noexec",
      "the cache folder is mounted noexec; set XDG_CACHE_HOME there to a "
      "folder "
      "from which programs can be started"}},
    {"No space left on device",
     {"disk_full", "make room in the user's cache folder there"}},
    {"the agent did not arrive whole",
     {"disk_full", "make room in the user's cache folder there"}},
    {"cannot use the folder",
     {"no_cache_folder",
      "give the user a cache folder there that is its own "
      "(XDG_CACHE_HOME)"}},
    {"REMOTE HOST IDENTIFICATION HAS CHANGED",
     {"host_key_changed",
      "find out why the host's key is another, then ssh-keygen -R HOST"}},
    {"Host key for ",
     {"host_key_changed",
      "find out why the host's key is another, then ssh-keygen -R HOST"}},
    {"Host key verification failed",
     {"host_key_unknown",
      "log in by hand once and look at the key, or put it into known_hosts "
      "(ssh-keyscan)"}},
    {"host key is known for",
     {"host_key_unknown",
      "log in by hand once and look at the key, or put it into known_hosts "
      "(ssh-keyscan)"}},
    {"Permission denied",
     {"login_refused",
      "put your public key into authorized_keys there (ssh-copy-id), or load "
      "it into the agent; passwords are never asked for"}},
    {"Too many authentication failures",
     {"login_refused", "name one IdentityFile with IdentitiesOnly yes"}},
    {"account is currently not available",
     {"login_refused", "the account has no shell (nologin); use another"}},
    {"Could not resolve hostname",
     {"unknown_name", "put the name into DNS, /etc/hosts or ssh_config"}},
    {"Connection refused",
     {"connection_refused", "start sshd there, or give its port"}},
    {"Connection timed out",
     {"timeout", "is it switched on, and does a firewall drop packets?"}},
    {"Operation timed out",
     {"timeout", "is it switched on, and does a firewall drop packets?"}},
    {"No route to host",
     {"no_route", "is it switched on, and are cable and routes in order?"}},
    {"Network is unreachable",
     {"no_route", "is it switched on, and are cable and routes in order?"}},
    {"Connection reset",
     {"connection_closed", "look at sshd's log there (MaxStartups?)"}},
    {"Connection closed by",
     {"connection_closed", "look at sshd's log there (MaxStartups?)"}},
    {"No such container",
     {"no_container", "start the container there, or correct its name"}},
    {"no container with name",
     {"no_container", "start the container there, or correct its name"}},
    {"is not running", {"container_stopped", "docker start it there"}},
    {"Cannot connect to the Docker daemon",
     {"no_docker", "start Docker there, or allow the user to use it"}},
    {"no answer to '",
     {"timeout", "it is connected but does not answer; log in by hand"}},
    {"no agent", {"no_shell", "what answers there is no POSIX shell"}},
    {"No such file or directory",
     {"no_command", "the first word of `reach` is no program of this host"}},
};

}  // namespace

ReachFault ReachFaultOf(std::string_view message) {
  for (const Sign& sign : kSigns) {
    if (message.find(sign.part) != std::string_view::npos) {
      return sign.fault;
    }
  }
  return {"unreachable", "try the command by hand"};
}

void JudgeReachFault(std::string_view message, CheckResult& result) {
  const ReachFault fault = ReachFaultOf(message);
  result.name = "reach";
  result.state = CheckState::kFailed;
  result.found = std::string(fault.code) + ": " + std::string(message);
  result.limit = "an answer; " + std::string(fault.remedy);
}

}  // namespace zs
