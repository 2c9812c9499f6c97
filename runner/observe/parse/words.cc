#include "runner/observe/parse/words.h"

#include <algorithm>

#include "runner/observe/catalogue/signature.h"
#include "runner/observe/parse/bandwidth.h"
#include "runner/observe/parse/megatron.h"
#include "runner/observe/parse/nccl.h"
#include "runner/observe/parse/network.h"
#include "runner/observe/parse/steps.h"
#include "runner/observe/parse/torch.h"

namespace zs {
namespace {

struct ParserWord {
  const char* word;
  LineParser parser;
};

constexpr ParserWord kParserWords[] = {
    {"NCCL INFO ", ParseNcclLine},
    {"NCCL WARN ", ParseNcclLine},
    {"NCCL version ", ParseBareNcclVersion},
    {"iteration ", ParseIterationLine},
    {") memory (MB)", ParseMemoryLine},
    {".......", ParseDottedLine},
    {"using world size:", ParseWorldLine},
    {"DistributedDataParallelConfig(", ParseParallelConfig},
    {"saving checkpoint at iteration", ParseCheckpointLine},
    {"scheduled an async checkpoint", ParseCheckpointLine},
    {"successfully saved checkpoint", ParseCheckpointLine},
    {"successfully loaded checkpoint", ParseCheckpointLine},
    {"loading checkpoint from", ParseCheckpointLine},
    {"loading distributed checkpoint from", ParseCheckpointLine},
    {"validation loss at", ParseValidationLine},
    {"[after training is done]", ParseEndLine},
    {"[exiting program", ParseEndLine},
    {", skipped=", ParseDeepSpeedStep},
    {"SamplesPerSec=", ParseDeepSpeedRate},
    {"RunningAvgSamplesPerSec=", ParseDeepSpeedRate},
    {"grad_norm: ", ParseTorchtitanStep},
    {"memory: ", ParseTorchtitanStep},
    {" | loss ", ParseLlmCStep},
    {"| num_processes", ParseLlmCTable},
    {"| zero_stage ", ParseLlmCTable},
    {"| micro batch size B", ParseLlmCTable},
    {"| sequence length T", ParseLlmCTable},
    {"| total batch size", ParseLlmCTable},
    {"device memory usage:", ParseDeviceMemory},
    {"\"event\":", ParseEngineEvent},
    {"   float", ParseBandwidthRow},
    {"    half", ParseBandwidthRow},
    {"bfloat16 ", ParseBandwidthRow},
    {"  double ", ParseBandwidthRow},
    {"   int8 ", ParseBandwidthRow},
    {"  uint8 ", ParseBandwidthRow},
    {"  int32 ", ParseBandwidthRow},
    {" uint32 ", ParseBandwidthRow},
    {"  int64 ", ParseBandwidthRow},
    {" uint64 ", ParseBandwidthRow},
    {" f8e4m3 ", ParseBandwidthRow},
    {" f8e5m2 ", ParseBandwidthRow},
    {"fp8_e4m3", ParseBandwidthRow},
    {"fp8_e5m2", ParseBandwidthRow},
    {"#  Rank ", ParseTestsDevice},
    {"#   Rank ", ParseTestsDevice},
    {"all_reduce_perf", ParseTestsName},
    {"all_gather_perf", ParseTestsName},
    {"reduce_scatter_perf", ParseTestsName},
    {"alltoall_perf", ParseTestsName},
    {"broadcast_perf", ParseTestsName},
    {"sendrecv_perf", ParseTestsName},
    {"us busbw ", ParseBandwidthSentence},
    {"\"out_of_place\":", ParseBandwidthJson},
    {"\"device_info\":", ParseDeviceJson},
    {"failed (exitcode:", ParseWorkerFailed},
    {"Watchdog caught collective", ParseWatchdogTimeout},
    {"ast enqueued ", ParseWatchdogProgress},
    {"store based barrier", ParseStoreBarrier},
    {"torchrun ", ParseLaunchCommand},
    {"torch.distributed.run ", ParseLaunchCommand},
    {"torch.distributed.launch ", ParseLaunchCommand},
    {"dist_world_size=", ParseDistWorldSize},
    {"ESTAB  ", ParseConnection},
};

constexpr const char* kReportWords[] = {
    "Root Cause (first", "<NO_OTHER",     "Failures:",     "  time      :",
    "  host      :",     "  rank      :", "  exitcode  :", "(local rank:",
};

}  // namespace

const WordTable& WordTable::Get() {
  static const WordTable* const table = new WordTable();
  return *table;
}

WordEntry& WordTable::Add(const std::string& word) {
  const auto it = std::find(words_.begin(), words_.end(), word);
  if (it != words_.end()) {
    return entries_[static_cast<size_t>(it - words_.begin())];
  }
  words_.push_back(word);
  return entries_.emplace_back();
}

WordTable::WordTable() {
  for (const ParserWord& word : kParserWords) {
    WordEntry& entry = Add(word.word);
    entry.use = WordUse::kParser;
    entry.parser = word.parser;
  }
  for (const char* word : kReportWords) {
    Add(word).use = WordUse::kReport;
  }
  Add("Traceback (most recent").use = WordUse::kTraceback;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_max_mem(int64_t{1} << 20);
  for (const Expression& expression : Expressions()) {
    Add(std::string(expression.literal))
        .expressions.push_back(static_cast<int>(regexes_.size()));
    regexes_.push_back(std::make_unique<re2::RE2>(
        re2::StringPiece(expression.regex.data(), expression.regex.size()),
        options));
    signatures_.push_back(SignatureIndex(expression.code));
  }
  matcher_ = std::make_unique<LiteralMatcher>(words_);
}

}  // namespace zs
