// SPDX-License-Identifier: Apache-2.0
#pragma once
// ONNX's operators, composed of the engine's own. An operator's schema is ONNX's: inputs by position, attributes after
// the *, under their names. An operator whose meaning changed has an overload for each opset that changed it:
// onnx::Softmax, onnx::Softmax.v13.

#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_ONNX_RECORDS(FILE)    \
    FILE(arithmetic_records)        \
    FILE(rounding_records)          \
    FILE(comparison_records)        \
    FILE(activation_records)        \
    FILE(cast_records)              \
    FILE(reduction_records)         \
    FILE(softmax_records)           \
    FILE(convolution_records)       \
    FILE(pool_records)              \
    FILE(normalization_records)     \
    FILE(matrix_records)            \
    FILE(recurrent_records)         \
    FILE(attention_records)         \
    FILE(flex_attention_records)    \
    FILE(carried_state_records)     \
    FILE(shape_records)             \
    FILE(joining_records)           \
    FILE(gather_records)            \
    FILE(scatter_records)           \
    FILE(pad_records)               \
    FILE(order_records)             \
    FILE(creation_records)          \
    FILE(resize_records)            \
    FILE(grid_records)              \
    FILE(region_records)            \
    FILE(random_records)            \
    FILE(sequence_records)          \
    FILE(signal_records)            \
    FILE(loss_records)              \
    FILE(quantize_records)          \
    FILE(quantized_product_records) \
    FILE(counting_records)          \
    FILE(feature_records)           \
    FILE(training_records)

namespace loupe::onnx {

LOUPE_ONNX_RECORDS(LOUPE_DECLARE_RECORDS)

constexpr OperatorRecord made_of(std::string_view schema, std::string_view summary, KernelFunction composite) {
    return {.schema = schema, .summary = summary, .composite = composite};
}
// It reads elements on the way: shapes, axes, indices.
constexpr OperatorRecord reading(std::string_view schema, std::string_view summary, KernelFunction composite) {
    return {.schema = schema, .summary = summary, .composite = composite, .placement = Placement::Host};
}

}  // namespace loupe::onnx
