// SPDX-License-Identifier: Apache-2.0
// Products with weights packed as ggml packs them, and rows of such tables. Rows are unpacked one at a time into a
// buffer of their own thread; the whole weight never is.

#include "core/base/parallel.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/quantized/family.h"
#include "core/ops/quantized/packed_dot.h"
#include "core/ops/quantized/quantized.h"
#include "core/tensor/ggml_blocks.h"
#include "core/tensor/packed.h"

namespace loupe::quantized_ops {
namespace {

constexpr std::int64_t kRowGrain = 8;
// Of fewer inputs a packed row is read once for each; of more it is unpacked once.
constexpr std::int64_t kFewInputs = 4;

const PackedParts& matrix_of(const Tensor& weight) {
    const PackedParts& parts = packed_parts(weight);
    require(!parts.is_transposed, "a transposed matrix of packed weights: transpose it back first");
    return parts;
}
void unpack_row(const PackedParts& parts, std::int64_t row, float* to) {
    dequantize_blocks(*parts.type, parts.bytes.data<std::uint8_t>() + parts.stored_row(row) * parts.bytes.size(1),
                      parts.columns(), to);
}

TensorMeta infer_linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    require(is_packed(weight), "gguf::linear takes a weight of packed blocks, not ", describe(weight));
    require(input.dtype() == ScalarType::Float32, "gguf::linear takes float32, not ", dtype_name(input.dtype()));
    require(input.dim() >= 1 && input.size(-1) == weight.size(1), "mat1 and mat2 shapes cannot be multiplied (",
            input.dim() == 0 ? 1 : input.numel() / std::max<std::int64_t>(1, input.size(-1)), "x",
            input.dim() == 0 ? 1 : input.size(-1), " and ", weight.size(1), "x", weight.size(0), ")");
    require(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)), "the bias has to have ",
            weight.size(0), " elements");
    Dims sizes = to_dims(input.sizes());
    sizes.back() = weight.size(0);
    return {sizes, ScalarType::Float32};
}

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    const TensorMeta meta = infer_linear(input, weight, bias);
    const PackedParts& parts = matrix_of(weight);
    const Tensor x = fn::contiguous(input, 0);
    const Tensor out = empty(span_of(meta.sizes), ScalarType::Float32);
    const std::int64_t columns = parts.columns(), rows = parts.rows();
    const std::int64_t count = columns == 0 ? 0 : x.numel() / columns;
    const auto* const from = x.data<float>();
    auto* const to = out.data<float>();
    const PackedDot direct = packed_dot(*parts.type);
    const auto* const packed = parts.bytes.data<std::uint8_t>();
    const std::int64_t row_bytes = parts.bytes.size(1);
    parallel_for(0, rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        if (direct != nullptr && count <= kFewInputs) {
            for (std::int64_t i = begin; i < end; ++i)
                for (std::int64_t k = 0; k < count; ++k)
                    to[k * rows + i] = direct(packed + parts.stored_row(i) * row_bytes, from + k * columns, columns);
            return;
        }
        std::vector<float> row(static_cast<std::size_t>(columns));
        for (std::int64_t i = begin; i < end; ++i) {
            unpack_row(parts, i, row.data());
            for (std::int64_t k = 0; k < count; ++k)
                to[k * rows + i] = dot_float(from + k * columns, row.data(), columns);
        }
    });
    return bias.defined() ? fn::add(out, bias, Scalar(1)) : out;
}

void linear_backward(GradientContext& context) {
    const Tensor grad = context.grad_output();
    context.grad("input", [&] {
        static const OperatorHandle<> dequantize("aten::dequantize.self");
        return fn::matmul(grad, dequantize(context.argument("weight")));
    });
    context.grad("bias", [&] {
        return fn::sum_dim(fn::reshape(grad, Dims{-1, grad.size(-1)}), Dims{0}, false, IValue());
    });
}

TensorMeta infer_embedding(const Tensor& weight, const Tensor& indices) {
    require(is_packed(weight), "gguf::embedding takes a table of packed blocks, not ", describe(weight));
    require(indices.dtype() == ScalarType::Int64 || indices.dtype() == ScalarType::Int32,
            "indices are int64 or int32, not ", dtype_name(indices.dtype()));
    Dims sizes = to_dims(indices.sizes());
    sizes.push_back(weight.size(1));
    return {sizes, ScalarType::Float32};
}

Tensor embedding(const Tensor& weight, const Tensor& indices) {
    const TensorMeta meta = infer_embedding(weight, indices);
    const PackedParts& parts = matrix_of(weight);
    const Tensor places = fn::contiguous(fn::to_dtype(indices, number_of(ScalarType::Int64)), 0);
    const Tensor out = empty(span_of(meta.sizes), ScalarType::Float32);
    for (std::int64_t i = 0; i < places.numel(); ++i) {
        const std::int64_t row = places.data<std::int64_t>()[i];
        require(row >= 0 && row < parts.rows(), "index out of range in self");
        unpack_row(parts, row, out.data<float>() + i * parts.columns());
    }
    return out;
}

std::vector<Sample> no_samples(Random&, ScalarType) { return {}; }

constexpr OperatorRecord kRecords[] = {
    {.schema = "gguf::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
     .summary = "A linear map whose weight is packed as ggml packs it.",
     .formula = "out = input dequantize(weight)^T + bias",
     .infer = inferring<infer_linear>,
     .kernel = boxed<linear>,
     .derivative = {linear_backward, {save_argument("weight", "input")}},
     .gradient = "input: grad dequantize(weight)\nbias: sum_n grad[n]",
     .samples = no_samples},
    {.schema = "gguf::embedding(Tensor weight, Tensor indices) -> Tensor",
     .summary = "The rows of a table that is packed as ggml packs it.",
     .formula = "out[i] = dequantize(weight[indices[i]])",
     .infer = inferring<infer_embedding>,
     .kernel = boxed<embedding>,
     .samples = no_samples,
     .is_gradient_stop = true},
};

}  // namespace

std::span<const OperatorRecord> packed_weight_records() { return kRecords; }

}  // namespace loupe::quantized_ops
