// SPDX-License-Identifier: Apache-2.0
// Products with integer matrices, and with weights of 8 and 4 bits that are scaled back while multiplying.

#include "core/base/parallel.h"
#include "core/ops/matrix/products.h"
#include "core/ops/quantized/family.h"
#include "core/ops/quantized/quantized.h"
#include "core/ops/samples.h"

namespace loupe::quantized_ops {
namespace {

Tensor cast(const Tensor& t, ScalarType dtype) { return fn::to_dtype(t, number_of(dtype)); }
bool is_number(ScalarType dtype) {
    return dtype == ScalarType::Float32 || dtype == ScalarType::Float16 || dtype == ScalarType::BFloat16;
}

// --- int8 by int8 ---

void check_int_product(const Tensor& self, const Tensor& mat2) {
    require(self.dim() == 2, "Expected self to be of dimension 2 but got ", self.dim());
    require(mat2.dim() == 2, "Expected mat2 to be of dimension 2 but got ", mat2.dim());
    require(self.size(1) == mat2.size(0), "self.size(1) needs to match mat2.size(0) but got ", self.size(1), " and ",
            mat2.size(0));
    require(self.dtype() == ScalarType::Int8, "Expected self dtype to be of type int8 but got ",
            dtype_graph_name(self.dtype()));
    require(mat2.dtype() == ScalarType::Int8, "Expected mat2 dtype to be of type int8 but got ",
            dtype_graph_name(mat2.dtype()));
}
TensorMeta infer_int_product(const Tensor& self, const Tensor& mat2) {
    check_int_product(self, mat2);
    return {Dims{self.size(0), mat2.size(1)}, ScalarType::Int32};
}
Tensor int_product(const Tensor& self, const Tensor& mat2) {
    check_int_product(self, mat2);
    return fn::mm(cast(self, ScalarType::Int32), cast(mat2, ScalarType::Int32));
}

// --- weights of 8 bits ---

void check_int8_weight(const Tensor& self, const Tensor& mat2, const Tensor& scales) {
    require(is_number(self.dtype()), "_weight_int8pack_mm_cpu : expect A to be either 32-bit or 16-bit float tensor.");
    require(self.dim() == 2, "_weight_int8pack_mm_cpu : expect A to be 2D tensor.");
    require(mat2.dtype() == ScalarType::Int8, "_weight_int8pack_mm_cpu : expect B to be int8 tensor.");
    require(mat2.dim() == 2 && mat2.size(1) == self.size(1),
            "_weight_int8pack_mm_cpu : expect B.size(1) == ", self.size(1));
    require(scales.dim() == 1 && scales.size(0) == mat2.size(0),
            "_weight_int8pack_mm_cpu : expect scales to be 1d tensor with size ", mat2.size(0));
}
TensorMeta infer_int8_weight(const Tensor& self, const Tensor& mat2, const Tensor& scales) {
    check_int8_weight(self, mat2, scales);
    return {Dims{self.size(0), mat2.size(0)}, self.dtype()};
}
Tensor int8_weight(const Tensor& self, const Tensor& mat2, const Tensor& scales) {
    check_int8_weight(self, mat2, scales);
    const Tensor sums = fn::mm(cast(self, ScalarType::Float32), fn::t(cast(mat2, ScalarType::Float32)));
    return cast(fn::mul(sums, cast(scales, ScalarType::Float32)), self.dtype());
}

// --- weights of 4 bits, two in a byte ---

// PyTorch packs as its instruction set reads them, and a file does not say which: here always as with AVX2, 32 columns
// at a time. With AVX-512 PyTorch packs 64.
constexpr std::int64_t kPackedColumns = 32;

// Where weight (n, k) lies: the byte, and whether it is its upper half.
struct Nibble {
    std::int64_t byte;
    bool is_upper;
};
Nibble place_of(std::int64_t n, std::int64_t k, std::int64_t columns, std::int64_t depth) {
    const std::int64_t block = n / kPackedColumns, within = n % kPackedColumns;
    const std::int64_t start = block * depth * kPackedColumns / 2;
    const std::int64_t width = std::min(kPackedColumns, columns - block * kPackedColumns);
    if (width == kPackedColumns)
        return {start + k * kPackedColumns / 2 + within % (kPackedColumns / 2), within >= kPackedColumns / 2};
    return {start + k * width / 2 + within / 2, within % 2 == 1};
}

void check_int4_weight(const Tensor& self) {
    require(self.dtype() == ScalarType::Int32, "_convert_weight_to_int4pack_for_cpu : expect weight to be kInt.");
    require(self.dim() == 2, "_convert_weight_to_int4pack_for_cpu : expect weight to be 2D tensor.");
    require(self.size(0) % 16 == 0, "_convert_weight_to_int4pack_for_cpu : expect N to be dividable by 16");
    require(self.size(1) % 2 == 0, "_convert_weight_to_int4pack_for_cpu : expect K to be dividable by 2");
}
TensorMeta infer_packed(const Tensor& self, std::int64_t) {
    check_int4_weight(self);
    return {Dims{self.size(0), self.size(1) / 2}, ScalarType::UInt8};
}
Tensor pack_int4(const Tensor& self, std::int64_t) {
    check_int4_weight(self);
    const std::int64_t columns = self.size(0), depth = self.size(1);
    const Tensor weight = fn::contiguous(self, 0);
    const Dims sizes{columns, depth / 2};
    const Tensor out = zeros(span_of(sizes), ScalarType::UInt8);
    const auto* from = weight.data<std::int32_t>();
    auto* to = out.data<std::uint8_t>();
    for (std::int64_t n = 0; n < columns; ++n) {
        for (std::int64_t k = 0; k < depth; ++k) {
            const Nibble place = place_of(n, k, columns, depth);
            const auto value = static_cast<unsigned>(from[n * depth + k] & 15);
            to[place.byte] = static_cast<std::uint8_t>(to[place.byte] | (place.is_upper ? value << 4 : value));
        }
    }
    return out;
}

void check_int4_product(const Tensor& self, const Tensor& mat2, std::int64_t group, const Tensor& parameters) {
    constexpr const char* kName = "_weight_int4pack_mm_for_cpu : ";
    require(is_number(self.dtype()), kName, "expect A to be either 32-bit or 16-bit float tensor.");
    require(self.dim() == 2, kName, "expect A to be 2D tensor.");
    require(mat2.dtype() == ScalarType::UInt8, kName, "expect B to be uint8 tensor.");
    require(mat2.dim() == 2 && mat2.size(1) == self.size(1) / 2, kName, "expect B.size(1) to be K/2");
    require(group == 32 || group == 64 || group == 128 || group == 256, kName,
            "expect qGroupSize to be 32, 64, 128 or 256, got ", group);
    require(parameters.dim() == 3 && parameters.size(0) == self.size(1) / group && parameters.size(1) == mat2.size(0) &&
                parameters.size(2) == 2 && self.size(1) % group == 0,
            kName, "expect qScaleAndZeros to be 3d tensor with sizes [", self.size(1) / group, ", ", mat2.size(0),
            ", 2]");
}
TensorMeta infer_int4_product(const Tensor& self, const Tensor& mat2, std::int64_t group, const Tensor& parameters) {
    check_int4_product(self, mat2, group, parameters);
    return {Dims{self.size(0), mat2.size(0)}, self.dtype()};
}
// [columns, depth] of float32: (q - 8) scale + zero.
Tensor unpacked_int4(const Tensor& packed, std::int64_t group, const Tensor& parameters) {
    const std::int64_t columns = packed.size(0), depth = packed.size(1) * 2;
    const Dims sizes{columns, depth};
    const Tensor weight = empty(span_of(sizes), ScalarType::Float32);
    const Tensor bytes = fn::contiguous(packed, 0), numbers = fn::contiguous(cast(parameters, ScalarType::Float32), 0);
    const auto* from = bytes.data<std::uint8_t>();
    const auto* pairs = numbers.data<float>();
    auto* to = weight.data<float>();
    parallel_for(0, columns, 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = begin; n < end; ++n) {
            for (std::int64_t k = 0; k < depth; ++k) {
                const Nibble place = place_of(n, k, columns, depth);
                const int q = place.is_upper ? from[place.byte] >> 4 : from[place.byte] & 15;
                const float* const pair = pairs + (k / group * columns + n) * 2;
                to[n * depth + k] = static_cast<float>(q - 8) * pair[0] + pair[1];
            }
        }
    });
    return weight;
}
Tensor int4_product(const Tensor& self, const Tensor& mat2, std::int64_t group, const Tensor& parameters) {
    check_int4_product(self, mat2, group, parameters);
    const Tensor weight = unpacked_int4(mat2, group, parameters);
    return cast(fn::mm(cast(self, ScalarType::Float32), fn::t(weight)), self.dtype());
}

// --- weights of 4 bits, inputs rounded to 8 bits by row ---

// The bytes of the weights and then the scales, all as float32: the form of PyTorch where no ARM kernel is.
Tensor pack_dynamic(const Tensor& weights, const Tensor& scales, const Tensor& bias, std::int64_t, std::int64_t,
                    std::int64_t) {
    require(weights.dtype() == ScalarType::UInt8, "_dyn_quant_pack_4bit_weight : expect weight to be kByte.");
    require(!bias.defined(), "dyn_quant_pack_4bit_weight_kernel : Bias is unsupported in reference implementation");
    const auto flat = [](const Tensor& t) { return cast(fn::reshape(t, Dims{-1}), ScalarType::Float32); };
    return fn::cat(TensorList{flat(weights), flat(scales)}, 0);
}

// A row as int8: x = (q - zero_point) / scale.
struct QuantizedRow {
    std::vector<std::int32_t> offsets;  // q - zero_point
    float step = 0;                     // 1 / scale
};
QuantizedRow quantized_row(const float* x, std::int64_t n) {
    constexpr float kLeast = -128, kMost = 127;
    float least = 0, most = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        least = std::min(least, x[i]);
        most = std::max(most, x[i]);
    }
    const float scale = least == most ? 1.0F : (kMost - kLeast) / (most - least);
    const float low = least * scale, high = most * scale;
    const float point = kLeast + low + (kMost + high) > 0 ? kLeast - low : kMost - high;
    const auto zero_point = static_cast<std::int32_t>(std::lrint(std::clamp(point, kLeast, kMost)));
    QuantizedRow row{{}, scale != 0 ? 1.0F / scale : 0.0F};
    for (std::int64_t i = 0; i < n; ++i) {
        const auto q = static_cast<std::int32_t>(std::round(x[i] * scale)) + zero_point;
        row.offsets.push_back(std::clamp(q, -128, 127) - zero_point);
    }
    return row;
}

struct PackedWeights {
    const float* bytes;
    const float* scales;
    std::int64_t block, depth;

    // The product of row n with a quantised row, before the row's step.
    float product(const QuantizedRow& row, std::int64_t n) const {
        float sum = 0;
        const std::int64_t blocks = depth / block;
        for (std::int64_t b = 0; b < blocks; ++b) {
            std::int32_t whole = 0;
            for (std::int64_t k = b * block; k < (b + 1) * block; ++k) {
                const auto byte = static_cast<int>(bytes[(n * depth + k) / 2]);
                whole += row.offsets[static_cast<std::size_t>(k)] * ((k % 2 == 0 ? byte & 15 : byte >> 4) - 8);
            }
            sum += static_cast<float>(whole) * scales[n * blocks + b];
        }
        return sum;
    }
};

Tensor dynamic_product(const Tensor& input, const Tensor& packed, std::int64_t block, std::int64_t in_features,
                       std::int64_t out_features) {
    require(input.dtype() == ScalarType::Float32, "_dyn_quant_matmul_4bit : expect input to be float32.");
    require(packed.dtype() == ScalarType::Float32 && packed.dim() == 1,
            "_dyn_quant_matmul_4bit : the packed weights are those of another processor");
    require(in_features > 0 && in_features % 2 == 0 && out_features >= 0 && input.dim() >= 1 &&
                input.size(-1) == in_features,
            "_dyn_quant_matmul_4bit : expect input of ", in_features, " features");
    require(block > 0 && (block == in_features || (block % 32 == 0 && in_features % block == 0)),
            "dyn_quant_matmul_4bit_kernel: Group size should be multiple 32 or in_features [", in_features,
            "]. Provided ", block);
    const std::int64_t bytes = out_features * in_features / 2;
    require(packed.numel() >= bytes + out_features * (in_features / block),
            "_dyn_quant_matmul_4bit : too few packed weights");
    const Tensor rows = fn::contiguous(fn::reshape(input, Dims{-1, in_features}), 0), held = fn::contiguous(packed, 0);
    const Dims sizes{rows.size(0), out_features};
    const Tensor out = empty(span_of(sizes), ScalarType::Float32);
    const PackedWeights weights{held.data<float>(), held.data<float>() + bytes, block, in_features};
    parallel_for(0, rows.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const QuantizedRow row = quantized_row(rows.data<float>() + i * in_features, in_features);
            for (std::int64_t n = 0; n < out_features; ++n)
                out.data<float>()[i * out_features + n] = weights.product(row, n) * row.step;
        }
    });
    return out;
}

std::vector<Sample> int_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Int8) return {};
    return {{{random_tensor(random, {3, 5}, dtype), random_tensor(random, {5, 4}, dtype)}}};
}
std::vector<Sample> int8_samples(Random& random, ScalarType dtype) {
    if (!is_number(dtype)) return {};
    return {{{random_tensor(random, {3, 5}, dtype), random_tensor(random, {4, 5}, ScalarType::Int8),
              random_tensor(random, {4}, dtype)}}};
}
std::vector<Sample> int4_samples(Random& random, ScalarType dtype) {
    if (!is_number(dtype)) return {};
    const Tensor weight = random_indices(random, {80, 16}, 256);
    return {{{random_tensor(random, {3, 32}, dtype), fn::to_dtype(weight, number_of(ScalarType::UInt8)), 32,
              random_tensor(random, {1, 80, 2}, dtype)}}};
}
std::vector<Sample> pack_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Int32) return {};
    const Tensor weight = fn::to_dtype(random_indices(random, {80, 4}, 16), number_of(dtype));
    return {{{weight, 2}}};
}

Cost product_cost(Arguments arguments, std::span<const IValue> results) {
    return matrix::product_cost(static_cast<double>(arguments[0].to_tensor().size(-1)), arguments, results);
}

constexpr OperatorRecord product(std::string_view schema, std::string_view summary, std::string_view formula,
                                 InferFunction infer, KernelFunction kernel, SamplesFunction samples) {
    return {.schema = schema,
            .summary = summary,
            .formula = formula,
            .infer = infer,
            .kernel = kernel,
            .cost = product_cost,
            .samples = samples,
            .is_gradient_stop = true};
}

constexpr OperatorRecord kRecords[] = {
    product("aten::_int_mm(Tensor self, Tensor mat2) -> Tensor", "Product of int8 matrices in int32.", "self mat2",
            inferring<infer_int_product>, boxed<int_product>, int_samples)
        .with_out({}),
    product("aten::_weight_int8pack_mm(Tensor self, Tensor mat2, Tensor scales) -> Tensor",
            "Product with a weight of int8, each of whose rows has a scale.", "(self mat2^T) scales",
            inferring<infer_int8_weight>, boxed<int8_weight>, int8_samples),
    product("aten::_convert_weight_to_int4pack_for_cpu(Tensor self, int innerKTiles) -> Tensor",
            "Weights of 4 bits, two in a byte, as PyTorch packs them where AVX2 is.", "", inferring<infer_packed>,
            boxed<pack_int4>, pack_samples),
    product("aten::_weight_int4pack_mm_for_cpu(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> "
            "Tensor",
            "Product with packed weights of 4 bits; each group of a row has a scale and a zero.",
            "self ((q - 8) scale + zero)^T", inferring<infer_int4_product>, boxed<int4_product>, int4_samples),
    product("aten::_dyn_quant_pack_4bit_weight(Tensor weights, Tensor scales_zeros, Tensor? bias, int block_size, int "
            "in_features, int out_features) -> Tensor",
            "Weights of 4 bits and their scales in one tensor.", "", nullptr, boxed<pack_dynamic>, nullptr),
    product("aten::_dyn_quant_matmul_4bit(Tensor inp, Tensor packed_weights, int block_size, int in_features, int "
            "out_features) -> Tensor",
            "Product of rows rounded to 8 bits with packed weights of 4 bits.", "", nullptr, boxed<dynamic_product>,
            nullptr),
};

}  // namespace

std::span<const OperatorRecord> weight_only_records() { return kRecords; }

}  // namespace loupe::quantized_ops
