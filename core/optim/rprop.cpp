// SPDX-License-Identifier: Apache-2.0
// Resilient backpropagation (Riedmiller and Braun 1993).

#include <cmath>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/optim/elementwise.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

void complete(DictObject& dict) {
    if (dict.find("etas")->is_none()) dict.set("etas", make_ptr<TupleObject>(std::vector<IValue>{0.5, 1.2}));
    if (dict.find("step_sizes")->is_none())
        dict.set("step_sizes", make_ptr<TupleObject>(std::vector<IValue>{1e-6, 50}));
    const Options options(dict);
    require_not_negative(options, "lr", "learning rate");
    const double less = options.number("etas", 0), more = options.number("etas", 1);
    if (!(0 < less && less < 1 && 1 < more))
        throw Error(ErrorKind::Run, concat("Invalid eta values: ", python_repr(less), ", ", python_repr(more)));
}

void update(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double less = group.number("etas", 0), more = group.number("etas", 1), sign = group.flag("maximize") ? -1 : 1;
    const double shortest = group.number("step_sizes", 0), longest = group.number("step_sizes", 1),
                 lr = group.number("lr");
    next_step(state);
    const Tensor before = zero_state(state, "prev", parameter);
    const Tensor sizes = state_tensor(state, "step_size", [&] {
        return fn::full_like(detach(parameter),
                             is_complex(parameter.dtype()) ? Scalar(std::complex<double>(lr, lr)) : Scalar(lr));
    });
    update_elements<2>(parameter, gradient, {before, sizes}, [=]<typename T>(T& p, T g, T& last, T& size) {
        g *= static_cast<T>(sign);
        const T turn = g * last;
        size *= choose(turn > 0, static_cast<T>(more), choose(turn < 0, static_cast<T>(less), T(1)));
        size = choose(size < static_cast<T>(shortest), static_cast<T>(shortest), size);
        size = choose(size > static_cast<T>(longest), static_cast<T>(longest), size);
        g = choose(turn < 0, T(0), g);
        p -= choose(g > 0, T(1), choose(g < 0, T(-1), g)) * size;
        last = g;
    });
}

const OptimizerRecord kRecords[] = {
    {
        .name = "Rprop",
        .summary =
            "Steps by the sign of the gradient, longer while it stays and shorter when it turns (Riedmiller and Braun "
            "1993).",
        .constructor = "Rprop(Any params, Scalar lr=0.01, Any etas=None, Any step_sizes=None, bool? foreach=None, bool "
                       "maximize=False) -> Any",
        .complete = complete,
        .update = update,
    },
};

}  // namespace

std::span<const OptimizerRecord> rprop_records() { return kRecords; }

}  // namespace loupe::optim
