// SPDX-License-Identifier: Apache-2.0
#include "core/optim/step_norms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/parallel.h"
#include "core/dispatch/functions.h"
#include "core/optim/step_norms_kernel.h"
#include "core/tensor/sharded.h"
#include "core/tensor/sparse.h"

namespace loupe::optim {
namespace {

using loupe::optim::sum_of_squares;  // of floats

thread_local StepNorms* current_norms = nullptr;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

double sum_of_squares(const double* x, std::int64_t n) {
    double sums[4] = {};
    std::int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (std::int64_t k = 0; k < 4; ++k) sums[k] += x[i + k] * x[i + k];
    }
    for (; i < n; ++i) sums[0] += x[i] * x[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <typename T>
double blocks_norm(const T* x, std::int64_t n) {
    if (n <= kNormBlock) return std::sqrt(sum_of_squares(x, n));
    const std::int64_t blocks = (n + kNormBlock - 1) / kNormBlock;
    std::vector<double> sums(static_cast<std::size_t>(blocks));
    parallel_for(0, blocks, 4, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t at = block * kNormBlock;
            sums[static_cast<std::size_t>(block)] = sum_of_squares(x + at, std::min(kNormBlock, n - at));
        }
    });
    return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

bool is_on_host(const Tensor& t) { return t.device().type == DeviceType::Cpu; }

}  // namespace

double l2_norm(const Tensor& given) {
    const Tensor t = is_coordinate(given) ? coordinate_parts(given).values : given;
    if (t.numel() == 0) return 0;
    const bool is_dense = is_on_host(t) && t.is_non_overlapping_and_dense();
    if (is_dense && t.dtype() == ScalarType::Float32) return blocks_norm(t.data<float>(), t.numel());
    if (is_dense && t.dtype() == ScalarType::Float64) return blocks_norm(t.data<double>(), t.numel());
    const GradModeScope no_grad(false);
    const NestedCallScope nested;
    const Tensor plain = detach(t);
    const bool is_short = plain.dtype() == ScalarType::BFloat16 || plain.dtype() == ScalarType::Float16;
    return item(fn::vector_norm(is_short ? fn::to_dtype(plain, static_cast<std::int64_t>(ScalarType::Float32)) : plain))
        .to_double();
}

void add_moved(const float* after, const float* before, std::int64_t n, StepNorms::Sums& sums) {
    sum_moved(after, before, n, sums.update, sums.weight);
}

void add_moved(const double* after, const double* before, std::int64_t n, StepNorms::Sums& sums) {
    for (std::int64_t i = 0; i < n; ++i) {
        const double change = after[i] - before[i];
        sums.update += change * change;
        sums.weight += before[i] * before[i];
    }
}

StepNorms::StepNorms(std::span<const Tensor> parameters)
    : rows_(parameters.size(), Row{0, kNotANumber}), at_(rows_.size()) {
    for (std::size_t i = 0; i < parameters.size(); ++i) index_.emplace(parameters[i].impl(), i);
    current_norms = this;
}
StepNorms::~StepNorms() { current_norms = nullptr; }

StepNorms* StepNorms::current() { return current_norms; }

void StepNorms::add(std::span<const Sums> blocks) {
    if (at_ == rows_.size()) return;
    Sums all;
    for (const Sums& block : blocks) {
        all.update += block.update;
        all.weight += block.weight;
    }
    rows_[at_] = {std::sqrt(all.update), std::sqrt(all.weight)};
}

StepNorms::Measure::Measure(Tensor parameter, bool is_fused) : norms_(current_norms), parameter_(std::move(parameter)) {
    if (norms_ == nullptr) return;
    const auto found = norms_->index_.find(parameter_.impl());
    parameter_ = local_or_itself(parameter_);
    index_ = found == norms_->index_.end() ? norms_->rows_.size() : found->second;
    norms_->at_ = index_;
    if (is_fused || index_ == norms_->rows_.size()) return;
    const NestedCallScope nested;
    before_ = fn::clone(detach(parameter_));
}

void StepNorms::Measure::finish() {
    if (norms_ == nullptr) return;
    if (before_.defined()) {
        const NestedCallScope nested;
        norms_->rows_[index_] = {l2_norm(fn::sub(detach(parameter_), before_, Scalar(1))), l2_norm(before_)};
    }
    norms_->at_ = norms_->rows_.size();
}

}  // namespace loupe::optim
