#include "runner/check/master.h"

#include <utility>
#include <vector>

#include "runner/check/judge.h"

namespace zs {
namespace {

class MasterCheck {
 public:
  MasterCheck(const MasterToCheck& master,
              const std::map<size_t, std::string>& hosts, CheckRound& round,
              int64_t timeout_ms)
      : master_(master),
        hosts_(hosts),
        round_(round),
        timeout_ms_(timeout_ms) {}

  void Run() {
    Resolve();
    if (round_.reached().contains(0)) {
      CompareAddresses();
      if (const int port = PortToCheck(); port != 0) {
        ReachPort(port);
      }
    }
  }

 private:
  void Resolve();
  void CompareAddresses();
  // A port that may be had; 0: there is none to check.
  int PortToCheck();
  void ReachPort(int port_number);

  const MasterToCheck& master_;
  const std::map<size_t, std::string>& hosts_;
  CheckRound& round_;
  int64_t timeout_ms_;
  std::string taken_;  // what is said of the port that was asked for
  std::map<size_t, std::string> addresses_;  // as each node says
};

void MasterCheck::Resolve() {
  const std::string& name = master_.address;
  for (const auto& [node, connection] : round_.reached()) {
    if (IsNumericAddress(name)) {
      addresses_[node] = name;
      continue;
    }
    round_.Ask(
        node, "resolve", {0, "run", {"5000", "getent", "ahosts", name}},
        {"getent", "ahosts", name},
        [this, node = node](const std::string& answer, CheckResult& result) {
          const auto address = FirstAddress(answer);
          result.state = address ? CheckState::kOk : CheckState::kFailed;
          result.found =
              master_.address + ": " + address.value_or("not known here");
          result.limit = "an address; put the name into DNS or /etc/hosts";
          if (address) {
            addresses_[node] = *address;
          }
        });
  }
  round_.Run();
}

void MasterCheck::CompareAddresses() {
  const std::vector<std::string> own = AddressesOf(hosts_.at(0));
  for (const auto& [node, address] : addresses_) {
    CheckResult result;
    result.name = "master_address";
    result.node = round_.nodes()[node].name;
    result.repeat = RepeatOn(round_.nodes()[node].reach,
                             {"getent", "ahosts", master_.address});
    JudgeMasterAddress(address, own, static_cast<int>(round_.nodes().size()),
                       result);
    round_.results().push_back(std::move(result));
  }
}

int MasterCheck::PortToCheck() {
  if (!master_.any_port) {
    return master_.port;
  }
  Connection& connection = *round_.reached().at(0);
  if (master_.port != 0) {
    const auto state = Ask(
        connection, {0, "listen", {std::to_string(master_.port)}}, timeout_ms_);
    if (state.ok()) {
      return master_.port;
    }
    taken_ = " (instead: " + state.status().message() + ")";
  }
  const auto picked = Ask(connection, {0, "pick_port", {}}, timeout_ms_);
  // Where there is none, the run will say so.
  return picked.ok() ? static_cast<int>(NumberOf(*picked).value_or(0)) : 0;
}

void MasterCheck::ReachPort(int port_number) {
  const std::string port = std::to_string(port_number);
  bool listening = false;
  round_.Ask(
      0, "master_port", {0, "listen", {port}}, {"ss", "-ltnp"},
      [this, &listening, &port](const std::string&, CheckResult& result) {
        listening = true;
        result.state = CheckState::kOk;
        result.found = "port " + port + " is free" + taken_;
        result.limit = "a free port on the first node";
      });
  round_.Run();
  if (!listening) {
    return;
  }
  for (const auto& [node, address] : addresses_) {
    round_.Ask(node, "port_reachable", {0, "connect", {address, port, "3000"}},
               {"nc", "-zvw3", address, port},
               [](const std::string& answer, CheckResult& result) {
                 result.state = CheckState::kOk;
                 result.found = "connected after " + answer + " ms";
                 result.limit = "a connection to the master";
               });
  }
  round_.Run();
  Ask(*round_.reached().at(0), {0, "unlisten", {}}, timeout_ms_).ok();
}

}  // namespace

void CheckMaster(const MasterToCheck& master,
                 const std::map<size_t, std::string>& hosts, CheckRound& round,
                 int64_t timeout_ms) {
  if (!master.address.empty()) {
    MasterCheck(master, hosts, round, timeout_ms).Run();
  }
}

}  // namespace zs
