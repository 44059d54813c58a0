// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches out of a data set, with threads that prepare them ahead: torch.utils.data.DataLoader.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/collate.h"
#include "core/data/dataset.h"
#include "core/data/sampler.h"

namespace loupe::data {

// What to do with a sample whose file or record is damaged.
enum class OnDamage {
    Stop,  // the error comes out of next()
    Skip,  // the batch goes without it; see BatchStream::skipped()
};

struct LoaderOptions {
    std::optional<std::int64_t> batch_size = 1;  // nullopt: samples as they are, without batches
    bool shuffle = false;
    SamplerPtr sampler = nullptr;            // instead of shuffle
    BatchKeysPtr batch_sampler = nullptr;    // instead of batch_size, shuffle, sampler and drop_last
    int num_workers = 0;                     // 0: samples are made when next() is called
    Collate collate = nullptr;               // null: default_collate, without batches default_convert
    bool pin_memory = false;                 // kept for who copies batches to a device; CPU memory is what it is
    bool drop_last = false;
    double timeout = 0;                      // seconds that next() waits for a worker; 0: no limit
    std::function<void(int worker)> worker_init = nullptr;  // in the worker's thread, before its first batch
    Ptr<Generator> generator = nullptr;      // of the order and of the workers' seeds; null: the default one
    int prefetch_factor = 2;                 // batches a worker is ahead
    bool persistent_workers = false;         // threads live on between passes
    OnDamage on_damage = OnDamage::Stop;
};

struct SkippedSample {
    IValue key;
    std::string message;
};

// One pass over the data. Asked by one thread.
class BatchStream : public RefCounted {
  public:
    // nullopt at the end. Throws what making the batch threw, in its place of the order, with the sample and the worker
    // named before the original text; the next call gives the batch after it. Throws Error (Run) "DataLoader timed out
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

    // Batches in a pass. Throws ArgumentError (TypeError) when nobody knows.
    std::int64_t size() const;
    // Workers begin at once. Ending the stream early stops them after the samples under way.
    Ptr<BatchStream> iterate();
    const LoaderOptions& options() const { return options_; }

  private:
    void check_options() const;

    DatasetPtr dataset_;           // one of these two
    IterableDatasetPtr iterable_;
    LoaderOptions options_;
    std::shared_ptr<WorkerPool> pool_;  // of persistent workers
};

}  // namespace loupe::data
