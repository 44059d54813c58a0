// SPDX-License-Identifier: Apache-2.0
#pragma once
// Norms of every parameter over the steps of a training, in bounded memory.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/fields.h"

namespace loupe::session {

// l2 norms of one parameter at one step.
struct ParameterNorms {
    static constexpr float kNone = -1;
    float gradient = kNone;  // before clipping; kNone: backward gave it none
    float update = 0;        // what the optimiser moved it by
    float weight = 0;        // before the step
};
auto fields(Like<ParameterNorms> auto& it) { return std::tie(it.gradient, it.update, it.weight); }

enum class NormKind { Gradient, Update, Ratio, Weight };  // Ratio: update to weight

// Norms reduced to what can be drawn.
struct NormMap {
    // A value a bucket of steps and parameter, parameters next to each other: the greatest of the bucket. NaN and Inf
    // where one of its steps had such a norm; kNone without a gradient, or without a step.
    std::vector<double> values;
    std::size_t buckets = 0;
    std::size_t parameters = 0;
    double at(std::size_t bucket, std::size_t parameter) const { return values[bucket * parameters + parameter]; }
};

// A row a step. When they pass the budget, rows behind the first kDense are merged two by two: of both the greatest
// norms, so that nothing that stood out is lost. The caller locks.
class NormHistory {
  public:
    static constexpr std::size_t kDense = 100;
    static constexpr std::size_t kBudget = std::size_t{64} << 20;
    explicit NormHistory(std::vector<std::string> names = {}, std::size_t budget = kBudget)
        : names_(std::move(names)), budget_(budget) {}

    const std::vector<std::string>& names() const { return names_; }
    // As many as there are names.
    void add(std::int64_t step, std::span<const ParameterNorms> norms);
    bool is_empty() const { return first_.empty(); }
    std::int64_t first_step() const { return first_.empty() ? 0 : first_.front(); }
    std::int64_t last_step() const { return last_; }
    // Steps that a row behind the first kDense stands for.
    std::int64_t stride() const { return stride_; }
    // Bucket b: steps in [edges[b], edges[b + 1]). A row counts in each bucket that holds one of its steps.
    NormMap map(NormKind kind, std::span<const std::int64_t> edges) const;
    // Of the row that holds the step; empty without one.
    std::vector<ParameterNorms> at(std::int64_t step) const;
    // Those until the step, as a history of their own.
    NormHistory until(std::int64_t step) const;
    // Of one that came as bytes: do its rows belong together?
    bool is_sound() const;

  private:
    friend auto fields(Like<NormHistory> auto& it);

    std::size_t row_of(std::int64_t step) const;
    std::int64_t last_of(std::size_t row) const { return row + 1 < first_.size() ? first_[row + 1] - 1 : last_; }
    void merge();

    std::vector<std::string> names_;
    std::size_t budget_;
    std::vector<std::int64_t> first_;     // step of each row; it stands for those until the next row's
    std::vector<ParameterNorms> values_;  // row-major
    std::int64_t last_ = 0;
    std::int64_t stride_ = 1;
};

auto fields(Like<NormHistory> auto& it) {
    return std::tie(it.names_, it.budget_, it.first_, it.values_, it.last_, it.stride_);
}

}  // namespace loupe::session
