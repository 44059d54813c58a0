// SPDX-License-Identifier: Apache-2.0
// torch.nn.utils.

#include <algorithm>

#include "core/base/strings.h"
#include "core/nn/utils/gradients.h"
#include "core/nn/utils/packed_sequence.h"
#include "core/ops/numbers/warnings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/torch/module_parts.h"
#include "core/python/torch/torch_autograd.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_module.h"
#include "core/tensor/sharded.h"

namespace loupe::python {
namespace {

IValue clip_grad_norm(CallArguments arguments) {
    const BoundArguments given(arguments, "clip_grad_norm_",
                               {"parameters", "max_norm", "norm_type=", "error_if_nonfinite=", "foreach="});
    const double norm_type = given.has(2) ? to_float(given[2]) : 2.0;
    const TensorList parameters = tensors_of(given[0]);
    if (std::ranges::any_of(parameters, [](const Tensor& t) { return is_sharded(t) && grad_of(t).defined(); })) {
        const IValue clip =
            get_attribute(Evaluator::current()->import_module("torch.distributed.tensor"), "_clip_grad_norm");
        return call(clip, std::vector<IValue>{make_list(std::vector<IValue>(parameters.begin(), parameters.end())),
                                              given[1], IValue(norm_type), IValue(given.truth_or(3, false))});
    }
    return with_python_errors([&] {
        return IValue(nn::clip_grad_norm_(parameters, to_float(given[1]), norm_type, given.truth_or(3, false)));
    });
}

IValue clip_grad_value(CallArguments arguments) {
    const BoundArguments given(arguments, "clip_grad_value_", {"parameters", "clip_value", "foreach="});
    nn::clip_grad_value_(tensors_of(given[0]), to_float(given[1]));
    return {};
}

IValue parameters_to_vector(CallArguments arguments) {
    const BoundArguments given(arguments, "parameters_to_vector", {"parameters"});
    return with_python_errors([&] { return IValue(nn::parameters_to_vector(tensors_of(given[0]))); });
}

IValue vector_to_parameters(CallArguments arguments) {
    const BoundArguments given(arguments, "vector_to_parameters", {"vec", "parameters"});
    if (!given[0].is_tensor()) throw_type_error(concat("expected torch.Tensor, but got: ", type_name(given[0])));
    with_python_errors([&] { nn::vector_to_parameters(given[0].to_tensor(), tensors_of(given[1])); });
    return {};
}

IValue pad_sequence(CallArguments arguments) {
    const BoundArguments given(arguments, "pad_sequence",
                               {"sequences", "batch_first=", "padding_value=", "padding_side="});
    return with_python_errors([&] {
        return IValue(nn::pad_sequence(tensors_of(given[0]), given.truth_or(1, false),
                                       given.has(2) ? to_float(given[2]) : 0.0,
                                       given.has(3) ? std::string(given[3].to_string()) : std::string("right")));
    });
}

IValue pack_padded_sequence(CallArguments arguments) {
    const BoundArguments given(arguments, "pack_padded_sequence",
                               {"input", "lengths", "batch_first=", "enforce_sorted="});
    const Tensor lengths = given[1].is_tensor() ? given[1].to_tensor() : tensor_from_data(given[1], ScalarType::Int64);
    return with_python_errors([&] {
        return nn::pack_padded_sequence(given[0].to_tensor(), lengths, given.truth_or(2, false),
                                        given.truth_or(3, true))
            .to_value();
    });
}

IValue pad_packed_sequence(CallArguments arguments) {
    const BoundArguments given(arguments, "pad_packed_sequence",
                               {"sequence", "batch_first=", "padding_value=", "total_length="});
    return with_python_errors([&] {
        const std::optional<std::int64_t> total =
            given.has(3) && !given[3].is_none() ? std::optional(to_index(given[3])) : std::nullopt;
        const auto [padded, lengths] =
            nn::pad_packed_sequence(nn::packed_sequence_of(given[0]), given.truth_or(1, false),
                                    Scalar(given.has(2) ? to_float(given[2]) : 0.0), total);
        return make_tuple({IValue(padded), IValue(lengths)});
    });
}

IValue pack_sequence(CallArguments arguments) {
    const BoundArguments given(arguments, "pack_sequence", {"sequences", "enforce_sorted="});
    return with_python_errors(
        [&] { return nn::pack_sequence(tensors_of(given[0]), given.truth_or(1, true)).to_value(); });
}

IValue tensor_tuple(const TensorList& tensors) {
    std::vector<IValue> out(tensors.begin(), tensors.end());
    return make_list(std::move(out));
}
IValue unpad_sequence(CallArguments arguments) {
    const BoundArguments given(arguments, "unpad_sequence", {"padded_sequences", "lengths", "batch_first="});
    return with_python_errors([&] {
        return tensor_tuple(nn::unpad_sequence(given[0].to_tensor(), given[1].to_tensor(), given.truth_or(2, false)));
    });
}
IValue unpack_sequence(CallArguments arguments) {
    const BoundArguments given(arguments, "unpack_sequence", {"packed_sequences"});
    return with_python_errors([&] { return tensor_tuple(nn::unpack_sequence(nn::packed_sequence_of(given[0]))); });
}

}  // namespace

void fill_nn_utils_rnn(PythonModule& module) {
    define_packed_sequence(module);
    module.define("unpad_sequence", unpad_sequence);
    module.define("unpack_sequence", unpack_sequence);
    module.define("pad_sequence", NativeCallable::Body(pad_sequence));
    module.define("pack_padded_sequence", NativeCallable::Body(pack_padded_sequence));
    module.define("pad_packed_sequence", NativeCallable::Body(pad_packed_sequence));
    module.define("pack_sequence", NativeCallable::Body(pack_sequence));
}

void fill_nn_utils(PythonModule& module) {
    module.define("clip_grad_norm_", NativeCallable::Body(clip_grad_norm));
    module.define("clip_grad_norm", [](CallArguments arguments) {
        warn("torch.nn.utils.clip_grad_norm is now deprecated in favor of torch.nn.utils.clip_grad_norm_.");
        return clip_grad_norm(std::move(arguments));
    });
    module.define("clip_grad_value_", NativeCallable::Body(clip_grad_value));
    module.define("parameters_to_vector", NativeCallable::Body(parameters_to_vector));
    module.define("vector_to_parameters", NativeCallable::Body(vector_to_parameters));
    define_norm_hooks(module);
    define_nn_tools(module);
    for (const char* name : {"rnn", "parametrize", "parametrizations", "prune", "fusion", "stateless"}) {
        define_submodule(module, name, concat("torch.nn.utils.", name));
    }
}

}  // namespace loupe::python
