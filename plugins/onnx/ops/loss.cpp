// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

std::int64_t reduction_of(std::string_view name) {
    require(name == "none" || name == "mean" || name == "sum", "reduction is none, mean or sum, not ", name);
    return name == "none" ? 0 : name == "mean" ? 1 : 2;
}

// PyTorch refuses classes out of range that are not ignored; without ignore_index no class is left out.
Tensor negative_log_likelihood(const Tensor& x, const Tensor& target, const Tensor& weight,
                               const std::optional<std::int64_t>& ignore_index, std::string_view reduction) {
    const IValue weights = weight.defined() ? IValue(weight) : IValue();
    return fn::nll_loss_nd(x, cast(target, ScalarType::Int64), weights, reduction_of(reduction),
                           ignore_index.value_or(-100));
}

fn::TwoTensors softmax_cross_entropy(const Tensor& scores, const Tensor& labels, const Tensor& weights,
                                     const std::optional<std::int64_t>& ignore_index, std::string_view reduction) {
    const Tensor log_prob = fn::log_softmax(scores, std::int64_t{1});
    return {negative_log_likelihood(log_prob, labels, weights, ignore_index, reduction), log_prob};
}
Tensor softmax_cross_entropy_one(const Tensor& scores, const Tensor& labels, const Tensor& weights,
                                 const std::optional<std::int64_t>& ignore_index, std::string_view reduction) {
    return std::get<0>(softmax_cross_entropy(scores, labels, weights, ignore_index, reduction));
}

#define LOUPE_ENTROPY \
    "(Tensor scores, Tensor labels, Tensor? weights=None, *, int? ignore_index=None, str reduction=\"mean\") -> "

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::NegativeLogLikelihoodLoss(Tensor input, Tensor target, Tensor? weight=None, *, int? "
            "ignore_index=None, str reduction=\"mean\") -> Tensor",
            "The negative logarithm of the target classes' probabilities.", boxed<negative_log_likelihood>),
    made_of("onnx::SoftmaxCrossEntropyLoss" LOUPE_ENTROPY "(Tensor, Tensor)",
            "The cross entropy of classes and scores, and the logarithms of probabilities.",
            boxed<softmax_cross_entropy>),
    made_of("onnx::SoftmaxCrossEntropyLoss.one" LOUPE_ENTROPY "Tensor", "The cross entropy of classes and scores.",
            boxed<softmax_cross_entropy_one>),
};

#undef LOUPE_ENTROPY

}  // namespace

std::span<const OperatorRecord> loss_records() { return kRecords; }

}  // namespace loupe::onnx
