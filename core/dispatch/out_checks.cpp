// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/out_checks.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/cpp_type_name.h"

namespace loupe {
namespace {

std::string refusal_text(const Operator& op, ScalarType made, ScalarType out) {
    const OutRefusal& refusal = op.record->out.refusal;
    const bool is_of_indices = made == ScalarType::Int64 && !refusal.of_indices.empty();
    const std::string_view words = is_of_indices ? refusal.of_indices : refusal.of_values;
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] != '{') {
            text += words[i];
            continue;
        }
        switch (words[i + 1]) {
            case 'T':
                text += dtype_graph_name(made);
                break;
            case 'O':
                text += dtype_graph_name(out);
                break;
            case 't':
                text += cpp_type_name(made);
                break;
            case 'o':
                text += cpp_type_name(out);
                break;
            default:
                text += std::string_view(op.schema.name).substr(op.schema.name.rfind(':') + 1);
                break;
        }
        i += 2;
    }
    return text;
}

}  // namespace

void check_out_dtype(const Operator& op, ScalarType made, ScalarType out) {
    const OutForm& form = op.record->out;
    if (made == out || form.refusal.of_values.empty()) return;
    if (form.takes_bytes && out == ScalarType::UInt8) return;
    throw Error(ErrorKind::Run, refusal_text(op, made, out));
}

void prepare_out(const Tensor& out, const Tensor& result) {
    if (!can_cast(result.dtype(), out.dtype())) {
        throw Error(ErrorKind::Run,
                    concat("result type ", dtype_graph_name(result.dtype()),
                           " can't be cast to the desired output type ", dtype_graph_name(out.dtype())));
    }
    if (!std::equal(out.sizes().begin(), out.sizes().end(), result.sizes().begin(), result.sizes().end())) {
        out.set_metadata_from(empty(result.sizes(), out.dtype(), out.device()));
    }
    for (std::size_t d = 0; d < out.sizes().size(); ++d) {
        if (out.strides()[d] != 0 || out.sizes()[d] < 2) continue;
        throw Error(
            ErrorKind::Run,
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation.");
    }
}

void check_out_overlap(const Operator& op, Arguments inputs, const Tensor& out) {
    if (!op.record->out.reads_by_index) return;
    const auto refuse = [](std::string_view what) {
        throw Error(ErrorKind::Run,
                    concat("unsupported operation: ", what, " refer", what[0] == 'm' ? "s" : "",
                           " to a single memory location. Please clone() the tensor before performing the operation."));
    };
    for (std::size_t d = 0; d < out.sizes().size(); ++d) {
        if (out.strides()[d] == 0 && out.sizes()[d] > 1) refuse("more than one element of the written-to tensor");
    }
    if (out.numel() == 0 || !out.is_non_overlapping_and_dense()) return;
    for (const IValue& value : inputs) {
        if (!value.is_tensor()) continue;
        const Tensor input = value.to_tensor();
        if (input.numel() == 0 || !input.is_non_overlapping_and_dense() || input.storage() != out.storage()) continue;
        const auto first = [](const Tensor& t) { return t.storage_offset() * t.element_size(); };
        const auto end = [&](const Tensor& t) { return first(t) + t.numel() * t.element_size(); };
        if (first(input) < end(out) && first(out) < end(input)) {
            refuse("some elements of the input tensor and the written-to tensor");
        }
    }
}

}  // namespace loupe
