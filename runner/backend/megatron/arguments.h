// The arguments of Megatron-LM's pretraining script for an experiment.
#ifndef RUNNER_BACKEND_MEGATRON_ARGUMENTS_H_
#define RUNNER_BACKEND_MEGATRON_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/api/run_config.h"
#include "runner/backend/megatron/stage_flags.h"
#include "runner/backend/megatron/version.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// Rows of the embedding as Megatron-LM pads it: the vocabulary rounded up to a
// multiple of 128 x the tensor parallel size.
int64_t PaddedVocabulary(int64_t vocab, int tensor_parallel);

// The vocabulary that NullTokenizer has to be told so that the model gets
// VOCAB rows: up to 0.17 it adds one for its end-of-document token.
int64_t NullTokenizerVocabulary(int64_t vocab, const MegatronVersion& version);

// Model, data, training, parallelism, stage, checkpoint and logging, in that
// order, then the experiment's own. STAGE is possible. Every iteration prints
// its line; a checkpoint that is to be loaded must be there.
std::vector<std::string> MegatronArguments(const Experiment& experiment,
                                           const MegatronVersion& version,
                                           const StagePlan& stage,
                                           const CheckpointConfig& checkpoint);

}  // namespace zs

#endif  // RUNNER_BACKEND_MEGATRON_ARGUMENTS_H_
