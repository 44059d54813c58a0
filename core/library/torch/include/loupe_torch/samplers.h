// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::data::samplers: in what order a loader asks for examples.

#include <optional>
#include <vector>

#include <loupe_torch/archive.h>
#include <loupe_torch/functions.h>

namespace torch::data::samplers {

template <typename BatchRequest = std::vector<std::size_t>>
class Sampler {
  public:
    using BatchRequestType = BatchRequest;
    virtual ~Sampler() = default;
    // Begins an epoch, of another number of examples if one is given.
    virtual void reset(std::optional<std::size_t> new_size) = 0;
    // None at the end of the epoch.
    virtual std::optional<BatchRequest> next(std::size_t batch_size) = 0;
    virtual void save(serialize::OutputArchive& archive) const = 0;
    virtual void load(serialize::InputArchive& archive) = 0;
};
template <typename BatchRequest>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Sampler<BatchRequest>& sampler) {
    sampler.save(archive);
    return archive;
}
template <typename BatchRequest>
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Sampler<BatchRequest>& sampler) {
    sampler.load(archive);
    return archive;
}

// Each number once, in random order.
class RandomSampler : public Sampler<> {
  public:
    explicit RandomSampler(std::int64_t size, c10::ScalarType index_dtype = c10::kLong);
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
    void save(serialize::OutputArchive& archive) const override;
    void load(serialize::InputArchive& archive) override;
    std::size_t index() const noexcept { return static_cast<std::size_t>(index_); }

  private:
    at::Tensor indices_;
    std::int64_t index_ = 0;
};

class SequentialSampler : public Sampler<> {
  public:
    explicit SequentialSampler(std::size_t size) : size_(size) {}
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
    void save(serialize::OutputArchive& archive) const override;
    void load(serialize::InputArchive& archive) override;
    std::size_t index() const noexcept { return index_; }

  private:
    std::size_t size_;
    std::size_t index_ = 0;
};

struct CustomBatchRequest {
    virtual ~CustomBatchRequest() = default;
    virtual std::size_t size() const = 0;
};
struct BatchSize : public CustomBatchRequest {
    explicit BatchSize(std::size_t count) : size_(count) {}
    std::size_t size() const noexcept override { return size_; }
    operator std::size_t() const noexcept { return size_; }
    std::size_t size_;
};
// How many examples of a stream, epoch_size in all.
class StreamSampler : public Sampler<BatchSize> {
  public:
    explicit StreamSampler(std::size_t epoch_size) : epoch_size_(epoch_size) {}
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<BatchSize> next(std::size_t batch_size) override;
    void save(serialize::OutputArchive& archive) const override;
    void load(serialize::InputArchive& archive) override;

  private:
    std::size_t retrieved_ = 0;
    std::size_t epoch_size_;
};

// The share of a rank. Where the shares are not equal: with allow_duplicates examples come twice, else some are left
// out.
template <typename BatchRequest = std::vector<std::size_t>>
class DistributedSampler : public Sampler<BatchRequest> {
  public:
    DistributedSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                       bool allow_duplicates = true)
        : size_(size), num_replicas_(num_replicas), rank_(rank), allow_duplicates_(allow_duplicates) {}
    // The order of random samplers depends on it.
    void set_epoch(std::size_t epoch) { epoch_ = epoch; }
    std::size_t epoch() const { return epoch_; }

  protected:
    std::size_t local_sample_count() const {
        return allow_duplicates_ ? (size_ + num_replicas_ - 1) / num_replicas_ : size_ / num_replicas_;
    }
    std::size_t size_, num_replicas_, rank_;
    std::size_t epoch_ = 0;
    bool allow_duplicates_;
};

class DistributedSequentialSampler : public DistributedSampler<> {
  public:
    DistributedSequentialSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                                 bool allow_duplicates = true);
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
    void save(serialize::OutputArchive& archive) const override;
    void load(serialize::InputArchive& archive) override;
    // Of the next example, in the order of all ranks.
    std::size_t index() const noexcept { return index_; }

  protected:
    // Puts all numbers in order, each rank's after those of the rank before.
    void list_indices();
    std::size_t begin_index() const { return rank_ * local_sample_count(); }
    std::vector<std::size_t> all_indices_;
    std::size_t index_ = 0;
};
// In another order each epoch.
class DistributedRandomSampler : public DistributedSequentialSampler {
  public:
    DistributedRandomSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                             bool allow_duplicates = true);
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    void save(serialize::OutputArchive& archive) const override;
    void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::data::samplers
