// SPDX-License-Identifier: Apache-2.0
#pragma once
// Data sets: torch.utils.data.Dataset and related classes.
//
//     const auto data = make_ptr<TensorDataset>(TensorList{images, labels});
//     const auto parts = random_split(data, {0.8, 0.2});
//     DataLoader loader(parts[0], {.batch_size = 32, .shuffle = true, .num_workers = 2});

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ref_counted.h"
#include "core/base/scoped_value.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/value/ivalue.h"

namespace loupe::data {

// Samples by number. A sample is any value: a tensor, a tuple (input, target), a dict.
class Dataset : public RefCounted {
  public:
    virtual std::int64_t size() const = 0;
    // The sample at 0 <= index < size(). Worker threads call it at the same time, unless is_bound_to_thread(). Throws
    // ArgumentError (IndexError) outside, Error (File) for a damaged record.
    virtual IValue get(std::int64_t index) const = 0;
    // For samplers whose keys are no numbers. The default accepts numbers only.
    virtual IValue get_by_key(const IValue& key) const;
    // All samples of a batch at once, where that is faster; nullopt: one by one.
    virtual std::optional<std::vector<IValue>> get_together(const std::vector<IValue>& keys) const;
    // Must samples be read on the thread that requests batches? Then workers are simulated there.
    virtual bool is_bound_to_thread() const { return false; }
    // The origin of a sample, for messages: "train/cat/3.png". Empty: only its number is known.
    virtual std::string place_of(std::int64_t index) const;
};
using DatasetPtr = Ptr<Dataset>;

// Samples one after the other.
class SampleStream : public RefCounted {
  public:
    virtual std::optional<IValue> next() = 0;
};
class IterableDataset : public RefCounted {
  public:
    // A new pass. In a worker thread worker_info() identifies it; every worker has its own stream.
    virtual Ptr<SampleStream> iterate() const = 0;
    virtual std::optional<std::int64_t> size() const { return std::nullopt; }
    virtual bool is_bound_to_thread() const { return false; }
};
using IterableDatasetPtr = Ptr<IterableDataset>;

// Rows of tensors of the same first size: a tuple with a row of each.
class TensorDataset final : public Dataset {
  public:
    // Throws ArgumentError (AssertionError) "Size mismatch between tensors".
    explicit TensorDataset(TensorList tensors);
    std::int64_t size() const override { return tensors_.front().size(0); }
    IValue get(std::int64_t index) const override;

  private:
    TensorList tensors_;
};

// Samples that a function makes.
class FunctionDataset final : public Dataset {
  public:
    using Function = std::function<IValue(std::int64_t index)>;
    FunctionDataset(std::int64_t size, Function function) : size_(size), function_(std::move(function)) {}
    std::int64_t size() const override { return size_; }
    IValue get(std::int64_t index) const override { return function_(index); }

  private:
    std::int64_t size_;
    Function function_;
};

// The samples of another data set, mapped by a function. Random functions draw from default_generator(), the worker's
// own.
class MapDataset final : public Dataset {
  public:
    using Function = std::function<IValue(IValue sample)>;
    MapDataset(DatasetPtr source, Function function) : source_(std::move(source)), function_(std::move(function)) {}
    std::int64_t size() const override { return source_->size(); }
    IValue get(std::int64_t index) const override { return function_(source_->get(index)); }
    bool is_bound_to_thread() const override { return source_->is_bound_to_thread(); }
    std::string place_of(std::int64_t index) const override { return source_->place_of(index); }

  private:
    DatasetPtr source_;
    Function function_;
};

// One after the other. A negative index counts from the end.
class ConcatDataset final : public Dataset {
  public:
    // Throws ArgumentError (AssertionError) for none.
    explicit ConcatDataset(std::vector<DatasetPtr> parts);
    std::int64_t size() const override { return ends_.back(); }
    IValue get(std::int64_t index) const override;
    bool is_bound_to_thread() const override;
    std::string place_of(std::int64_t index) const override;

  private:
    std::pair<const Dataset*, std::int64_t> locate(std::int64_t index) const;

    std::vector<DatasetPtr> parts_;
    std::vector<std::int64_t> ends_;
};

// Streams one after the other.
class ChainDataset final : public IterableDataset {
  public:
    explicit ChainDataset(std::vector<IterableDatasetPtr> parts) : parts_(std::move(parts)) {}
    Ptr<SampleStream> iterate() const override;
    std::optional<std::int64_t> size() const override;
    bool is_bound_to_thread() const override;

  private:
    std::vector<IterableDatasetPtr> parts_;
};

class Subset final : public Dataset {
  public:
    Subset(DatasetPtr source, std::vector<std::int64_t> indices)
        : source_(std::move(source)), indices_(std::move(indices)) {}
    std::int64_t size() const override { return static_cast<std::int64_t>(indices_.size()); }
    IValue get(std::int64_t index) const override { return source_->get(at(index)); }
    bool is_bound_to_thread() const override { return source_->is_bound_to_thread(); }
    std::string place_of(std::int64_t index) const override { return source_->place_of(at(index)); }
    const std::vector<std::int64_t>& indices() const { return indices_; }

  private:
    std::int64_t at(std::int64_t index) const;

    DatasetPtr source_;
    std::vector<std::int64_t> indices_;
};

// Lengths for random_split: counts that add up to `total`, or fractions that add up to 1, whose remainder is
// distributed round-robin from the first. Throws ArgumentError (ValueError) with PyTorch's messages.
std::vector<std::int64_t> split_lengths(std::int64_t total, const std::vector<double>& lengths);
// Parts without a common sample, in the order of torch.randperm; null generator: the default one.
std::vector<Ptr<Subset>> random_split(const DatasetPtr& source, const std::vector<double>& lengths,
                                      MersenneTwister* generator = nullptr);
// torch.randperm(n).
std::vector<std::int64_t> random_permutation(std::int64_t n, MersenneTwister& generator);

// torch.utils.data.get_worker_info(): null outside of workers.
struct WorkerInfo {
    int id = 0;
    int num_workers = 1;
    std::uint64_t seed = 0;  // of this worker in this pass
    Ptr<MersenneTwister> generator{};
};
const WorkerInfo* worker_info();

// Sets worker_info() and the default generator of this thread.
class WorkerScope {
  public:
    explicit WorkerScope(const WorkerInfo& info);

  private:
    ScopedValue<const WorkerInfo*> info_;
    DefaultGeneratorScope generator_;
};

}  // namespace loupe::data
