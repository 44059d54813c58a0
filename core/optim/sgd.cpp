// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum (Sutskever et al. 2013, as PyTorch defines the velocity).

#include <cmath>

#include "core/base/error.h"
#include "core/optim/elementwise.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

void complete(DictObject& dict) {
    const Options options(dict);
    if (!options["lr"].is_none()) require_not_negative(options, "lr", "learning rate");
    require_not_negative(options, "momentum", "momentum value");
    require_not_negative(options, "weight_decay", "weight_decay value");
    if (options.flag("nesterov") && (options.number("momentum") <= 0 || options.number("dampening") != 0)) {
        throw Error(ErrorKind::Run, "Nesterov momentum requires a momentum and zero dampening");
    }
}

void update(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double lr = group.number("lr"), momentum = group.number("momentum"), keep = 1 - group.number("dampening");
    const double decay = group.number("weight_decay"), sign = group.flag("maximize") ? -1 : 1;
    if (momentum == 0) {
        state.set("momentum_buffer", IValue());
        return update_elements<0>(parameter, gradient, {}, [=]<typename T>(T& p, T g) {
            g *= static_cast<T>(sign);
            if (decay != 0) g += static_cast<T>(decay) * p;
            p += static_cast<T>(-lr) * g;
        });
    }
    const IValue* buffer = state.find("momentum_buffer");
    const bool is_first = buffer == nullptr || buffer->is_none();
    const bool nesterov = group.flag("nesterov");
    const Tensor velocity = zero_state(state, "momentum_buffer", parameter);
    update_elements<1>(parameter, gradient, {velocity}, [=]<typename T>(T& p, T g, T& v) {
        g *= static_cast<T>(sign);
        if (decay != 0) g += static_cast<T>(decay) * p;
        v = is_first ? g : v * static_cast<T>(momentum) + static_cast<T>(keep) * g;
        const T step = nesterov ? g + static_cast<T>(momentum) * v : v;
        p += static_cast<T>(-lr) * step;
    });
}

// Only the rows of the entries change; a velocity is sparse until something dense is added to it.
void update_sparse(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double momentum = group.number("momentum"), keep = 1 - group.number("dampening");
    Tensor step = group.flag("maximize") ? fn::neg(gradient) : gradient;
    if (group.number("weight_decay") != 0) {
        throw Error(ErrorKind::Run, "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
    }
    if (momentum == 0) {
        state.set("momentum_buffer", IValue());
    } else {
        const IValue* buffer = state.find("momentum_buffer");
        const bool is_first = buffer == nullptr || buffer->is_none();
        const Tensor velocity = is_first ? fn::clone(step, IValue()) : buffer->to_tensor();
        if (!is_first) fn::add_(fn::mul_(velocity, wrapped_number(momentum)), step, Scalar(keep));
        state.set("momentum_buffer", velocity);
        step = group.flag("nesterov") ? fn::add(step, velocity, Scalar(momentum)) : velocity;
    }
    fn::add_(parameter, step, Scalar(-group.number("lr")));
}

const OptimizerRecord kRecords[] = {
    {
        .name = "SGD",
        .summary = "Stochastic gradient descent, with momentum (Nesterov's too) and weight decay.",
        .constructor =
            "SGD(Any params, Scalar? lr=None, Scalar momentum=0, Scalar dampening=0, Scalar weight_decay=0, bool "
            "nesterov=False, *, "
            "bool maximize=False, bool? foreach=None, bool differentiable=False) -> Any",
        .complete = complete,
        .update = update,
        .update_sparse = update_sparse,
    },
};

}  // namespace

std::span<const OptimizerRecord> sgd_records() { return kRecords; }

}  // namespace loupe::optim
