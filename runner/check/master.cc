#include "runner/check/master.h"

#include <vector>

#include "runner/check/judge.h"
#include "runner/reach/ask.h"

namespace zs {

void MasterCheck::PlanFirst() {
  const std::string& name = master_.address;
  if (name.empty()) {
    return;
  }
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
  PlanPort();
}

void MasterCheck::PlanPort() {
  if ((master_.port == 0 && !master_.any_port) ||
      !round_.reached().contains(0)) {
    return;
  }
  QueryMsg listen{0, "listen", {std::to_string(master_.port)}};
  if (master_.any_port) {
    listen.args.emplace_back("any");
  }
  round_.Ask(0, "master_port", std::move(listen), {"ss", "-ltnp"},
             [this](const std::string& answer, CheckResult& result) {
               listening_ = FieldOf(answer, "port").value_or("");
               const auto instead = FieldOf(answer, "instead");
               result.state = CheckState::kOk;
               result.found = "port " + listening_ + " is free" +
                              (instead ? " (instead: " + *instead + ")" : "");
               result.limit = "a free port on the first node";
             });
}

void MasterCheck::PlanSecond(const std::map<size_t, std::string>& hosts) {
  const auto host = hosts.find(0);
  if (master_.address.empty() || host == hosts.end()) {
    return;
  }
  std::erase_if(addresses_, [this](const auto& entry) {
    return !round_.reached().contains(entry.first);
  });
  CompareAddresses(host->second);
  if (listening_.empty()) {
    return;
  }
  for (const auto& [node, address] : addresses_) {
    round_.Ask(node, "port_reachable",
               {0, "connect", {address, listening_, "3000"}},
               {"nc", "-zvw3", address, listening_},
               [](const std::string& answer, CheckResult& result) {
                 result.state = CheckState::kOk;
                 result.found = "connected after " + answer + " ms";
                 result.limit = "a connection to the master";
               });
  }
}

void MasterCheck::CompareAddresses(const std::string& host_of_master) {
  const std::vector<std::string> own = AddressesOf(host_of_master);
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

void MasterCheck::Finish() {
  if (!listening_.empty()) {
    Tell(*round_.reached().at(0), {0, "unlisten", {}});
  }
}

}  // namespace zs
