#include "runner/reach/bootstrap.h"

#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/hash.h"

namespace zs {
namespace {

// One group, so that the shell has read all of it before it runs any of it:
// some read further ahead than they may, and nothing is sent behind it until
// the script asks. The agent inherits the umask that the login has. An empty
// program is one that a crash of the node has left; since it lies on the disk
// before it gets its name, none is half there, and no process has to count its
// bytes at each start. Each start of an agent renews its time of writing, by
// which those that nobody uses are found.
constexpr std::string_view kScript = R"sh({
d=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
d=${d:-/tmp/zerosweep-$(id -u)}/zerosweep
f=$d/agent-@HASH@
[ -x "$f" ] && [ -s "$f" ] || (
  umask 077
  mkdir -p "$d" && [ -O "$d" ] || {
    echo "cannot use the folder $d for the agent" >&2; exit 1; }
  t=$(mktemp "$f.XXXXXX") || exit 1
  trap 'rm -f "$t"' EXIT
  chmod 700 "$t" && [ -x "$t" ] || {
    echo "no program can be started in $d: it is mounted noexec" >&2; exit 1; }
  printf '\nzerosweep-needs-agent\n'
  head -c @SIZE@ >"$t" || exit 1
  s=@HASH@
  ! command -v sha256sum >/dev/null 2>&1 || s=$(sha256sum <"$t")
  [ "${s%% *}" = @HASH@ ] && [ "$(wc -c <"$t")" -eq @SIZE@ ] || {
    echo "the agent did not arrive whole in $t; is the disk full?" >&2; exit 1; }
  sync "$t" 2>/dev/null || sync
  mv -f "$t" "$f" || exit 1
  find "$d" -name 'agent-*' ! -name agent-@HASH@ -mtime +7 \
    -exec rm -f {} + 2>/dev/null
  exit 0
) || exit 1
exec "$f" @ARGUMENT@
}
)sh";

void ReplaceAll(std::string& text, std::string_view from,
                const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string Bootstrap::ScriptFor(const std::string& argument) const {
  std::string text = script;
  ReplaceAll(text, "@ARGUMENT@", argument);
  return text;
}

Result<Bootstrap> MakeBootstrap(const std::string& agent_path) {
  Bootstrap bootstrap;
  ASSIGN_OR_RETURN(bootstrap.program, ReadFile(agent_path));
  bootstrap.script = kScript;
  ReplaceAll(bootstrap.script, "@HASH@", Sha256Hex(bootstrap.program));
  ReplaceAll(bootstrap.script, "@SIZE@",
             std::to_string(bootstrap.program.size()));
  return bootstrap;
}

}  // namespace zs
