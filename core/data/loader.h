// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches out of a data set, with threads that prepare them ahead: torch.utils.data.DataLoader.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/loader_options.h"

namespace loupe::data {

// One pass over the data, for one thread.
class BatchStream : public RefCounted {
  public:
    // nullopt at the end. Throws the error of making the batch, in order, with the sample and the worker named before
    // the original text; the next call returns the batch after it. Throws Error (Run) "DataLoader timed out
    // after 5 seconds", Error (Cancelled) when this thread is cancelled.
    virtual std::optional<IValue> next() = 0;
    // Left out until now.
    virtual const std::vector<SkippedSample>& skipped() const = 0;
};

class WorkerPool;

class DataLoader {
  public:
    // Throw ArgumentError (ValueError) with PyTorch's messages for options that do not go together.
    DataLoader(DatasetPtr dataset, LoaderOptions options);
    DataLoader(IterableDatasetPtr dataset, LoaderOptions options);
    ~DataLoader();

    // Batches in a pass. Throws ArgumentError (TypeError) when unknown.
    std::int64_t size() const;
    // Workers start immediately. Destroying the stream stops them after their current samples.
    Ptr<BatchStream> iterate();
    const LoaderOptions& options() const { return options_; }

  private:
    void check_options() const;

    DatasetPtr dataset_;  // one of these two
    IterableDatasetPtr iterable_;
    LoaderOptions options_;
    std::shared_ptr<WorkerPool> pool_;  // of persistent workers
};

}  // namespace loupe::data
