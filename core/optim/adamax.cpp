// SPDX-License-Identifier: Apache-2.0
// Adamax: Adam with the greatest gradient in place of the mean square (Kingma and Ba 2014).

#include <cmath>

#include "core/optim/elementwise.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

void update(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double step = next_step(state);
    const double first = group.number("betas", 0), second = group.number("betas", 1), eps = group.number("eps");
    const double decay = group.number("weight_decay"), sign = group.flag("maximize") ? -1 : 1;
    const double step_size = group.number("lr") / (1 - std::pow(first, step));
    const Tensor mean = zero_state(state, "exp_avg", parameter), greatest = zero_state(state, "exp_inf", parameter);
    update_elements<2>(parameter, gradient, {mean, greatest}, [=]<typename T>(T& p, T g, T& m, T& u) {
        g *= static_cast<T>(sign);
        if (decay != 0) g += static_cast<T>(decay) * p;
        m = m * static_cast<T>(first) + static_cast<T>(1 - first) * g;
        const T faded = u * static_cast<T>(second), now = magnitude(g) + static_cast<T>(eps);
        u = choose(faded > now || faded != faded, faded, now);
        p += static_cast<T>(-step_size) * m / u;
    });
}

const OptimizerRecord kRecords[] = {
    {
        .name = "Adamax",
        .summary = "Adam with the fading greatest gradient in place of the mean square (Kingma and Ba 2014).",
        .constructor =
            "Adamax(Any params, Scalar lr=0.002, Any betas=None, Scalar eps=1e-08, Scalar weight_decay=0, bool? "
            "foreach=None, *, "
            "bool maximize=False) -> Any",
        .complete = complete_moments,
        .update = update,
    },
};

}  // namespace

std::span<const OptimizerRecord> adamax_records() { return kRecords; }

}  // namespace loupe::optim
