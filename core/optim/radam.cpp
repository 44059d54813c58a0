// SPDX-License-Identifier: Apache-2.0
// RAdam: Adam with a rectified rate while its mean square is uncertain (Liu et al. 2019).

#include <cmath>

#include "core/optim/elementwise.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

void update(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double step = next_step(state);
    const double lr = group.number("lr"), first = group.number("betas", 0), second = group.number("betas", 1);
    const double eps = group.number("eps"), decay = group.number("weight_decay");
    const double mean_correction = 1 - std::pow(first, step), square_correction = 1 - std::pow(second, step);
    const double longest = 2 / (1 - second) - 1;
    const double length = longest - 2 * step * std::pow(second, step) / square_correction;
    const bool is_certain = length > 5;
    const double rectified =
        is_certain ? std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) : 1;
    const double root = std::sqrt(square_correction);
    const Tensor mean = zero_state(state, "exp_avg", parameter), square = zero_state(state, "exp_avg_sq", parameter);
    update_elements<2>(parameter, gradient, {mean, square}, [=]<typename T>(T& p, T g, T& m, T& v) {
        if (decay != 0) g += static_cast<T>(decay) * p;
        m = m * static_cast<T>(first) + static_cast<T>(1 - first) * g;
        v = v * static_cast<T>(second) + static_cast<T>(1 - second) * g * g;
        const T rate = is_certain ? static_cast<T>(root) / (square_root(v) + static_cast<T>(eps)) : T(1);
        p -= m / static_cast<T>(mean_correction) * static_cast<T>(lr) * rate * static_cast<T>(rectified);
    });
}

const OptimizerRecord kRecords[] = {
    {
        .name = "RAdam",
        .summary = "Adam with a rectified rate while its mean square is uncertain (Liu et al. 2019).",
        .constructor =
            "RAdam(Any params, Scalar lr=0.001, Any betas=None, Scalar eps=1e-08, Scalar weight_decay=0, bool? "
            "foreach=None) -> Any",
        .complete = complete_moments,
        .update = update,
    },
};

}  // namespace

std::span<const OptimizerRecord> radam_records() { return kRecords; }

}  // namespace loupe::optim
