#include "runner/observe/parse/nccl.h"

#include <array>
#include <string_view>

#include "base/strings.h"
#include "runner/observe/parse/nccl_speaker.h"
#include "runner/observe/text/cursor.h"

namespace zs {
namespace {

constexpr size_t kNone = std::string_view::npos;

// A parser of one kind of message. TEXT is the message; true: delivered, and
// nothing else is to be found in the line.
struct Message {
  const LogLine& line;
  NcclSpeaker from;
  std::string_view text;
  ObservationSink& sink;

  template <typename T>
  bool Deliver(T observation) const {
    observation.from = from;
    sink.Take(line, observation);
    return true;
  }
};

Transport TransportOf(std::string_view via) {
  if (via.starts_with("P2P")) {
    return Transport::kP2p;
  }
  if (via.starts_with("SHM") || via.starts_with("direct shared")) {
    return Transport::kShm;
  }
  if (via.starts_with("NET/")) {
    return Transport::kNet;
  }
  return via.starts_with("COLLNET") ? Transport::kCollnet : Transport::kOther;
}

// "Channel 00/0 : 8[0] -> 0[0] [receive] via NET/IB/0/GDRDMA"; "Ring 00 : ..."
// of 2.4 to 2.6; the list of a ring ("Channel 00/16 : 0 7 6") says nothing.
bool TakeChannel(const Message& message) {
  NcclChannel channel;
  const std::string_view text = message.text;
  size_t at = text[0] == 'C' ? 8 : 5;  // "Channel ", "Ring "
  while (at < text.size() && (IsDigit(text[at]) || text[at] == '/')) {
    ++at;
  }
  Cursor cursor(text.substr(at));
  if (!cursor.Take(" : ") || !cursor.TakeInt(channel.from_rank) ||
      !cursor.Take("[") || !cursor.TakePast(']') || !cursor.Take(" -> ") ||
      !cursor.TakeInt(channel.to_rank) || !cursor.Take("[") ||
      !cursor.TakePast(']')) {
    return message.Deliver(NcclOther{});
  }
  if (cursor.Take(" [")) {
    cursor.TakePast(']');
  }
  if (!cursor.Take(" via ")) {
    return message.Deliver(NcclOther{});
  }
  const std::string_view via = Trimmed(cursor.rest());
  channel.transport = TransportOf(via);
  if (channel.transport == Transport::kNet) {
    // "NET/IB/0/GDRDMA", "NET/AWS Libfabric/1(3)/GDRDMA/Shared": the name ends
    // before "/" and a digit.
    size_t end = 4;
    while (end < via.size() && !(via[end] == '/' && end + 1 < via.size() &&
                                 IsDigit(via[end + 1]))) {
      ++end;
    }
    channel.network = via.substr(4, end - 4);
    channel.gdr = via.find("/GDRDMA", end) != kNone;
  }
  return message.Deliver(channel);
}

// "comm 0x.. rank r nranks n ... commId 0x.. - Init COMPLETE" with or without
// the function's name in front; "comm 0x.. rank r nRanks n nNodes k ...".
bool TakeComm(const Message& message) {
  Cursor cursor(message.text);
  cursor.TakeThrough("comm ");
  NcclInit init;
  NcclTopology topology;
  init.comm = cursor.TakeWord();
  if (!cursor.TakeThrough("rank ") || !cursor.TakeNumber(init.rank)) {
    return message.Deliver(NcclOther{});
  }
  cursor.SkipBlanks();
  if (cursor.Take("nRanks")) {
    topology.rank = init.rank;
    cursor.TakeNumber(topology.ranks);
    if (cursor.TakeThrough("nNodes ")) {
      cursor.TakeNumber(topology.nodes);
    }
    if (cursor.TakeThrough("localRanks ")) {
      cursor.TakeNumber(topology.local_ranks);
    }
    return message.Deliver(topology);
  }
  if (cursor.Take("nranks")) {
    cursor.TakeNumber(init.ranks);
  }
  if (cursor.TakeThrough("commId ")) {
    init.comm_id = cursor.TakeWord();
  }
  const std::string_view text = message.text;
  if (text.find("Init START") != kNone) {
    init.phase = InitPhase::kStart;
  } else if (text.find("Init COMPLETE") != kNone) {
    init.phase = InitPhase::kComplete;
  } else if (text.find("Abort") != kNone) {
    init.phase = InitPhase::kAbort;
  } else if (text.find("Destroy") != kNone) {
    init.phase = InitPhase::kDestroy;
  } else {
    return message.Deliver(NcclOther{});
  }
  return message.Deliver(init);
}

// "Bootstrap : Using [0]eth0:10.0.0.1<0>", "NET : Using interface lo:...<0>".
bool TakeInterface(const Message& message, std::string_view after) {
  Cursor cursor(message.text);
  if (!cursor.TakeThrough(after)) {
    return false;
  }
  if (cursor.Take("[")) {
    cursor.TakeThrough("]");
  }
  NcclBootstrap bootstrap;
  bootstrap.interface = cursor.Until(":");
  if (!cursor.Take(":")) {
    return false;
  }
  bootstrap.address = cursor.Until("<");
  message.Deliver(bootstrap);
  return false;  // the catalogue knows bad interfaces
}

int CountOf(std::string_view text, std::string_view word) {
  int count = 0;
  for (size_t at = text.find(word); at != kNone;
       at = text.find(word, at + word.size())) {
    ++count;
  }
  return count;
}

bool TakeIb(const Message& message) {
  NcclHcas hcas;
  const std::string_view text = message.text;
  if (text.find("No device found") != kNone) {
    hcas.none_found = true;
    message.Deliver(hcas);
    return false;
  }
  if (const size_t using_at = text.find("Using "); using_at != kNone) {
    hcas.list = text.substr(using_at + 6);
    hcas.list = Trimmed(hcas.list.substr(0, hcas.list.find(';')));
    const int roce = CountOf(hcas.list, "/RoCE");
    hcas.roce = roce > 0;
    hcas.count = roce + CountOf(hcas.list, "/IB");
    return message.Deliver(hcas);
  }
  if (const size_t gdr = text.find("GPU Direct RDMA "); gdr != kNone) {
    NcclGdr observed;
    observed.enabled = text.substr(gdr + 16, 7) == "Enabled";
    if (const size_t quote = text.find('\''); quote != kNone) {
      Cursor name(text.substr(quote + 1));
      observed.device = name.Until("'");
    }
    message.Deliver(observed);
    return false;
  }
  if (const size_t speed = text.find(" speed="); speed != kNone) {
    NcclHcaSpeed observed;
    Cursor(text.substr(speed + 7)).TakeInt(observed.mbit_per_s);
    Cursor name(text);
    name.TakeThrough("] ");
    observed.device = name.Until(":");
    message.Deliver(observed);
    return false;
  }
  if (const size_t mtu = text.find(" mtu "); mtu != kNone) {
    NcclMtu observed;
    Cursor(text.substr(mtu + 5)).TakeNumber(observed.mtu);
    observed.roce = text.find(" GID ", mtu) != kNone;
    message.Deliver(observed);
  }
  return false;
}

bool TakeNet(const Message& message) {
  const std::string_view text = message.text;
  if (text.substr(0, 6) == "NET/IB") {
    return TakeIb(message);
  }
  if (text.substr(0, 10) == "NET/Socket") {
    if (const size_t at = text.find("Using "); at != kNone) {
      message.Deliver(NcclInterfaces{{}, text.substr(at + 6)});
    }
    return false;
  }
  if (text.substr(0, 10) == "NET/Plugin") {
    if (text.find("Could not find") != kNone ||
        text.find("No plugin found") != kNone) {
      message.Deliver(NcclNetwork{{}, {}, "none"});
    } else if (const size_t at = text.find("oaded net plugin "); at != kNone) {
      message.Deliver(NcclNetwork{{}, {}, Trimmed(text.substr(at + 17))});
    }
    return true;
  }
  return TakeInterface(message, "NET : Using interface ");
}

bool TakeTimings(const Message& message) {
  NcclInitTime time;
  const auto take = [&message](std::string_view word, auto& target) {
    Cursor cursor(message.text);
    if (cursor.TakeThrough(word)) {
      cursor.TakeNumber(target);
    }
  };
  take("rank ", time.rank);
  take("total ", time.total_s);
  take("kernels ", time.kernels_s);
  take("bootstrap ", time.bootstrap_s);
  message.Deliver(time);
  return false;
}

// "NCCL_X set by environment to V." and "NCCL_SOCKET_IFNAME set to V".
bool TakeSetting(const Message& message) {
  Cursor cursor(message.text);
  NcclSetting setting;
  setting.name = cursor.TakeWord();
  cursor.SkipBlanks();
  if (!cursor.Take("set by environment to ") && !cursor.Take("set to ")) {
    return false;
  }
  setting.value = Trimmed(cursor.rest());
  if (!setting.value.empty() && setting.value.back() == '.') {
    setting.value.remove_suffix(1);
  }
  return message.Deliver(setting);
}

bool TakeOther(const Message& message) {
  return message.Deliver(NcclOther{});
}

bool TakeVersion(const Message& message) {
  Cursor cursor(message.text);
  cursor.TakeThrough("NCCL version ");
  return message.Deliver(NcclVersion{{}, cursor.TakeWord()});
}

bool TakeDriver(const Message& message) {
  NcclDriver driver;
  Cursor cursor(message.text);
  cursor.TakeThrough("cudaDriverVersion ");
  cursor.TakeNumber(driver.cuda_version);
  return message.Deliver(driver);
}

bool TakeNetworkName(const Message& message) {
  Cursor cursor(message.text);
  cursor.TakeThrough("Using network ");
  message.Deliver(NcclNetwork{{}, Trimmed(cursor.rest()), {}});
  return false;
}

bool TakePluginPath(const Message& message) {
  Cursor cursor(message.text);
  cursor.TakeThrough(message.text[1] == '2' ? "P2P plugin " : "Plugin Path : ");
  return message.Deliver(NcclNetwork{{}, {}, Trimmed(cursor.rest())});
}

bool TakeNvls(const Message& message) {
  if (message.text.find("multicast support is") == kNone) {
    return message.Deliver(NcclOther{});
  }
  return message.Deliver(
      NcclNvls{{}, message.text.find("is not available") == kNone});
}

bool TakeLibrary(const Message& message) {  // "Failed to open libibverbs.so"
  if (message.text.find("libibverbs") != kNone) {
    NcclHcas hcas;
    hcas.none_found = true;
    message.Deliver(hcas);
  }
  return false;
}

struct Kind {
  std::string_view start;
  bool (*take)(const Message&);
  bool counted = false;  // its text says no more than its start
};

bool TakeBootstrap(const Message& message) {
  return TakeInterface(message, "Using ");
}

// By how a message starts; the first that fits. Sorted by frequency.
constexpr std::array kKinds = {
    Kind{"Ring ", TakeChannel},
    Kind{"Trees ", TakeOther, true},
    Kind{"AllReduce: ", TakeOther, true},
    Kind{"AllGather: ", TakeOther, true},
    Kind{"ReduceScatter: ", TakeOther, true},
    Kind{"Broadcast: ", TakeOther, true},
    Kind{"Reduce: ", TakeOther, true},
    Kind{"Send: ", TakeOther, true},
    Kind{"Recv: ", TakeOther, true},
    Kind{"comm 0x", TakeComm},
    Kind{"ncclComm", TakeComm},
    Kind{"[Rank ", TakeComm},
    Kind{"NCCL_", TakeSetting},
    Kind{"NET/IB : GPU Direct RDMA Enabled", TakeNet, true},
    Kind{"NET", TakeNet},
    Kind{"Connected ", TakeOther, true},
    Kind{"threadThresholds ", TakeOther, true},
    Kind{"P2P Chunksize", TakeOther, true},
    Kind{"Setting affinity", TakeOther, true},
    Kind{"ncclTopoGetCpuAffinity", TakeOther, true},
    Kind{"[Proxy ", TakeOther, true},
    Kind{"Check P2P Type", TakeOther, true},
    Kind{"Bootstrap timings", TakeOther, true},
    Kind{"Bootstrap", TakeBootstrap},
    Kind{"Using network ", TakeNetworkName},
    Kind{"NCCL version ", TakeVersion},
    Kind{"cudaDriverVersion ", TakeDriver},
    Kind{"Init timings", TakeTimings},
    Kind{"Plugin Path : ", TakePluginPath},
    Kind{"P2P plugin ", TakePluginPath},
    Kind{"NVLS ", TakeNvls},
    Kind{"Failed to open ", TakeLibrary},
    Kind{"MNNVL busId", TakeOther, true},
};

const Kind* KindOf(std::string_view message) {
  for (const Kind& kind : kKinds) {
    if (!message.empty() && message[0] == kind.start[0] &&
        Cursor(message).Take(kind.start)) {
      return &kind;
    }
  }
  return nullptr;
}

}  // namespace

std::string_view CountedIn(std::string_view message) {
  const Kind* const kind = KindOf(message);
  return kind != nullptr && kind->counted ? kind->start : std::string_view();
}

size_t ParseNcclLine(const LogLine& line, size_t at, ObservationSink& sink) {
  constexpr size_t kWord = 10;  // "NCCL INFO ", "NCCL WARN "
  const size_t start = at + kWord;
  const Message message{line, NcclSpeakerBefore(line.text.substr(0, at)),
                        line.text.substr(start), sink};
  if (line.text[at + 5] == 'W') {
    message.Deliver(NcclWarning{{}, message.text});
    TakeLibrary(message);
    return start;
  }
  if (Cursor(message.text).Take("Channel ")) {  // nine of ten lines
    TakeChannel(message);
    return line.text.size();
  }
  if (const Kind* const kind = KindOf(message.text)) {
    return kind->take(message) ? line.text.size() : start;
  }
  message.Deliver(NcclOther{});
  return start;
}

size_t ParseBareNcclVersion(const LogLine& line, size_t at,
                            ObservationSink& sink) {
  Cursor cursor(line.text.substr(at));
  cursor.TakeThrough("NCCL version ");
  std::string_view version = cursor.TakeWord();
  while (!version.empty() && (version.back() == ',' || version.back() == '.')) {
    version.remove_suffix(1);
  }
  if (version.empty() || !IsDigit(version[0])) {
    return at;
  }
  sink.Take(line, NcclVersion{{}, version});
  return at + 13 + version.size();
}

}  // namespace zs
