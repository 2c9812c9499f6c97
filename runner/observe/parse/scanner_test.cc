#include "runner/observe/parse/scanner.h"

#include <random>
#include <string>
#include <variant>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

// Lines for which OBSERVATION speaks.
int64_t LinesOf(const Observation& observation) {
  return std::visit(
      [](const auto& seen) -> int64_t {
        if constexpr (requires { seen.from.lines; }) {
          return seen.from.lines;
        }
        return 1;
      },
      observation);
}

// Keeps copies of the observations of one kind, with their line numbers.
template <typename T>
class Keeper : public ObservationSink {
 public:
  void Take(const LogLine& line, const Observation& observation) override {
    if (const T* wanted = std::get_if<T>(&observation)) {
      seen.push_back(*wanted);
      lines.push_back(line.number);
    }
    all += LinesOf(observation);
  }

  std::vector<T> seen;
  std::vector<int64_t> lines;
  int64_t all = 0;  // what was seen, of any kind
};

// Views in the observations point into TEXT, which must live on.
template <typename T>
Keeper<T> Scan(const std::string& text, size_t piece = std::string::npos) {
  Keeper<T> keeper;
  LogScanner scanner(0, keeper);
  for (size_t at = 0; at < text.size();
       at += std::min(piece, text.size() - at)) {
    scanner.Feed(std::string_view(text).substr(at, piece));
  }
  scanner.Finish();
  return keeper;
}

TEST(ScannerTest, ReadsMegatronLinesOfAllVersions) {
  const std::string text =
      " iteration      122/  250000 | consumed samples:       124928 | elapsed "
      "time per iteration (ms): 86545.2 | learning rate: 9.150E-06 | global "
      "batch size:  1024 | lm loss: 2.504220E+00 | loss scale: 1.0 | grad "
      "norm: 0.231 | number of skipped iterations:   0 | number of nan "
      "iterations:   0 |\n"
      "[default0]: [2026-09-11 12:06:52.987995] iteration        3/ 7629408 | "
      "consumed samples:           96 | elapsed time per iteration (ms): "
      "24379.9 | throughput per GPU (TFLOP/s/GPU): 26.8 | learning rate: "
      "1.406250E-04 | global batch size:    32 | lm loss: 1.107468E+01 | num "
      "zeros: 1299.0 | number of skipped iterations:   1 | number of nan "
      "iterations:   2 |Number of parameters: 3\n"
      "node1:  iteration        1/       5 | consumed samples: 2048 | consumed "
      "tokens:      4194304 | elapsed time per iteration (s): 76.5 | samples "
      "per second: 26.942 | TFLOPs: 147.61 |\n";
  const Keeper<TrainStep> kept = Scan<TrainStep>(text);
  ASSERT_EQ(kept.seen.size(), 3u);
  EXPECT_EQ(kept.seen[0].iteration, 122);
  EXPECT_EQ(kept.seen[0].total, 250000);
  EXPECT_DOUBLE_EQ(kept.seen[0].step_ms, 86545.2);
  EXPECT_DOUBLE_EQ(kept.seen[0].loss, 2.50422);
  EXPECT_EQ(kept.seen[0].global_batch, 1024);
  EXPECT_DOUBLE_EQ(kept.seen[1].tflops, 26.8);
  EXPECT_EQ(kept.seen[1].skipped, 1);
  EXPECT_EQ(kept.seen[1].nan_iterations, 2);
  EXPECT_DOUBLE_EQ(kept.seen[2].step_ms, 76500);
  EXPECT_EQ(kept.seen[2].consumed_tokens, 4194304);
  EXPECT_EQ(kept.lines, (std::vector<int64_t>{1, 2, 3}));
}

TEST(ScannerTest, ReadsGluedLinesOfSeveralRanks) {
  const std::string text =
      "[Rank 0] (after 1 iterations) memory (MB) | allocated: 1.50 | max "
      "allocated: 2.25 | reserved: 3.00 | max reserved: 44816.00[Rank 8] "
      "(after 1 iterations) memory (MB) | allocated: 7 | max allocated: 8 | "
      "reserved: 9 | max reserved: 10\n";
  const Keeper<MemoryUse> kept = Scan<MemoryUse>(text);
  ASSERT_EQ(kept.seen.size(), 2u);
  EXPECT_EQ(kept.seen[0].rank, 0);
  EXPECT_DOUBLE_EQ(kept.seen[0].max_allocated_mib, 2.25);
  EXPECT_DOUBLE_EQ(kept.seen[0].max_reserved_mib, 44816);
  EXPECT_EQ(kept.seen[1].rank, 8);
  EXPECT_DOUBLE_EQ(kept.seen[1].max_reserved_mib, 10);
}

TEST(ScannerTest, ReadsTheOtherTrainers) {
  const std::string text =
      "[2022-03-11 02:06:58,985] [INFO] [logging.py:69:log_dist] [Rank 0] "
      "step=40, skipped=2, lr=[5e-05], mom=[[0.9, 0.999]]\n"
      "[2022-03-11 02:06:58,985] [INFO] [timer.py:189:stop] 0/40, "
      "SamplesPerSec=83.5, MemAllocated=0.26GB, MaxMemAllocated=9.02GB\n"
      "\x1b[31mstep: 10  \x1b[32mloss:  8.1309  \x1b[33mgrad_norm:  1.5  "
      "\x1b[34mmemory:  1.25GiB(1.5%)  \x1b[35mtps: 12,345  \x1b[36mtflops: "
      "7.5  mfu: 2.3%\x1b[0m\n"
      "step    3/25 | loss 10.969925 (+nanz)| norm 0.4364 (+nanz)| lr "
      "1.00e-04 | 71.77 ms | -100.0% bf16 MFU | 452228 tok/s\n";
  const Keeper<TrainStep> kept = Scan<TrainStep>(text);
  ASSERT_EQ(kept.seen.size(), 4u);
  EXPECT_EQ(kept.seen[0].iteration, 40);
  EXPECT_EQ(kept.seen[1].iteration, 40);
  EXPECT_DOUBLE_EQ(kept.seen[1].samples_per_s, 83.5);
  EXPECT_DOUBLE_EQ(kept.seen[1].memory_gib, 9.02);
  EXPECT_EQ(kept.seen[2].trainer, Trainer::kTorchtitan);
  EXPECT_EQ(kept.seen[2].iteration, 10);
  EXPECT_DOUBLE_EQ(kept.seen[2].printed_tokens_per_s_per_gpu, 12345);
  EXPECT_DOUBLE_EQ(kept.seen[2].memory_gib, 1.25);
  EXPECT_EQ(kept.seen[3].trainer, Trainer::kLlmC);
  EXPECT_EQ(kept.seen[3].total, 25);
  EXPECT_DOUBLE_EQ(kept.seen[3].step_ms, 71.77);
  EXPECT_DOUBLE_EQ(kept.seen[3].printed_tokens_per_s, 452228);
}

TEST(ScannerTest, ReadsOurOwnEvents) {
  const std::string text =
      R"({"event":"end","rank":0,"steps":12,"final_loss":2.5,"parameters_sha256":"00"})"
      "\n";
  EXPECT_EQ(Scan<EndLine>(text).seen.size(), 1u);
}

TEST(ScannerTest, ReadsChannelsOfAllVersions) {
  const std::string text =
      "h:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
      "h:1:2 [0] NCCL INFO Channel 00 : 2[1a000] -> 0[3b000] via "
      "direct shared memory\n"
      "h:1:2 [0] NCCL INFO Channel 01/0 : 16[0] -> 0[0] [receive] via "
      "NET/AWS Libfabric/1(3)/GDRDMA/Shared\n"
      "h:1:2 [0] NCCL INFO Ring 00 : 3[0] -> 4[0] via NET/IB/0\n"
      "h:1:2 [0] NCCL INFO Channel 00/16 :    0   7   6   5\n";
  const Keeper<NcclChannel> kept = Scan<NcclChannel>(text);
  ASSERT_EQ(kept.seen.size(), 4u);
  EXPECT_EQ(kept.seen[0].transport, Transport::kP2p);
  EXPECT_EQ(kept.seen[1].transport, Transport::kShm);
  EXPECT_EQ(kept.seen[2].transport, Transport::kNet);
  EXPECT_EQ(kept.seen[2].network, "AWS Libfabric");
  EXPECT_TRUE(kept.seen[2].gdr);
  EXPECT_EQ(kept.seen[3].network, "IB");
  EXPECT_FALSE(kept.seen[3].gdr);
}

TEST(ScannerTest, FindsNcclsSpeakerBehindAnyPrefix) {
  const std::string text =
      "[default3]:g0033:17:18 [3] NCCL INFO Using network IB\n"
      "[1,5]<stdout>:g0034:17:18 [5] NCCL INFO Using network IB\n"
      "2: [2026-04-22 21:34:20] g0035:17:18 [7] misc/x.cc:88 NCCL WARN "
      "NET/IB : No device found.\n"
      "NCCL INFO Using network IB\n";
  const Keeper<NcclNetwork> networks = Scan<NcclNetwork>(text);
  ASSERT_EQ(networks.seen.size(), 3u);
  EXPECT_EQ(networks.seen[0].from.host, "g0033");
  EXPECT_EQ(networks.seen[0].from.device, 3);
  EXPECT_EQ(networks.seen[1].from.host, "g0034");
  EXPECT_EQ(networks.seen[1].from.pid, 17);
  EXPECT_EQ(networks.seen[2].from.host, "");
  const Keeper<NcclWarning> warnings = Scan<NcclWarning>(text);
  ASSERT_EQ(warnings.seen.size(), 1u);
  EXPECT_EQ(warnings.seen[0].from.host, "g0035");
  EXPECT_EQ(warnings.seen[0].from.device, 7);
}

TEST(ScannerTest, ALineMadeOfWordsCostsNoMoreThanItsLength) {
  std::string text;
  while (text.size() < (size_t{2} << 20)) {
    text += "NCCL INFO [rank1]: Traceback (most recent) memory (MB) ";
  }
  EXPECT_GT(Scan<TrainStep>(text + "\n").all, 0);
}

TEST(ScannerTest, ReadsRowsWithAndWithoutARootColumn) {
  const std::string text =
      "     1048576        262144   float     sum    74.78   14.02   24.54    "
      "N/A    76.17   13.77   24.09    N/A\n"
      "1:    8589934592    2147483648  bfloat16     sum      -1    20299  "
      "423.16  834.57      0    20006  429.37  846.82      0\n";
  const Keeper<BandwidthRow> kept = Scan<BandwidthRow>(text);
  ASSERT_EQ(kept.seen.size(), 2u);
  EXPECT_EQ(kept.seen[0].bytes, 1048576);
  EXPECT_DOUBLE_EQ(kept.seen[0].time_us, 74.78);
  EXPECT_DOUBLE_EQ(kept.seen[0].busbw_gb_s, 24.54);
  EXPECT_EQ(kept.seen[0].wrong, -1);
  EXPECT_DOUBLE_EQ(kept.seen[1].busbw_gb_s, 834.57);
  EXPECT_DOUBLE_EQ(kept.seen[1].in_place_busbw_gb_s, 846.82);
  EXPECT_EQ(kept.seen[1].wrong, 0);
}

TEST(ScannerTest, ReadsNcclTestsJson) {
  const std::string text =
      R"({"version":3,"results":[{"size":1024,"count":256,"type":"float",)"
      R"("out_of_place":{"time":12.5,"alg_bw":0.5,"bus_bw":0.75,"nwrong":0},)"
      R"("in_place":{"time":12.5,"alg_bw":0.5,"bus_bw":0.75,"nwrong":0}}]})"
      "\n";
  const Keeper<BandwidthRow> kept = Scan<BandwidthRow>(text);
  ASSERT_EQ(kept.seen.size(), 1u);
  EXPECT_EQ(kept.seen[0].bytes, 1024);
  EXPECT_DOUBLE_EQ(kept.seen[0].busbw_gb_s, 0.75);
}

std::string MixedLog() {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text +=
        "[rank1]: Traceback (most recent call last):\n"
        "[rank1]:   File \"/w/a.py\", line 3, in f\n"
        "h:1:2 [0] NCCL INFO Using network IB\r\n"
        "[rank1]: KeyError: 'x'\n"
        "50%\r100%\r iteration 7/ 9 | lm loss: 1.0E+00 |\n"
        "Watchdog caught collective operation timeout\n\n";
  }
  return text;
}

TEST(ScannerTest, SeesTheSameInAnyPieces) {
  const std::string text = MixedLog();
  const int64_t whole = Scan<TrainStep>(text).all;
  EXPECT_EQ(Scan<TrainStep>(text).seen.size(), 40u);
  for (const size_t piece : {1, 2, 3, 7, 64, 1000}) {
    EXPECT_EQ(Scan<TrainStep>(text, piece).all, whole) << piece;
  }
}

// Some blocks hold tracebacks and terminal codes, most do not.
TEST(ScannerTest, SeesTheSameWithTwoThreads) {
  std::string text;
  for (int block = 0; block < 24; ++block) {
    for (int line = 0; line < 1200; ++line) {
      text +=
          "g0033:1:2 [3] NCCL INFO Channel 00/0 : 3[3] -> 4[4] via P2P/IPC\n"
          " iteration " +
          std::to_string(block * 1200 + line) +
          "/ 99999 | lm loss: 1.0E+00 |\n";
    }
    text += block % 5 == 2 ? MixedLog() : "";
  }
  Keeper<TrainStep> one;
  Keeper<TrainStep> two;
  LogScanner alone(0, one);
  LogScanner helped(0, two);
  helped.UseTwoThreads();
  constexpr size_t kPiece = size_t{300} << 10;
  for (size_t at = 0; at < text.size(); at += kPiece) {
    alone.Feed(std::string_view(text).substr(at, kPiece));
    helped.Feed(std::string_view(text).substr(at, kPiece));
  }
  alone.Finish();
  helped.Finish();
  EXPECT_EQ(one.lines, two.lines);
  EXPECT_EQ(one.all, two.all);
  ASSERT_EQ(one.seen.size(), two.seen.size());
  for (size_t i = 0; i < one.seen.size(); ++i) {
    EXPECT_EQ(one.seen[i].iteration, two.seen[i].iteration);
  }
  EXPECT_EQ(alone.counts().lines, helped.counts().lines);
  EXPECT_EQ(alone.counts().recognised, helped.counts().recognised);
}

// Of lines that say the same of a host the first is told by itself.
TEST(ScannerTest, CountsChannelsOfAKindTogether) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    const std::string rank = std::to_string(i % 8);
    text += "[default" + rank + "]:g0033:1:2 [" + rank +
            "] NCCL INFO Channel 00/0 : " + rank + "[0] -> 9[1] via P2P/IPC\n";
    text +=
        "g0034:1:2 [0] NCCL INFO Channel 01/0 : 8[0] -> 0[0] [send] via "
        "NET/IB/" +
        std::to_string(i % 2) + "/GDRDMA\n";
  }
  for (const size_t piece : {size_t{1000}, text.size()}) {
    const Keeper<NcclChannel> kept = Scan<NcclChannel>(text, piece);
    int64_t p2p = 0;
    int64_t net = 0;
    for (const NcclChannel& channel : kept.seen) {
      (channel.transport == Transport::kP2p ? p2p : net) += channel.from.lines;
    }
    EXPECT_EQ(p2p, 100);
    EXPECT_EQ(net, 100);
    EXPECT_EQ(kept.lines[0], 1);
    EXPECT_EQ(kept.lines[1], 2);
    EXPECT_EQ(kept.lines[2], 4);  // another network device
    EXPECT_LT(kept.seen.size(), 200u);
  }
}

// A word in front of a channel's line is not passed over.
TEST(ScannerTest, ReadsWhatIsGluedToAChannel) {
  const std::string channel =
      "g0033:1:2 [3] NCCL INFO Channel 00/0 : 3[3] -> 4[4] via P2P/IPC\n";
  const std::string text =
      channel + channel + " iteration 7/ 9 | lm loss: 1.0E+00 |" + channel;
  EXPECT_EQ(Scan<TrainStep>(text).seen.size(), 1u);
  EXPECT_EQ(Scan<TrainStep>(text).all, 4);
}

TEST(ScannerTest, CountsLines) {
  Keeper<TrainStep> keeper;
  LogScanner scanner(0, keeper);
  scanner.Feed("a\nb\n iteration 1/ 2 | lm loss: 1 |\nc");
  scanner.Finish();
  EXPECT_EQ(scanner.counts().lines, 4);
  EXPECT_EQ(scanner.counts().recognised, 1);
  EXPECT_EQ(keeper.lines, (std::vector<int64_t>{3}));
}

// Damaged logs: every prefix, and bytes changed at random.
TEST(ScannerTest, SurvivesAnyDamage) {
  const std::string text = MixedLog().substr(0, 600) +
                           "  exitcode  : -9 (pid: 3)\n"
                           "NCCL version 2.\n#  Rank  0 Pid\n"
                           "{\"event\":\"step\"\n"
                           "using world size: 3\nstore based barrier (\n";
  for (size_t end = 0; end < text.size(); ++end) {
    Scan<TrainStep>(text.substr(0, end));
  }
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 8; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    Scan<TrainStep>(damaged);
  }
}

}  // namespace
}  // namespace zs
