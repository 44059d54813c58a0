// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a training is fed with, on the engine's side.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/train/training.h"
#include "core/value/ivalue.h"

namespace loupe::session {

struct TrainingBatch {
    std::vector<IValue> inputs;  // arguments of forward
    IValue target;               // None where there is none
    std::int64_t count = 0;      // examples
};

// Batches, epoch after epoch.
class TrainingData {
  public:
    virtual ~TrainingData() = default;
    virtual std::int64_t size() const = 0;     // examples
    virtual std::int64_t batches() const = 0;  // an epoch
    virtual void begin_epoch() = 0;
    // nullopt at the end of the epoch. Throws what reading throws.
    virtual std::optional<TrainingBatch> next() = 0;
};

struct TrainingSets {
    std::unique_ptr<TrainingData> training;
    std::unique_ptr<TrainingData> held_out;  // null: none is kept aside
    std::string summary;                     // "1797 examples of x 1x8x8 float32, y int64"
};
// Order and parts are drawn from the default generator, as PyTorch's are. Throws what opening the source throws.
TrainingSets open_training_data(const TrainOptions& options);

}  // namespace loupe::session
