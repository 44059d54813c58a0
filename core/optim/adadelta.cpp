// SPDX-License-Identifier: Apache-2.0
// Adadelta (Zeiler 2012).

#include <cmath>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/optim/elementwise.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

void complete(DictObject& dict) {
    const Options options(dict);
    require_not_negative(options, "lr", "learning rate");
    const double rho = options.number("rho");
    if (!(rho >= 0 && rho <= 1)) throw Error(ErrorKind::Run, concat("Invalid rho value: ", python_str(options["rho"])));
    require_not_negative(options, "eps", "epsilon value");
    require_not_negative(options, "weight_decay", "weight_decay value");
}

void update(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double lr = group.number("lr"), rho = group.number("rho"), eps = group.number("eps");
    const double decay = group.number("weight_decay"), sign = group.flag("maximize") ? -1 : 1;
    next_step(state);
    const Tensor square = zero_state(state, "square_avg", parameter), moved = zero_state(state, "acc_delta", parameter);
    update_elements<2>(parameter, gradient, {square, moved}, [=]<typename T>(T& p, T g, T& v, T& d) {
        g *= static_cast<T>(sign);
        if (decay != 0) g += static_cast<T>(decay) * p;
        v = v * static_cast<T>(rho) + static_cast<T>(1 - rho) * g * g;
        const T delta = square_root(d + static_cast<T>(eps)) / square_root(v + static_cast<T>(eps)) * g;
        d = d * static_cast<T>(rho) + static_cast<T>(1 - rho) * delta * delta;
        p += static_cast<T>(-lr) * delta;
    });
}

const OptimizerRecord kRecords[] = {
    {
        .name = "Adadelta",
        .summary =
            "Steps in the units of the parameter: the root of the mean squared step over that of the gradient (Zeiler "
            "2012).",
        .constructor =
            "Adadelta(Any params, Scalar lr=1.0, Scalar rho=0.9, Scalar eps=1e-06, Scalar weight_decay=0, bool? "
            "foreach=None, *, "
            "bool maximize=False) -> Any",
        .complete = complete,
        .update = update,
    },
};

}  // namespace

std::span<const OptimizerRecord> adadelta_records() { return kRecords; }

}  // namespace loupe::optim
