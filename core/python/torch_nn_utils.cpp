// SPDX-License-Identifier: Apache-2.0
// torch.nn.utils.

#include <cmath>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/ops/functions.h"
#include "core/python/arguments.h"
#include "core/python/error.h"
#include "core/python/torch_autograd.h"
#include "core/python/torch_call.h"
#include "core/python/torch_module.h"

namespace loupe::python {
namespace {

std::vector<IValue> gradients_of_parameters(const IValue& parameters) {
    std::vector<IValue> out;
    for (const Tensor& parameter : tensors_of(parameters)) {
        const Tensor gradient = grad_of(parameter);
        if (gradient.defined()) out.emplace_back(gradient);
    }
    return out;
}

IValue clip_grad_norm(CallArguments arguments) {
    const BoundArguments given(arguments, "clip_grad_norm_",
                               {"parameters", "max_norm", "norm_type=", "error_if_nonfinite=", "foreach="});
    const GradModeScope no_grad(false);
    const std::vector<IValue> gradients = gradients_of_parameters(given[0]);
    const double max_norm = to_float(given[1]);
    const double norm_type = given.has(2) ? to_float(given[2]) : 2.0;
    if (gradients.empty()) return scalar_tensor(Scalar(0.0), ScalarType::Float32);
    std::vector<IValue> norms;
    const bool is_infinite = std::isinf(norm_type);
    for (const IValue& gradient : gradients) {
        norms.push_back(is_infinite ? call_function("max", {call_function("abs", {gradient})})
                                    : call_function("norm", {gradient, norm_type}));
    }
    const IValue stacked = call_function("stack", {make_list(norms)});
    const IValue total = is_infinite ? call_function("max", {stacked}) : call_function("norm", {stacked, norm_type});
    if (given.truth_or(3, false) && !std::isfinite(to_float(total))) {
        throw_error("RuntimeError", concat("The total norm of order ", norm_type,
                                           " for gradients from `parameters` is non-finite, so it cannot be clipped. To "
                                           "disable this error and scale the gradients by the non-finite norm anyway, set "
                                           "`error_if_nonfinite=False`"));
    }
    const IValue ratio = binary(OperatorKind::Div, max_norm, binary(OperatorKind::Add, total, 1e-6));
    const IValue factor = call_function("clamp", {ratio}, {{"max", 1.0}});
    for (const IValue& gradient : gradients) in_place(OperatorKind::Mul, gradient, factor);
    return total;
}

IValue clip_grad_value(CallArguments arguments) {
    const BoundArguments given(arguments, "clip_grad_value_", {"parameters", "clip_value", "foreach="});
    const GradModeScope no_grad(false);
    const double bound = to_float(given[1]);
    for (const IValue& gradient : gradients_of_parameters(given[0])) call_function("clamp_", {gradient, -bound, bound});
    return {};
}

IValue parameters_to_vector(CallArguments arguments) {
    const BoundArguments given(arguments, "parameters_to_vector", {"parameters"});
    std::vector<IValue> parts;
    for (const Tensor& parameter : tensors_of(given[0])) {
        parts.push_back(call_function("reshape", {parameter, make_tuple({std::int64_t{-1}})}));
    }
    return call_function("cat", {make_list(std::move(parts))});
}

IValue vector_to_parameters(CallArguments arguments) {
    const BoundArguments given(arguments, "vector_to_parameters", {"vec", "parameters"});
    if (!given[0].is_tensor()) throw_type_error(concat("expected torch.Tensor, but got: ", type_name(given[0])));
    std::int64_t from = 0;
    for (const Tensor& parameter : tensors_of(given[1])) {
        const Tensor part = call_function("narrow", {given[0], std::int64_t{0}, from, parameter.numel()}).to_tensor();
        set_attribute(parameter, "data", call_function("reshape", {part, IValue(to_dims(parameter.sizes()))}));
        from += parameter.numel();
    }
    return {};
}

IValue pad_sequence(CallArguments arguments) {
    const BoundArguments given(arguments, "pad_sequence", {"sequences", "batch_first=", "padding_value="});
    return call_function("pad_sequence", {make_list(to_vector(given[0])), given.truth_or(1, false),
                                          given.has(2) ? to_float(given[2]) : 0.0});
}

}  // namespace

void fill_nn_utils_rnn(PythonModule& module) { module.define("pad_sequence", NativeCallable::Body(pad_sequence)); }

void fill_nn_utils(PythonModule& module) {
    module.define("clip_grad_norm_", NativeCallable::Body(clip_grad_norm));
    module.define("clip_grad_value_", NativeCallable::Body(clip_grad_value));
    module.define("parameters_to_vector", NativeCallable::Body(parameters_to_vector));
    module.define("vector_to_parameters", NativeCallable::Body(vector_to_parameters));
    define_submodule(module, "rnn", "torch.nn.utils.rnn");
}

}  // namespace loupe::python
