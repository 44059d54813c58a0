// SPDX-License-Identifier: Apache-2.0
#include "core/train/training_norms.h"

#include <algorithm>
#include <cmath>

namespace loupe::session {
namespace {

// NaN wins, then the greater.
float greater(float a, float b) { return std::isnan(a) || a > b ? a : b; }
double greater(double a, double b) { return std::isnan(a) || a > b ? a : b; }

void take_greater(ParameterNorms& to, const ParameterNorms& from) {
    to.gradient = greater(to.gradient, from.gradient);
    to.update = greater(to.update, from.update);
    to.weight = greater(to.weight, from.weight);
}

double value_of(const ParameterNorms& norms, NormKind kind) {
    switch (kind) {
        case NormKind::Gradient:
            return static_cast<double>(norms.gradient);
        case NormKind::Update:
            return static_cast<double>(norms.update);
        case NormKind::Weight:
            return static_cast<double>(norms.weight);
        case NormKind::Ratio:
            break;
    }
    if (norms.weight == 0) return static_cast<double>(ParameterNorms::kNone);  // a bias that begins at 0 has no ratio
    return static_cast<double>(norms.update) / static_cast<double>(norms.weight);
}

}  // namespace

void NormHistory::add(std::int64_t step, std::span<const ParameterNorms> norms) {
    if (names_.empty() || norms.size() != names_.size()) return;
    const bool is_same_row = first_.size() > kDense && step < first_.back() + stride_;
    if (is_same_row) {
        ParameterNorms* row = values_.data() + (first_.size() - 1) * names_.size();
        for (std::size_t i = 0; i < names_.size(); ++i) take_greater(row[i], norms[i]);
    } else {
        first_.push_back(step);
        values_.insert(values_.end(), norms.begin(), norms.end());
    }
    last_ = step;
    if (values_.size() * sizeof(ParameterNorms) > budget_ && first_.size() > kDense + 2) merge();
}

void NormHistory::merge() {
    const std::size_t width = names_.size();
    std::size_t to = kDense;
    for (std::size_t from = kDense; from < first_.size(); from += 2, ++to) {
        first_[to] = first_[from];
        for (std::size_t i = 0; i < width; ++i) {
            ParameterNorms row = values_[from * width + i];
            if (from + 1 < first_.size()) take_greater(row, values_[(from + 1) * width + i]);
            values_[to * width + i] = row;
        }
    }
    first_.resize(to);
    values_.resize(to * width);
    stride_ *= 2;
}

bool NormHistory::is_sound() const {
    return stride_ > 0 && (names_.empty() || values_.size() / names_.size() == first_.size()) &&
           values_.size() == first_.size() * names_.size() && (!names_.empty() || first_.empty()) &&
           std::ranges::is_sorted(first_) && (first_.empty() || first_.back() <= last_);
}

std::size_t NormHistory::row_of(std::int64_t step) const {
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), step) - first_.begin()) - 1;
}

std::vector<ParameterNorms> NormHistory::at(std::int64_t step) const {
    if (first_.empty() || step < first_.front() || step > last_) return {};
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(row_of(step) * names_.size());
    return {begin, begin + static_cast<std::ptrdiff_t>(names_.size())};
}

NormMap NormHistory::map(NormKind kind, std::span<const std::int64_t> edges) const {
    NormMap out;
    out.parameters = names_.size();
    out.buckets = edges.empty() ? 0 : edges.size() - 1;
    out.values.assign(out.buckets * out.parameters, static_cast<double>(ParameterNorms::kNone));
    if (first_.empty()) return out;
    for (std::size_t bucket = 0; bucket < out.buckets; ++bucket) {
        const std::int64_t begin = std::max(edges[bucket], first_.front());
        const std::int64_t end = std::min(edges[bucket + 1], last_ + 1);
        if (begin >= end) continue;
        double* to = out.values.data() + bucket * out.parameters;
        for (std::size_t row = row_of(begin); row < first_.size() && first_[row] < end; ++row) {
            const ParameterNorms* from = values_.data() + row * out.parameters;
            for (std::size_t i = 0; i < out.parameters; ++i) to[i] = greater(to[i], value_of(from[i], kind));
        }
    }
    return out;
}

NormHistory NormHistory::until(std::int64_t step) const {
    NormHistory out(names_, budget_);
    if (first_.empty() || step < first_.front()) return out;
    const std::size_t rows = row_of(step) + 1;
    out.first_.assign(first_.begin(), first_.begin() + static_cast<std::ptrdiff_t>(rows));
    out.values_.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(rows * names_.size()));
    out.last_ = std::min(step, last_of(rows - 1));
    out.stride_ = stride_;
    return out;
}

}  // namespace loupe::session
