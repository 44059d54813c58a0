// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/strings.h"
#include "core/data/error.h"
#include "core/dispatch/functions.h"

namespace loupe::data {
namespace {

thread_local const WorkerInfo* current_worker = nullptr;

class ChainStream final : public SampleStream {
  public:
    explicit ChainStream(std::vector<IterableDatasetPtr> parts) : parts_(std::move(parts)) {}
    std::optional<IValue> next() override {
        while (true) {
            if (!current_) {
                if (part_ == parts_.size()) return std::nullopt;
                current_ = parts_[part_++]->iterate();
            }
            if (auto sample = current_->next()) return sample;
            current_ = nullptr;
        }
    }

  private:
    std::vector<IterableDatasetPtr> parts_;
    std::size_t part_ = 0;
    Ptr<SampleStream> current_;
};

// math.isclose(a, 1).
bool is_one(double a) { return std::fabs(a - 1) <= 1e-9 * std::max(std::fabs(a), 1.0); }

}  // namespace

IValue Dataset::get_by_key(const IValue& key) const { return get(key.to_int()); }

std::optional<std::vector<IValue>> Dataset::get_together(const std::vector<IValue>&) const { return std::nullopt; }

std::string Dataset::place_of(std::int64_t) const { return {}; }

TensorDataset::TensorDataset(TensorList tensors) : tensors_(std::move(tensors)) {
    if (tensors_.empty()) throw_index_error("tuple index out of range");
    for (const Tensor& each : tensors_) {
        if (each.size(0) != tensors_.front().size(0))
            throw ArgumentError("AssertionError", "Size mismatch between tensors");
    }
}

IValue TensorDataset::get(std::int64_t index) const {
    std::vector<IValue> row;
    row.reserve(tensors_.size());
    for (const Tensor& each : tensors_) row.push_back(fn::select(each, 0, index));
    return make_ptr<TupleObject>(std::move(row));
}

ConcatDataset::ConcatDataset(std::vector<DatasetPtr> parts) : parts_(std::move(parts)) {
    if (parts_.empty()) throw ArgumentError("AssertionError", "datasets should not be an empty iterable");
    std::int64_t end = 0;
    for (const auto& part : parts_) ends_.push_back(end += part->size());
}

std::pair<const Dataset*, std::int64_t> ConcatDataset::locate(std::int64_t index) const {
    if (index < 0) {
        if (-index > size()) throw_value_error("absolute value of index should not exceed dataset length");
        index += size();
    }
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), index);
    if (end == ends_.end()) throw_index_error("list index out of range");
    const auto part = static_cast<std::size_t>(end - ends_.begin());
    return {parts_[part].get(), part == 0 ? index : index - ends_[part - 1]};
}

IValue ConcatDataset::get(std::int64_t index) const {
    const auto [part, place] = locate(index);
    return part->get(place);
}

std::string ConcatDataset::place_of(std::int64_t index) const {
    const auto [part, place] = locate(index);
    return part->place_of(place);
}

bool ConcatDataset::is_bound_to_thread() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->is_bound_to_thread(); });
}

Ptr<SampleStream> ChainDataset::iterate() const { return make_ptr<ChainStream>(parts_); }

std::optional<std::int64_t> ChainDataset::size() const {
    std::int64_t total = 0;
    for (const auto& part : parts_) {
        const auto size = part->size();
        if (!size) return std::nullopt;
        total += *size;
    }
    return total;
}

bool ChainDataset::is_bound_to_thread() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->is_bound_to_thread(); });
}

std::int64_t Subset::at(std::int64_t index) const {
    const std::int64_t wrapped = index < 0 ? index + size() : index;
    if (wrapped < 0 || wrapped >= size()) throw_index_error("list index out of range");
    return indices_[static_cast<std::size_t>(wrapped)];
}

std::vector<std::int64_t> split_lengths(std::int64_t total, const std::vector<double>& lengths) {
    const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
    std::vector<std::int64_t> sizes;
    if (is_one(sum) && sum <= 1) {
        std::int64_t given = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            if (!(lengths[i] >= 0 && lengths[i] <= 1))
                throw_value_error(concat("Fraction at index ", i, " is not between 0 and 1"));
            sizes.push_back(static_cast<std::int64_t>(std::floor(static_cast<double>(total) * lengths[i])));
            given += sizes.back();
        }
        for (std::int64_t i = 0; i < total - given; ++i) ++sizes[static_cast<std::size_t>(i) % sizes.size()];
        given = total;
    } else {
        for (const double length : lengths) sizes.push_back(static_cast<std::int64_t>(length));
    }
    const bool is_whole = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) == total;
    const bool has_negative = std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 0; });
    if (!is_whole || has_negative)
        throw_value_error("Sum of input lengths does not equal the length of the input dataset!");
    return sizes;
}

std::vector<std::int64_t> random_permutation(std::int64_t n, MersenneTwister& generator) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        std::swap(order[i], order[i + static_cast<std::size_t>(generator.next32() % (order.size() - i))]);
    }
    return order;
}

std::vector<Ptr<Subset>> random_split(const DatasetPtr& source, const std::vector<double>& lengths,
                                      MersenneTwister* generator) {
    const std::vector<std::int64_t> sizes = split_lengths(source->size(), lengths);
    const auto order = random_permutation(source->size(), generator != nullptr ? *generator : default_generator());
    std::vector<Ptr<Subset>> parts;
    auto begin = order.begin();
    for (const std::int64_t size : sizes) {
        parts.push_back(make_ptr<Subset>(source, std::vector<std::int64_t>(begin, begin + size)));
        begin += size;
    }
    return parts;
}

const WorkerInfo* worker_info() { return current_worker; }

WorkerScope::WorkerScope(const WorkerInfo& info) : info_(current_worker, &info), generator_(info.generator) {}

}  // namespace loupe::data
