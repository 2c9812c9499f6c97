// What all ranks of one node have written, line by line with time stamps, as a
// file that grows while the run goes on and is compressed at its end.
#ifndef RUNNER_SUPERVISE_NODE_LOG_H_
#define RUNNER_SUPERVISE_NODE_LOG_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "runner/supervise/observer.h"
#include "runner/supervise/rank_log.h"

namespace zs {

// Lines "2026-11-30T11:02:03.123456Z 3 out TEXT": the node's clock when the
// line's first bytes were read, the rank, and out or err. Bytes are kept as
// they are; a line that is longer than 64 KiB goes on in the next. Of a flood
// the beginning and the end are kept (RankLog).
class NodeLog {
 public:
  // An empty PATH keeps nothing.
  NodeLog(const std::string& path, int64_t cap_bytes) : log_(path, cap_bytes) {}

  void Append(int rank, OutputStream stream, int64_t unix_us,
              std::string_view bytes);
  // BYTES of the stream were lost before they came here.
  void Gap(int rank, OutputStream stream, int64_t unix_us, int64_t bytes);

  // Writes what waits for its line's end, and turns the file into PATH.zst.
  // Where that fails the plain file stays.
  void Close();

  // The first error.
  const Status& status() const {
    return log_.status().ok() ? compressed_ : log_.status();
  }
  // The file before it was compressed.
  const RankLog& raw() const { return log_; }
  // Where it lies.
  const std::string& path() const {
    return compressed_path_.empty() ? log_.path() : compressed_path_;
  }

 private:
  struct Partial {
    int64_t unix_us = 0;
    std::string text;
  };
  using Key = std::pair<int, OutputStream>;

  void Split(int rank, OutputStream stream, int64_t unix_us,
             std::string_view bytes);
  // Adds a line to those that Flush writes at once.
  void Write(const Key& key, int64_t unix_us, std::string_view text);
  void Flush();
  void AppendTime(int64_t unix_us);

  RankLog log_;
  std::map<Key, Partial> partial_;
  std::string lines_;            // not written yet; empty between calls
  int64_t second_ = -1;          // that second_text_ tells
  std::string second_text_;      // "2026-11-30T11:02:03"
  std::string compressed_path_;  // empty: not compressed
  Status compressed_;
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_NODE_LOG_H_
