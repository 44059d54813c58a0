// SPDX-License-Identifier: Apache-2.0
// NAdam: Adam with Nesterov momentum (Dozat 2016).

#include <cmath>

#include "core/optim/elementwise.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

void complete(DictObject& dict) {
    complete_moments(dict);
    require_not_negative(Options(dict), "momentum_decay", "momentum_decay value");
}

void update(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double step = next_step(state);
    const double lr = group.number("lr"), first = group.number("betas", 0), second = group.number("betas", 1);
    const double eps = group.number("eps"), decay = group.number("weight_decay"), warm = group.number("momentum_decay");
    const auto momentum_at = [&](double at) { return first * (1 - 0.5 * std::pow(0.96, at * warm)); };
    const double now = momentum_at(step), next = momentum_at(step + 1);
    const Tensor product = state_tensor(state, "mu_product", [] { return number_tensor(1); });
    fn::mul_(product, number_tensor(now));
    const double so_far = item(product).to_double();
    const bool is_decoupled = group.flag("decoupled_weight_decay");  // as AdamW's; of PyTorch 2
    // PyTorch 1.13's: the momentum of this step is in the product already, and once more.
    const Tensor twice = is_decoupled ? product : fn::mul_scalar(product, Scalar(now));
    const double then = item(fn::mul_scalar(twice, Scalar(next))).to_double();
    const double by_gradient = -lr * (1 - now) / (1 - so_far), by_mean = -lr * next / (1 - then);
    const double correction = 1 - std::pow(second, step);
    const Tensor mean = zero_state(state, "exp_avg", parameter), square = zero_state(state, "exp_avg_sq", parameter);
    update_elements<2>(parameter, gradient, {mean, square}, [=]<typename T>(T& p, T g, T& m, T& v) {
        if (decay != 0 && is_decoupled)
            p *= static_cast<T>(1 - lr * decay);
        else if (decay != 0)
            g += static_cast<T>(decay) * p;
        m = m * static_cast<T>(first) + static_cast<T>(1 - first) * g;
        v = v * static_cast<T>(second) + static_cast<T>(1 - second) * g * g;
        const T size = square_root(v / static_cast<T>(correction)) + static_cast<T>(eps);
        p += static_cast<T>(by_gradient) * g / size;
        p += static_cast<T>(by_mean) * m / size;
    });
}

const OptimizerRecord kRecords[] = {
    {
        .name = "NAdam",
        .summary = "Adam with Nesterov momentum (Dozat 2016).",
        .constructor =
            "NAdam(Any params, Scalar lr=0.002, Any betas=None, Scalar eps=1e-08, Scalar weight_decay=0, Scalar "
            "momentum_decay=0.004, "
            "bool? foreach=None) -> Any",
        .complete = complete,
        .update = update,
    },
};

}  // namespace

std::span<const OptimizerRecord> nadam_records() { return kRecords; }

}  // namespace loupe::optim
