// SPDX-License-Identifier: Apache-2.0
// RMSprop (Tieleman and Hinton 2012), centred too (Graves 2013).

#include <cmath>

#include "core/optim/elementwise.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

void complete(DictObject& dict) {
    const Options options(dict);
    require_not_negative(options, "lr", "learning rate");
    require_not_negative(options, "eps", "epsilon value");
    require_not_negative(options, "momentum", "momentum value");
    require_not_negative(options, "weight_decay", "weight_decay value");
    require_not_negative(options, "alpha", "alpha value");
}

void update(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double lr = group.number("lr"), alpha = group.number("alpha"), eps = group.number("eps");
    const double decay = group.number("weight_decay"), momentum = group.number("momentum"),
                 sign = group.flag("maximize") ? -1 : 1;
    next_step(state);
    const bool centered = group.flag("centered");
    const auto body = [=]<typename T>(T& p, T g, T& v, T& buffer, T& mean) {
        g *= static_cast<T>(sign);
        if (decay != 0) g += static_cast<T>(decay) * p;
        v = v * static_cast<T>(alpha) + static_cast<T>(1 - alpha) * g * g;
        if (centered) mean = mean * static_cast<T>(alpha) + static_cast<T>(1 - alpha) * g;
        const T size = square_root(centered ? v - mean * mean : v) + static_cast<T>(eps);
        if (momentum > 0) {
            buffer = buffer * static_cast<T>(momentum) + g / size;
            p += static_cast<T>(-lr) * buffer;
        } else {
            p += static_cast<T>(-lr) * g / size;
        }
    };
    const Tensor square = zero_state(state, "square_avg", parameter);
    if (momentum > 0 && centered) {
        const Tensor buffer = zero_state(state, "momentum_buffer", parameter),
                     mean = zero_state(state, "grad_avg", parameter);
        update_elements<3>(parameter, gradient, {square, buffer, mean}, body);
    } else if (momentum > 0) {
        update_elements<2>(parameter, gradient, {square, zero_state(state, "momentum_buffer", parameter)},
                           [body]<typename T>(T& p, T g, T& v, T& buffer) {
                               T none{};
                               body(p, g, v, buffer, none);
                           });
    } else if (centered) {
        update_elements<2>(parameter, gradient, {square, zero_state(state, "grad_avg", parameter)},
                           [body]<typename T>(T& p, T g, T& v, T& mean) {
                               T none{};
                               body(p, g, v, none, mean);
                           });
    } else {
        update_elements<1>(parameter, gradient, {square}, [body]<typename T>(T& p, T g, T& v) {
            T none{}, nothing{};
            body(p, g, v, none, nothing);
        });
    }
}

const OptimizerRecord kRecords[] = {
    {
        .name = "RMSprop",
        .summary = "The gradient over the root of its mean square (Tieleman and Hinton 2012).",
        .constructor =
            "RMSprop(Any params, Scalar lr=0.01, Scalar alpha=0.99, Scalar eps=1e-08, Scalar weight_decay=0, Scalar "
            "momentum=0, "
            "bool centered=False, bool? foreach=None, bool maximize=False, bool differentiable=False) -> Any",
        .complete = complete,
        .update = update,
    },
};

}  // namespace

std::span<const OptimizerRecord> rmsprop_records() { return kRecords; }

}  // namespace loupe::optim
