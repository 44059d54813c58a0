// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order of samples: torch.utils.data.Sampler and related classes, with PyTorch's numbers for the same seed.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ops/random/mersenne_twister.h"
#include "core/value/ivalue.h"

namespace loupe::data {

// Keys of samples: mostly numbers. Random numbers are drawn with the first key, as in PyTorch.
class KeyStream : public RefCounted {
  public:
    virtual std::optional<IValue> next() = 0;
};
class Sampler : public RefCounted {
  public:
    virtual Ptr<KeyStream> iterate() = 0;
    // nullopt: not known.
    virtual std::optional<std::int64_t> size() const = 0;
};
using SamplerPtr = Ptr<Sampler>;

// Keys of the samples of a batch.
using Keys = std::vector<IValue>;
class BatchKeyStream : public RefCounted {
  public:
    virtual std::optional<Keys> next() = 0;
};
class BatchKeys : public RefCounted {
  public:
    virtual Ptr<BatchKeyStream> iterate() = 0;
    virtual std::optional<std::int64_t> size() const = 0;
};
using BatchKeysPtr = Ptr<BatchKeys>;

class SequentialSampler final : public Sampler {
  public:
    explicit SequentialSampler(std::int64_t size) : size_(size) {}
    Ptr<KeyStream> iterate() override;
    std::optional<std::int64_t> size() const override { return size_; }

  private:
    std::int64_t size_;
};

// A new order each pass; with replacement, num_samples draws. Null generator: one with a seed drawn from the default
// one.
class RandomSampler final : public Sampler {
  public:
    // Throws ArgumentError (ValueError) "num_samples should be a positive integer value, ...".
    explicit RandomSampler(std::int64_t size, bool replacement = false, std::optional<std::int64_t> num_samples = {},
                           Ptr<MersenneTwister> generator = nullptr);
    Ptr<KeyStream> iterate() override;
    std::optional<std::int64_t> size() const override { return num_samples_; }

  private:
    std::int64_t size_;
    bool replacement_;
    std::int64_t num_samples_;
    Ptr<MersenneTwister> generator_;
};

// Those indices in a random order.
class SubsetRandomSampler final : public Sampler {
  public:
    explicit SubsetRandomSampler(std::vector<IValue> indices, Ptr<MersenneTwister> generator = nullptr)
        : indices_(std::move(indices)), generator_(std::move(generator)) {}
    Ptr<KeyStream> iterate() override;
    std::optional<std::int64_t> size() const override { return static_cast<std::int64_t>(indices_.size()); }

  private:
    std::vector<IValue> indices_;
    Ptr<MersenneTwister> generator_;
};

// By torch.multinomial.
class WeightedRandomSampler final : public Sampler {
  public:
    // weights: [N]. Throws ArgumentError (ValueError) with PyTorch's messages.
    WeightedRandomSampler(const Tensor& weights, std::int64_t num_samples, bool replacement = true,
                          Ptr<MersenneTwister> generator = nullptr);
    Ptr<KeyStream> iterate() override;
    std::optional<std::int64_t> size() const override { return num_samples_; }

  private:
    Tensor weights_;
    std::int64_t num_samples_;
    bool replacement_;
    Ptr<MersenneTwister> generator_;
};

class BatchSampler final : public BatchKeys {
  public:
    // Throws ArgumentError (ValueError) for a batch size that is not positive.
    BatchSampler(SamplerPtr sampler, std::int64_t batch_size, bool drop_last = false);
    Ptr<BatchKeyStream> iterate() override;
    std::optional<std::int64_t> size() const override;

  private:
    SamplerPtr sampler_;
    std::int64_t batch_size_;
    bool drop_last_;
};

// torch.empty((), dtype=torch.int64).random_(generator=generator).item(); null: the default one.
std::int64_t draw_seed(MersenneTwister* generator = nullptr);

}  // namespace loupe::data
