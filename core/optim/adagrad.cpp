// SPDX-License-Identifier: Apache-2.0
// Adagrad (Duchi et al. 2011).

#include <cmath>

#include "core/base/error.h"
#include "core/ops/sparse/sparse.h"
#include "core/optim/elementwise.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

void complete(DictObject& dict) {
    const Options options(dict);
    require_not_negative(options, "lr", "learning rate");
    require_not_negative(options, "lr_decay", "lr_decay value");
    require_not_negative(options, "weight_decay", "weight_decay value");
    require_not_negative(options, "initial_accumulator_value", "initial_accumulator_value value");
    require_not_negative(options, "eps", "epsilon value");
}

void begin(const Options& group, const Tensor& parameter, DictObject& state) {
    state.set("step", number_tensor(0));
    const double start = group.number("initial_accumulator_value");
    const Scalar filled = is_complex(parameter.dtype()) ? Scalar(std::complex<double>(start, start)) : Scalar(start);
    state.set("sum", fn::full_like(detach(parameter), filled));
}

void update(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double step = next_step(state), decay = group.number("weight_decay"), eps = group.number("eps");
    const double sign = group.flag("maximize") ? -1 : 1;
    const double rate = group.number("lr") / (1 + (step - 1) * group.number("lr_decay"));
    update_elements<1>(parameter, gradient, {zero_state(state, "sum", parameter)}, [=]<typename T>(T& p, T g, T& sum) {
        g *= static_cast<T>(sign);
        if (decay != 0) g += static_cast<T>(decay) * p;
        sum += g * g;
        p += static_cast<T>(-rate) * g / (square_root(sum) + static_cast<T>(eps));
    });
}

void update_sparse(const Options& group, const Tensor& parameter, const Tensor& given, DictObject& state) {
    const double step = next_step(state);
    if (group.number("weight_decay") != 0) {
        throw Error(ErrorKind::Run, "weight_decay option is not compatible with sparse gradients");
    }
    const double rate = group.number("lr") / (1 + (step - 1) * group.number("lr_decay"));
    const Tensor gradient = coalesced(group.flag("maximize") ? fn::neg(given) : given);
    const CoordinateParts& parts = coordinate_parts(gradient);
    const auto sparse = [&](const Tensor& values) {
        return make_sparse(parts.indices, values, gradient.sizes(), true);
    };
    const Tensor sum = zero_state(state, "sum", parameter);
    fn::add_(sum, sparse(fn::square(parts.values)), Scalar(1));
    const Tensor roots = fn::add_scalar(fn::sqrt(coordinate_parts(elements_at(sum, gradient)).values),
                                        Scalar(group.number("eps")), Scalar(1));
    fn::add_(parameter, sparse(fn::div(parts.values, roots)), Scalar(-rate));
}

const OptimizerRecord kRecords[] = {
    {
        .name = "Adagrad",
        .summary = "A rate for each element: over the root of the sum of its squared gradients (Duchi et al. 2011).",
        .constructor = "Adagrad(Any params, Scalar lr=0.01, Scalar lr_decay=0, Scalar weight_decay=0, Scalar "
                       "initial_accumulator_value=0, "
                       "Scalar eps=1e-10, bool? foreach=None, *, bool maximize=False) -> Any",
        .complete = complete,
        .update = update,
        .update_sparse = update_sparse,
        .begin = begin,
    },
};

}  // namespace

std::span<const OptimizerRecord> adagrad_records() { return kRecords; }

}  // namespace loupe::optim
