// Secrets never reach the record.
#ifndef RESULTS_STORE_MASK_H_
#define RESULTS_STORE_MASK_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace zs::results {

// Whether a variable, field or flag of this name holds a secret: HF_TOKEN,
// WANDB_API_KEY, --password, aws_secret_access_key, ...; a table of patterns
// over the words of the name. "tokens_per_s" and "key_parts" do not.
bool IsSecretName(std::string_view name);

// TEXT with what looks like a secret replaced by "***": NAME=value and
// --name=value of secret names, and the password of scheme://user:password@.
std::string MaskSecrets(std::string_view text);

// The values in ARGV that are secrets by their flag: of --name=value and of
// --name value.
std::vector<std::string> SecretArguments(const std::vector<std::string>& argv);

// The same for every string of a document; besides, all that stands under a
// secret name, and the argument that follows a secret flag in an array.
Json MaskDocument(const Json& document);

// The same for a document as text; kInvalidArgument, beginning with WHAT, where
// it is none.
Result<std::string> MaskJson(std::string_view text, std::string_view what);

}  // namespace zs::results

#endif  // RESULTS_STORE_MASK_H_
