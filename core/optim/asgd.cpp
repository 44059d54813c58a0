// SPDX-License-Identifier: Apache-2.0
// Averaged stochastic gradient descent (Polyak and Juditsky 1992).

#include <algorithm>
#include <cmath>

#include "core/optim/elementwise.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

void complete(DictObject& dict) {
    const Options options(dict);
    require_not_negative(options, "lr", "learning rate");
    require_not_negative(options, "weight_decay", "weight_decay value");
}

void update(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double lr = group.number("lr"), lambd = group.number("lambd"), decay = group.number("weight_decay");
    const double step = next_step(state), sign = group.flag("maximize") ? -1 : 1;
    const Tensor eta = state_tensor(state, "eta", [&] { return number_tensor(lr); });
    const Tensor mu = state_tensor(state, "mu", [] { return number_tensor(1); });
    const double rate = item(eta).to_double(), share = item(mu).to_double();
    update_elements<1>(parameter, gradient, {zero_state(state, "ax", parameter)},
                       [=]<typename T>(T& p, T g, T& average) {
                           g *= static_cast<T>(sign);
                           if (decay != 0) g += static_cast<T>(decay) * p;
                           p *= static_cast<T>(1 - lambd * rate);
                           p += static_cast<T>(-rate) * g;
                           average = share == 1 ? p : average + (p - average) * static_cast<T>(share);
                       });
    *eta.data<float>() = static_cast<float>(lr / std::pow(1 + lambd * lr * step, group.number("alpha")));
    *mu.data<float>() = static_cast<float>(1 / std::max(1.0, step - group.number("t0")));
}

const OptimizerRecord kRecords[] = {
    {
        .name = "ASGD",
        .summary = "Gradient descent whose late parameters are averaged (Polyak and Juditsky 1992).",
        .constructor =
            "ASGD(Any params, Scalar lr=0.01, Scalar lambd=0.0001, Scalar alpha=0.75, Scalar t0=1000000.0, Scalar "
            "weight_decay=0, "
            "bool? foreach=None, bool maximize=False) -> Any",
        .complete = complete,
        .update = update,
    },
};

}  // namespace

std::span<const OptimizerRecord> asgd_records() { return kRecords; }

}  // namespace loupe::optim
