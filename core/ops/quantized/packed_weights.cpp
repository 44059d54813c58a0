// SPDX-License-Identifier: Apache-2.0
// Products with weights packed as ggml packs them, and rows of such tables. Of few inputs the packed rows are read as
// they are; of more they are unpacked some at a time into a buffer of their own thread. The whole weight never is.

#include <algorithm>
#include <type_traits>

#include "core/base/parallel.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/row_products.h"
#include "core/ops/matrix/gemm.h"
#include "core/ops/quantized/family.h"
#include "core/ops/quantized/packed_dot.h"
#include "core/ops/quantized/quantized.h"
#include "core/tensor/ggml_blocks.h"
#include "core/tensor/packed.h"

namespace loupe::quantized_ops {
namespace {

constexpr std::int64_t kRowGrain = 8;
// Of fewer inputs blocks are read as they are; of more they are unpacked first: some rows for all inputs, or, where
// there are many, a panel for BLAS.
constexpr std::int64_t kFewInputs = 2;
constexpr std::int64_t kSomeInputs = 16;
constexpr std::int64_t kCachedRows = 4;
constexpr std::int64_t kUnpackedRows = 128;

using Bytes = const std::uint8_t*;

const PackedParts& matrix_of(const Tensor& weight) {
    const PackedParts& parts = packed_parts(weight);
    require(!parts.is_transposed, "a transposed matrix of packed weights: transpose it back first");
    return parts;
}
Bytes row_of(const PackedParts& parts, std::int64_t row) {
    return parts.bytes.data<std::uint8_t>() + parts.stored_row(row) * parts.bytes.size(1);
}
void unpack_row(const PackedParts& parts, std::int64_t row, float* to) {
    dequantize_blocks(*parts.type, row_of(parts, row), parts.columns(), to);
}
// Rows [begin, end) one after the other.
void unpack_rows(const PackedParts& parts, std::int64_t begin, std::int64_t end, float* to) {
    const PackedUnpack unpack = packed_dots(*parts.type).unpack;
    for (std::int64_t i = begin; i < end; ++i, to += parts.columns())
        if (unpack != nullptr)
            unpack(row_of(parts, i), parts.columns(), to);
        else
            unpack_row(parts, i, to);
}
void check_input(const char* name, const Tensor& input, const Tensor& weight, std::int64_t wanted) {
    require(is_packed(weight), name, " takes a weight of packed blocks, not ", describe(weight));
    require(input.dtype() == ScalarType::Float32, name, " takes float32, not ", dtype_name(input.dtype()));
    require(input.dim() >= 1 && input.size(-1) == wanted, "mat1 and mat2 shapes cannot be multiplied (",
            input.dim() == 0 ? 1 : input.numel() / std::max<std::int64_t>(1, input.size(-1)), "x",
            input.dim() == 0 ? 1 : input.size(-1), " and ", wanted, "x",
            wanted == weight.size(1) ? weight.size(0) : weight.size(1), ")");
}

TensorMeta infer_linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    check_input("gguf::linear", input, weight, is_packed(weight) ? weight.size(1) : 0);
    require(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)), "the bias has to have ",
            weight.size(0), " elements");
    Dims sizes = to_dims(input.sizes());
    sizes.back() = weight.size(0);
    return {sizes, ScalarType::Float32};
}

// Inputs and outputs of a product with a packed matrix: count rows of each.
struct Product {
    const PackedParts& parts;
    const float* from;
    std::int64_t count;
    float* to;

    std::int64_t rows() const { return parts.rows(); }
    std::int64_t columns() const { return parts.columns(); }
};

// Elements of 16 or 32 bits are no blocks: a row is read where it lies.
template <typename T>
void linear_of(const Product& p) {
    parallel_for(0, p.rows(), kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<const T*> rows;
        for (std::int64_t i = begin; i < end; ++i) rows.push_back(reinterpret_cast<const T*>(row_of(p.parts, i)));
        row_dots<T>(rows.data(), end - begin, p.columns(), p.from, p.columns(), p.count, p.to + begin, p.rows());
    });
}

// Blocks of some rows as numbers in the cache, for all inputs.
void linear_of_unpacked_rows(const Product& p) {
    parallel_for(0, p.rows(), kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> panel(static_cast<std::size_t>(kCachedRows * p.columns()));
        const float* rows[kCachedRows];
        for (std::int64_t i = 0; i < kCachedRows; ++i) rows[i] = panel.data() + i * p.columns();
        for (std::int64_t i = begin; i < end; i += kCachedRows) {
            const std::int64_t size = std::min(kCachedRows, end - i);
            unpack_rows(p.parts, i, i + size, panel.data());
            row_dots<float>(rows, size, p.columns(), p.from, p.columns(), p.count, p.to + i, p.rows());
        }
    });
}

void linear_of_blocks(const Product& p, const PackedDots& dots) {
    const std::int64_t blocks = p.columns() / 32;
    std::vector<float> sums(static_cast<std::size_t>(p.count * blocks));
    for (std::int64_t k = 0; k < p.count; ++k)
        sums_of_blocks(p.from + k * p.columns(), p.columns(), sums.data() + k * blocks);
    const PackedDot dot = p.count == 1 ? dots.one : dots.two;
    parallel_for(0, p.rows(), kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            dot(row_of(p.parts, i), p.from, sums.data(), p.columns(), p.to + i, p.rows());
    });
}

void linear_of_unpacked(const Product& p) {
    const std::int64_t panels = (p.rows() + kUnpackedRows - 1) / kUnpackedRows;
    parallel_for(0, panels, 1, [&](std::int64_t first, std::int64_t last) {
        std::vector<float> panel(static_cast<std::size_t>(kUnpackedRows * p.columns()));
        for (std::int64_t i = first * kUnpackedRows; i < std::min(last * kUnpackedRows, p.rows()); i += kUnpackedRows) {
            const std::int64_t size = std::min(kUnpackedRows, p.rows() - i);
            unpack_rows(p.parts, i, i + size, panel.data());
            gemm<float>(1, dense_matrix(p.from, p.count, p.columns()),
                        dense_matrix<const float>(panel.data(), size, p.columns()).transposed(), 0,
                        MatrixRef<float>{p.to + i, p.count, size, p.rows(), 1});
        }
    });
}

void run_linear(const Product& p) {
    if (p.count == 0 || p.rows() == 0) return;
    if (p.columns() == 0) {
        std::fill_n(p.to, p.count * p.rows(), 0.0F);
        return;
    }
    if (p.count > kSomeInputs) return linear_of_unpacked(p);
    const std::string_view type = p.parts.type->name;
    if (type == "F32") return linear_of<float>(p);
    if (type == "F16") return linear_of<Half>(p);
    if (type == "BF16") return linear_of<BFloat16>(p);
    const PackedDots dots = packed_dots(*p.parts.type);
    if (dots.one != nullptr && p.count <= kFewInputs) return linear_of_blocks(p, dots);
    linear_of_unpacked_rows(p);
}

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    const TensorMeta meta = infer_linear(input, weight, bias);
    const PackedParts& parts = matrix_of(weight);
    const Tensor x = fn::contiguous(input, 0);
    const Tensor out = empty(span_of(meta.sizes), ScalarType::Float32);
    const std::int64_t count = out.numel() / std::max<std::int64_t>(1, parts.rows());
    run_linear({parts, x.data<float>(), count, out.data<float>()});
    return bias.defined() ? fn::add(out, bias, Scalar(1)) : out;
}

void linear_backward(GradientContext& context) {
    const Tensor grad = context.grad_output();
    context.grad("input", [&] {
        static const OperatorHandle<> product("gguf::product");
        return product(grad, context.argument("weight"));
    });
    context.grad("bias", [&] {
        return fn::sum_dim(fn::reshape(grad, Dims{-1, grad.size(-1)}), Dims{0}, false, IValue());
    });
}

TensorMeta infer_product(const Tensor& input, const Tensor& weight) {
    check_input("gguf::product", input, weight, is_packed(weight) ? weight.size(0) : 0);
    Dims sizes = to_dims(input.sizes());
    sizes.back() = weight.size(1);
    return {sizes, ScalarType::Float32};
}

// Each piece of the rows has its own sum; these are added in order.
void run_product(const Product& p) {
    const std::int64_t panels = (p.rows() + kUnpackedRows - 1) / kUnpackedRows;
    const std::int64_t pieces = std::clamp<std::int64_t>(thread_count(), 1, std::max<std::int64_t>(1, panels));
    const std::int64_t each = (panels + pieces - 1) / pieces * kUnpackedRows, size = p.count * p.columns();
    std::vector<float> sums(static_cast<std::size_t>(pieces * size));
    parallel_for(0, pieces, 1, [&](std::int64_t first, std::int64_t last) {
        std::vector<float> panel(static_cast<std::size_t>(kUnpackedRows * p.columns()));
        for (std::int64_t piece = first; piece < last; ++piece) {
            const std::int64_t end = std::min((piece + 1) * each, p.rows());
            for (std::int64_t i = piece * each; i < end; i += kUnpackedRows) {
                const std::int64_t rows = std::min(kUnpackedRows, end - i);
                unpack_rows(p.parts, i, i + rows, panel.data());
                gemm<float>(1, MatrixRef<const float>{p.from + i, p.count, rows, p.rows(), 1},
                            dense_matrix<const float>(panel.data(), rows, p.columns()), 1,
                            dense_matrix(sums.data() + piece * size, p.count, p.columns()));
            }
        }
    });
    std::copy_n(sums.data(), size, p.to);
    for (std::int64_t piece = 1; piece < pieces; ++piece)
        for (std::int64_t i = 0; i < size; ++i) p.to[i] += sums[static_cast<std::size_t>(piece * size + i)];
}

Tensor product(const Tensor& input, const Tensor& weight) {
    const TensorMeta meta = infer_product(input, weight);
    const PackedParts& parts = matrix_of(weight);
    const Tensor x = fn::contiguous(input, 0);
    const Tensor out = empty(span_of(meta.sizes), ScalarType::Float32);
    if (out.numel() > 0) run_product({parts, x.data<float>(), out.numel() / parts.columns(), out.data<float>()});
    return out;
}

void product_backward(GradientContext& context) {
    context.grad("input", [&] {
        static const OperatorHandle<> linear("gguf::linear");
        return linear(context.grad_output(), context.argument("weight"), IValue());
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
    {.schema = "gguf::product(Tensor input, Tensor weight) -> Tensor",
     .summary = "The product with a matrix that is packed as ggml packs it.",
     .formula = "out = input dequantize(weight)",
     .infer = inferring<infer_product>,
     .kernel = boxed<product>,
     .derivative = {product_backward, {save_argument("weight", "input")}},
     .gradient = "input: grad dequantize(weight)^T",
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
