// One file's tokens, one after the other.
#ifndef ENGINE_DATA_TOKEN_STREAM_H_
#define ENGINE_DATA_TOKEN_STREAM_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace zs {

// Not thread-safe.
class TokenStream {
 public:
  virtual ~TokenStream() = default;

  virtual int64_t tokens() const = 0;

  // Fills OUT with the tokens from START on; all are in the stream. kDataLoss
  // names file and offset where the file has changed or holds a token outside
  // the vocabulary.
  virtual Status Read(int64_t start, std::span<int32_t> out) = 0;
};

// The bytes of the file at PATH. kNotFound, kFailedPrecondition (no regular
// file), kInvalidArgument (empty), kDataLoss (a byte that is no token of a
// vocabulary of VOCAB; the whole file is searched).
Result<std::unique_ptr<TokenStream>> OpenText(const std::string& path,
                                              int64_t vocab);

// Megatron-LM's PREFIX.idx and PREFIX.bin: all sequences joined. kNotFound,
// kInvalidArgument or kDataLoss for a damaged index, with file and offset.
Result<std::unique_ptr<TokenStream>> OpenMegatron(const std::string& prefix,
                                                  int64_t vocab);

}  // namespace zs

#endif  // ENGINE_DATA_TOKEN_STREAM_H_
