// SPDX-License-Identifier: Apache-2.0
#pragma once
// Data as batches for a model: what a training is fed with, and where the loss of a single run takes its targets from.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/data_sources.h"
#include "core/value/ivalue.h"

namespace loupe::session {

struct DataBatch {
    std::vector<IValue> inputs;  // arguments of forward
    IValue target;               // None where there is none
    std::int64_t count = 0;      // examples
};

// Batches, epoch after epoch.
class DataBatches {
  public:
    virtual ~DataBatches() = default;
    virtual std::int64_t size() const = 0;     // examples
    virtual std::int64_t batches() const = 0;  // an epoch
    virtual void begin_epoch() = 0;
    // nullopt at the end of the epoch. Throws what reading throws.
    virtual std::optional<DataBatch> next() = 0;
};

struct BatchOptions {
    double held_out = 0;  // this part of the examples is kept aside
    std::int64_t batch_size = 32;
    bool shuffle = true;
    bool drop_last = false;
    int workers = 0;            // threads that load ahead
    bool skip_damaged = false;  // samples that cannot be read are left out; else reading throws there
    std::uint64_t seed = 0;     // of data that is made up
};

struct BatchedData {
    std::unique_ptr<DataBatches> training;
    std::unique_ptr<DataBatches> held_out;  // null: none is kept aside
    std::string summary;                    // "1797 examples of x 1x8x8 float32, y int64"
};
// Order and parts are drawn from the default generator, as PyTorch's are. Throws what opening the source throws.
BatchedData open_batches(const DataSpec& data, const BatchOptions& options);

}  // namespace loupe::session
