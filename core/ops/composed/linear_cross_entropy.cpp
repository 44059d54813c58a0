// SPDX-License-Identifier: Apache-2.0
// torch.nn.functional.linear_cross_entropy in chunks of the batch, which bounds PyTorch's memory: here one linear and
// one cross entropy.

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"
#include "core/ops/samples.h"

namespace loupe::composed {
namespace {

struct Inputs {
    Tensor input, linear_weight, target, linear_bias, weight;
};

Tensor cast(const Tensor& t, ScalarType dtype) {
    return t.defined() ? fn::to_dtype(t, static_cast<std::int64_t>(dtype)) : t;
}

std::int64_t reduction_number(std::string_view reduction) {
    if (reduction == "none") return 0;
    if (reduction == "mean") return 1;
    if (reduction == "sum") return 2;
    throw Error(ErrorKind::Run, concat("linear_cross_entropy does not support reduction='", reduction, "'"));
}

// In the dtype that PyTorch adds up in, rounded once.
Tensor loss_of(const Inputs& in, std::string_view reduction, std::int64_t ignore_index, double label_smoothing,
               ScalarType acc_dtype) {
    static const OperatorHandle<> cross_entropy("aten::cross_entropy_loss");
    const Tensor logits =
        fn::linear(cast(in.input, acc_dtype), cast(in.linear_weight, acc_dtype), cast(in.linear_bias, acc_dtype));
    const Tensor target = is_floating(in.target.dtype()) ? cast(in.target, acc_dtype) : in.target;
    const Tensor loss = cross_entropy(logits, target, cast(in.weight, acc_dtype), reduction_number(reduction),
                                      ignore_index, label_smoothing);
    return cast(loss, in.input.dtype());
}

// The gradients that PyTorch computes beside the loss, for an incoming gradient of 1.
TensorList gradients(const Inputs& in, std::string_view reduction, std::int64_t ignore_index, double label_smoothing,
                     ScalarType acc_dtype) {
    const auto leaf = [](const Tensor& t) {
        if (!t.defined()) return t;
        const Tensor own = detach(t);
        set_requires_grad(own, true);
        return own;
    };
    Inputs leaves = in;
    leaves.input = leaf(in.input);
    leaves.linear_weight = leaf(in.linear_weight);
    leaves.linear_bias = leaf(in.linear_bias);
    const GradModeScope grad(true);
    const Tensor loss = loss_of(leaves, reduction, ignore_index, label_smoothing, acc_dtype);
    TensorList wanted{leaves.input, leaves.linear_weight};
    if (leaves.linear_bias.defined()) wanted.push_back(leaves.linear_bias);
    return gradients_of({loss}, wanted);
}

void batch_chunked(Arguments arguments, IValue* results) {
    const Inputs in{arguments[0].to_tensor(), arguments[1].to_tensor(), arguments[2].to_tensor(),
                    arguments[3].to_tensor(), arguments[4].to_tensor()};
    const std::string& reduction = arguments[5].to_string();
    const std::int64_t ignore_index = arguments[6].to_int();
    const double smoothing = arguments[7].to_double();
    const auto acc_dtype = dtype_from_number(arguments[10].to_int()).value_or(ScalarType::Float32);
    results[0] = IValue(loss_of(in, reduction, ignore_index, smoothing, acc_dtype));
    constexpr std::int64_t kNothing[] = {0, 0};
    const bool wants[] = {arguments[12].to_bool(), arguments[13].to_bool(), arguments[14].to_bool()};
    const TensorList made =
        wants[0] || wants[1] || wants[2] ? gradients(in, reduction, ignore_index, smoothing, acc_dtype) : TensorList{};
    for (std::size_t i = 0; i < 3; ++i) {
        const IntSpan nothing(kNothing, i == 2 ? 1 : 2);
        results[i + 1] = IValue(wants[i] && i < made.size() ? detach(cast(made[i], in.input.dtype()))
                                                            : zeros(nothing, in.input.dtype(), in.input.device()));
    }
}

Tensor batch_chunked_no_reduction(const Tensor& input, const Tensor& linear_weight, const Tensor& target,
                                  const Tensor& linear_bias, const Tensor& weight, std::int64_t ignore_index,
                                  std::int64_t, std::string_view, ScalarType acc_dtype) {
    return loss_of({input, linear_weight, target, linear_bias, weight}, "none", ignore_index, 0, acc_dtype);
}

std::vector<Sample> samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const std::int64_t number = static_cast<std::int64_t>(dtype);
    return {
        {{random_tensor(random, {4, 3}, dtype), random_tensor(random, {5, 3}, dtype), random_indices(random, {4}, 5),
          random_tensor(random, {5}, dtype), IValue(), -100, 2, "accurate", number}}};
}

constexpr std::string_view kFormula = "cross_entropy(input linear_weight^T + linear_bias, target)";

constexpr OperatorRecord kRecords[] = {
    {.schema = "torch_nn::_linear_cross_entropy_batch_chunked(Tensor input, Tensor linear_weight, Tensor target, "
               "Tensor? linear_bias, Tensor? weight, str reduction, int ignore_index, float label_smoothing, int "
               "batch_chunk_size, str acc_policy, ScalarType acc_dtype, bool allow_retain_graph, bool "
               "compute_input_grad, bool compute_linear_weight_grad, bool compute_linear_bias_grad) -> (Tensor, "
               "Tensor, Tensor, Tensor)",
     .summary = "The cross entropy of a linear layer's results, and its gradients where they are asked for.",
     .formula = kFormula,
     .composite = batch_chunked},
    {.schema = "torch_nn::_linear_cross_entropy_batch_chunked_no_reduction(Tensor input, Tensor linear_weight, Tensor "
               "target, Tensor? linear_bias, Tensor? weight, int ignore_index, int batch_chunk_size, str acc_policy, "
               "ScalarType acc_dtype) -> Tensor",
     .summary = "The cross entropy of each of a linear layer's results.",
     .formula = kFormula,
     .composite = boxed<batch_chunked_no_reduction>,
     .samples = samples},
};

}  // namespace

std::span<const OperatorRecord> linear_cross_entropy_records() { return kRecords; }

}  // namespace loupe::composed
