// SPDX-License-Identifier: Apache-2.0
// Adam that touches the moments and the rows of a parameter only where a sparse gradient has entries.

#include <cmath>

#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/ops/sparse/sparse.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

void update(const Options& group, const Tensor& parameter, const Tensor& given, DictObject& state) {
    const IValue* before = state.find(IValue("step"));
    const auto count = [](const IValue& steps) {
        return steps.is_tensor() ? item(steps.to_tensor()).to_int() : steps.to_int();
    };
    const std::int64_t step = (before == nullptr ? 0 : count(*before)) + 1;
    state.set("step", step);
    const Tensor mean = zero_state(state, "exp_avg", parameter), square = zero_state(state, "exp_avg_sq", parameter);
    const double first = group.number("betas", 0), second = group.number("betas", 1), lr = group.number("lr");
    const Tensor gradient = coalesced(group.flag("maximize") ? fn::neg(given) : given);
    const CoordinateParts& parts = coordinate_parts(gradient);
    const auto sparse = [&](const Tensor& values) {
        return make_sparse(parts.indices, values, gradient.sizes(), true);
    };
    const auto at = [&](const Tensor& t) { return coordinate_parts(elements_at(t, gradient)).values; };
    // moment += (1 - beta) * (now - moment); gives the moment of the entries.
    const auto move = [&](const Tensor& moment, const Tensor& now, double beta) {
        const Tensor old = at(moment);
        const Tensor change = fn::mul_scalar(fn::sub(now, old, Scalar(1)), Scalar(1 - beta));
        fn::add_(moment, sparse(change), Scalar(1));
        return fn::add(change, old, Scalar(1));
    };
    const Tensor numerator = move(mean, parts.values, first);
    const Tensor denominator = fn::add_scalar(fn::sqrt(move(square, fn::square(parts.values), second)),
                                              Scalar(group.number("eps")), Scalar(1));
    const double size = lr * std::sqrt(1 - std::pow(second, static_cast<double>(step))) /
                        (1 - std::pow(first, static_cast<double>(step)));
    fn::add_(parameter, sparse(fn::mul_scalar(fn::div(numerator, denominator), Scalar(-size))), Scalar(1));
}

void complete(DictObject& dict) {
    if (dict.find("betas")->is_none()) dict.set("betas", make_ptr<TupleObject>(std::vector<IValue>{0.9, 0.999}));
    const Options options(dict);
    require_positive(options, "lr", "learning rate");
    require_positive(options, "eps", "epsilon value");
    require_betas(options);
}

const OptimizerRecord kRecords[] = {
    {
        .name = "SparseAdam",
        .summary = "Adam for sparse gradients: moments move only where there are entries.",
        .constructor =
            "SparseAdam(Any params, Scalar lr=0.001, Any betas=None, Scalar eps=1e-08, *, bool maximize=False) -> Any",
        .complete = complete,
        .update_sparse = update,
    },
};

}  // namespace

std::span<const OptimizerRecord> sparse_adam_records() { return kRecords; }

}  // namespace loupe::optim
