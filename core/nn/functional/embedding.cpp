// SPDX-License-Identifier: Apache-2.0
// Tables of vectors.
#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/nn/functional/families.h"
#include "core/nn/functional/operator_call.h"

namespace loupe::nn::functional {
namespace {

const OperatorHandle<> op_embedding("aten::embedding");
const OperatorHandle<> op_renorm_("aten::embedding_renorm_");
const OperatorHandle<std::tuple<Tensor, Tensor, Tensor, Tensor>> op_embedding_bag("aten::embedding_bag.padding_idx");
const OperatorHandle<> op_arange_step("aten::arange.start_step");

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

void renormalize(const Tensor& weight, const Tensor& input, const std::optional<double>& max_norm, double norm_type) {
    if (!max_norm) return;
    const GradModeScope no_grad(false);
    op_renorm_(weight, input, *max_norm, norm_type);
}

Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<std::int64_t> padding_idx,
                 const std::optional<double>& max_norm, double norm_type, bool scale_grad_by_freq, bool sparse) {
    const std::int64_t rows = weight.size(0);
    std::int64_t padding = padding_idx.value_or(-1);
    if (padding_idx) {
        if (padding >= rows || padding < -rows) fail_assertion("Padding_idx must be within num_embeddings");
        if (padding < 0) padding += rows;
    }
    if (max_norm) {
        const Tensor indices = fn::contiguous(input, IValue(0));
        renormalize(weight, indices, max_norm, norm_type);
        return op_embedding(weight, indices, padding, scale_grad_by_freq, sparse);
    }
    return op_embedding(weight, input, padding, scale_grad_by_freq, sparse);
}

std::int64_t bag_mode(std::string_view mode) {
    if (mode == "sum") return 0;
    if (mode == "mean") return 1;
    if (mode == "max") return 2;
    fail_with_value("mode has to be one of sum, mean or max");
}

Tensor embedding_bag(const Tensor& input, const Tensor& weight, const Tensor& offsets,
                     const std::optional<double>& max_norm, double norm_type, bool scale_grad_by_freq,
                     std::string_view mode, bool sparse, const Tensor& per_sample_weights, bool include_last_offset,
                     std::optional<std::int64_t> padding_idx) {
    if (per_sample_weights.defined()) {
        const auto a = input.sizes();
        const auto b = per_sample_weights.sizes();
        if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) {
            fail_with_value(concat("embedding_bag: If per_sample_weights (", shape_list_text(b),
                                   ") is not None, then it must have the same shape as the input (", shape_list_text(a),
                                   ")"));
        }
    }
    Tensor indices = input;
    Tensor starts = offsets;
    Tensor weights = per_sample_weights;
    if (input.dim() == 2) {
        if (offsets.defined()) {
            fail_with_value(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                "sequences. "
                "However, found offsets of type <class 'torch.Tensor'>");
        }
        starts = op_arange_step(0, input.numel(), input.size(1), static_cast<std::int64_t>(input.dtype()), IValue(),
                                input.device(), IValue());
        indices = fn::reshape(input, Dims{-1});
        if (weights.defined()) weights = fn::reshape(weights, Dims{-1});
    } else if (input.dim() == 1) {
        if (!offsets.defined()) fail_with_value("offsets has to be a 1D Tensor but got None");
        if (offsets.dim() != 1) fail_with_value("offsets has to be a 1D Tensor");
    } else {
        fail_with_value(concat("input has to be 1D or 2D Tensor, but got Tensor of dimension ", input.dim()));
    }
    const std::int64_t number = bag_mode(mode);
    if (number == 2 && scale_grad_by_freq) run_error("max mode does not support scaling the gradient by the frequency");
    if (number == 2 && sparse) run_error("max mode does not support sparse weights");
    if (weights.defined() && number != 0) {
        run_error(concat(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            "mode='",
            mode, "'). Please open a feature request on GitHub."));
    }
    renormalize(weight, indices, max_norm, norm_type);
    return std::get<0>(op_embedding_bag(weight, indices, starts, scale_grad_by_freq, number, sparse, weights,
                                        include_last_offset, padding_idx));
}

constexpr NativeFunction kRecords[] = {
    {"embedding(Tensor input, Tensor weight, int? padding_idx=None, float? max_norm=None, float norm_type=2.0, bool "
     "scale_grad_by_freq=False, bool sparse=False) -> Tensor",
     "The rows of a table that indices name.", boxed<embedding>},
    {"embedding_bag(Tensor input, Tensor weight, Tensor? offsets=None, float? max_norm=None, float norm_type=2, bool "
     "scale_grad_by_freq=False, str mode=\"mean\", bool sparse=False, Tensor? per_sample_weights=None, bool "
     "include_last_offset=False, int? padding_idx=None) -> Tensor",
     "Sums, means or maxima over bags of a table's rows.", boxed<embedding_bag>},
    {"one_hot(Tensor tensor, int num_classes=-1) -> Tensor", "One where the class is the index, zero elsewhere.",
     calls<"aten::one_hot">},
};

}  // namespace

FunctionFamily embedding_records() { return kRecords; }

}  // namespace loupe::nn::functional
