// SPDX-License-Identifier: Apache-2.0
#include "core/data/sampler.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/data/dataset.h"
#include "core/data/error.h"
#include "core/dispatch/functions.h"

namespace loupe::data {
namespace {

const OperatorHandle<> randint("aten::randint.generator");
const OperatorHandle<> multinomial("aten::multinomial");
const OperatorHandle<> random_("aten::random_");

IValue value_of(const Ptr<MersenneTwister>& generator) { return generator ? IValue::other(generator) : IValue(); }

[[noreturn]] void refuse_samples(std::int64_t count) {
    throw_value_error(concat("num_samples should be a positive integer value, but got num_samples=", count));
}

class Counting final : public KeyStream {
  public:
    explicit Counting(std::int64_t end) : end_(end) {}
    std::optional<IValue> next() override { return at_ < end_ ? std::optional<IValue>(at_++) : std::nullopt; }

  private:
    std::int64_t at_ = 0;
    std::int64_t end_;
};

// Keys that are drawn some at a time.
class Drawing : public KeyStream {
  public:
    std::optional<IValue> next() override {
        while (at_ == drawn_.size()) {
            at_ = 0;
            drawn_.clear();
            if (!draw(drawn_)) return std::nullopt;
        }
        return drawn_[at_++];
    }

  protected:
    // False: there are no more.
    virtual bool draw(std::vector<IValue>& out) = 0;

  private:
    std::vector<IValue> drawn_;
    std::size_t at_ = 0;
};

class RandomDrawing final : public Drawing {
  public:
    RandomDrawing(std::int64_t size, bool replacement, std::int64_t count, Ptr<MersenneTwister> generator)
        : size_(size), replacement_(replacement), rest_(count), generator_(std::move(generator)) {}

  protected:
    bool draw(std::vector<IValue>& out) override {
        if (is_done_) return false;
        if (!generator_) generator_ = make_ptr<MersenneTwister>(static_cast<std::uint64_t>(draw_seed()));
        replacement_ ? draw_independent(out) : draw_permutation(out);
        return true;
    }

  private:
    // In blocks of 32, as PyTorch, so that the generator is left where PyTorch leaves it.
    void draw_independent(std::vector<IValue>& out) {
        const std::int64_t count = std::min<std::int64_t>(rest_, 32);
        is_done_ = rest_ < 32;
        const Tensor drawn = randint(size_, Dims{count}, value_of(generator_), IValue(), IValue(), IValue(), IValue());
        for (std::int64_t i = 0; i < count; ++i) out.emplace_back(drawn.data<std::int64_t>()[i]);
        rest_ -= count;
    }
    void draw_permutation(std::vector<IValue>& out) {
        const auto order = random_permutation(size_, *generator_);
        const std::int64_t count = std::min(rest_, size_);
        is_done_ = rest_ < size_;
        out.assign(order.begin(), order.begin() + count);
        rest_ -= count;
    }

    std::int64_t size_;
    bool replacement_;
    std::int64_t rest_;
    Ptr<MersenneTwister> generator_;
    bool is_done_ = false;
};

class SubsetDrawing final : public Drawing {
  public:
    SubsetDrawing(std::vector<IValue> indices, Ptr<MersenneTwister> generator)
        : indices_(std::move(indices)), generator_(std::move(generator)) {}

  protected:
    bool draw(std::vector<IValue>& out) override {
        if (std::exchange(is_done_, true)) return false;
        const auto count = static_cast<std::int64_t>(indices_.size());
        for (const std::int64_t i : random_permutation(count, generator_ ? *generator_ : default_generator())) {
            out.push_back(indices_[static_cast<std::size_t>(i)]);
        }
        return true;
    }

  private:
    std::vector<IValue> indices_;
    Ptr<MersenneTwister> generator_;
    bool is_done_ = false;
};

class WeightedDrawing final : public Drawing {
  public:
    WeightedDrawing(Tensor weights, std::int64_t count, bool replacement, Ptr<MersenneTwister> generator)
        : weights_(std::move(weights)), count_(count), replacement_(replacement), generator_(std::move(generator)) {}

  protected:
    bool draw(std::vector<IValue>& out) override {
        if (std::exchange(is_done_, true)) return false;
        const Tensor drawn = fn::contiguous(multinomial(weights_, count_, replacement_, value_of(generator_)), 0);
        for (std::int64_t i = 0; i < count_; ++i) out.emplace_back(drawn.data<std::int64_t>()[i]);
        return true;
    }

  private:
    Tensor weights_;
    std::int64_t count_;
    bool replacement_;
    Ptr<MersenneTwister> generator_;
    bool is_done_ = false;
};

class Batching final : public BatchKeyStream {
  public:
    Batching(Ptr<KeyStream> keys, std::size_t size, bool drop_last)
        : keys_(std::move(keys)), size_(size), drop_last_(drop_last) {}
    std::optional<Keys> next() override {
        Keys batch;
        while (batch.size() < size_) {
            auto key = keys_->next();
            if (!key) break;
            batch.push_back(std::move(*key));
        }
        if (batch.empty() || (drop_last_ && batch.size() < size_)) return std::nullopt;
        return batch;
    }

  private:
    Ptr<KeyStream> keys_;
    std::size_t size_;
    bool drop_last_;
};

}  // namespace

std::int64_t draw_seed(MersenneTwister* generator) {
    const IValue given = generator != nullptr ? IValue::other(Ptr<RefCounted>(generator)) : IValue();
    return item(random_(empty({}, ScalarType::Int64), given)).to<std::int64_t>();
}

Ptr<KeyStream> SequentialSampler::iterate() { return make_ptr<Counting>(size_); }

RandomSampler::RandomSampler(std::int64_t size, bool replacement, std::optional<std::int64_t> num_samples,
                             Ptr<MersenneTwister> generator)
    : size_(size),
      replacement_(replacement),
      num_samples_(num_samples.value_or(size)),
      generator_(std::move(generator)) {
    if (num_samples_ <= 0 || size_ <= 0) refuse_samples(num_samples_);
}

Ptr<KeyStream> RandomSampler::iterate() {
    return make_ptr<RandomDrawing>(size_, replacement_, num_samples_, generator_);
}

Ptr<KeyStream> SubsetRandomSampler::iterate() { return make_ptr<SubsetDrawing>(indices_, generator_); }

WeightedRandomSampler::WeightedRandomSampler(const Tensor& weights, std::int64_t num_samples, bool replacement,
                                             Ptr<MersenneTwister> generator)
    : weights_(fn::to_dtype(weights, static_cast<std::int64_t>(ScalarType::Float64))),
      num_samples_(num_samples),
      replacement_(replacement),
      generator_(std::move(generator)) {
    if (num_samples_ <= 0) refuse_samples(num_samples_);
    if (weights_.dim() == 1) return;
    const std::string comma = weights_.dim() == 1 ? "," : "";
    throw_value_error(concat("weights should be a 1d sequence but given weights have shape (",
                             join(weights_.sizes(), ", "), comma, ")"));
}

Ptr<KeyStream> WeightedRandomSampler::iterate() {
    return make_ptr<WeightedDrawing>(weights_, num_samples_, replacement_, generator_);
}

BatchSampler::BatchSampler(SamplerPtr sampler, std::int64_t batch_size, bool drop_last)
    : sampler_(std::move(sampler)), batch_size_(batch_size), drop_last_(drop_last) {
    if (batch_size_ <= 0)
        throw_value_error(concat("batch_size should be a positive integer value, but got batch_size=", batch_size_));
}

Ptr<BatchKeyStream> BatchSampler::iterate() {
    return make_ptr<Batching>(sampler_->iterate(), static_cast<std::size_t>(batch_size_), drop_last_);
}

std::optional<std::int64_t> BatchSampler::size() const {
    const auto samples = sampler_->size();
    if (!samples) return std::nullopt;
    return drop_last_ ? *samples / batch_size_ : (*samples + batch_size_ - 1) / batch_size_;
}

}  // namespace loupe::data
