// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized/products.h"

#include "core/base/parallel.h"

namespace loupe::quantized_ops {
namespace {

constexpr std::int64_t kRowTile = 48;

std::vector<float> scales_of(const Tensor& weight, std::int64_t channels) {
    const QuantizedParts& parts = quantized_parts(weight);
    if (!parts.is_by_channel())
        return std::vector<float>(static_cast<std::size_t>(channels), static_cast<float>(parts.scale));
    const Tensor scales = fn::contiguous(fn::to_dtype(parts.scales, number_of(ScalarType::Float32)), 0);
    return {scales.data<float>(), scales.data<float>() + scales.numel()};
}

}  // namespace

Requantizer requantizer_for(const Tensor& weight, const Tensor& bias, std::int64_t channels, double input_scale,
                            const ProductOutput& to) {
    const bool is_by_channel = quantized_parts(weight).is_by_channel();
    std::vector<float> scales = scales_of(weight, channels);
    for (float& scale : scales) scale *= static_cast<float>(input_scale);  // of the product
    Requantizer made;
    made.offsets.assign(scales.size(), 0.0F);
    if (bias.defined()) {
        const Tensor added = fn::contiguous(fn::to_dtype(bias, number_of(ScalarType::Float32)), 0);
        std::copy_n(added.data<float>(), scales.size(), made.offsets.begin());
    }
    made.multipliers = scales;
    if (to.is_float()) return made;
    for (std::size_t c = 0; c < scales.size(); ++c) {
        made.offsets[c] = is_by_channel ? made.offsets[c] / scales[c] : made.offsets[c] * (1.0F / scales[c]);
        made.multipliers[c] = scales[c] / static_cast<float>(to.scale);
    }
    const Range range = integers_in(to.dtype);
    require(to.zero_point >= range.least && to.zero_point <= range.most, "zero_point ", to.zero_point,
            " lies outside the integers of the result");
    made.zero_point = static_cast<std::int32_t>(to.zero_point);
    made.least = to.is_rectified ? made.zero_point : static_cast<std::int32_t>(range.least);
    made.most = static_cast<std::int32_t>(range.most);
    return made;
}

UnsignedBytes unsigned_bytes(const Tensor& contiguous, std::int64_t zero_point) {
    const auto point = static_cast<std::int32_t>(zero_point);
    if (contiguous.dtype() == ScalarType::UInt8) return {contiguous, contiguous.data<std::uint8_t>(), point};
    require(contiguous.dtype() == ScalarType::Int8, "quantised products take torch.quint8 and torch.qint8");
    const Tensor moved = empty(contiguous.sizes(), ScalarType::UInt8);
    const auto* const from = contiguous.data<std::int8_t>();
    auto* const to = moved.data<std::uint8_t>();
    for (std::int64_t i = 0; i < moved.numel(); ++i) to[i] = static_cast<std::uint8_t>(from[i] + 128);
    return {moved, to, point + 128};
}

void store_sums(const std::int32_t* sums, const Requantizer& to, const ProductOutput& output, std::int64_t first,
                std::int64_t n, const Tensor& result, std::int64_t place) {
    if (output.dtype == ScalarType::UInt8) return requantize(sums, to, first, n, result.data<std::uint8_t>() + place);
    if (output.dtype == ScalarType::Int8) return requantize(sums, to, first, n, result.data<std::int8_t>() + place);
    float* const target = result.data<float>() + place;
    const float* const multipliers = to.multipliers.data() + first;
    const float* const offsets = to.offsets.data() + first;
    for (std::int64_t c = 0; c < n; ++c) {
        const float value = static_cast<float>(sums[c]) * multipliers[c] + offsets[c];
        target[c] = output.is_rectified ? std::max(value, 0.0F) : value;
    }
}

Tensor linear_product(const Tensor& integers, double scale, std::int64_t zero_point, const PackedLinear& packed,
                      const ProductOutput& to) {
    require(is_quantized(packed.weight), "a product of integers takes a weight of torch.qint8");
    const std::int64_t inner = packed.weight.size(1), columns = packed.weight.size(0);
    require(integers.dim() >= 1 && integers.size(-1) == inner, "The number of columns in the input (",
            integers.dim() == 0 ? 0 : integers.size(-1), ") should be equal to that of the weight (", inner, ")");
    const Tensor x = fn::contiguous(integers, 0);
    Dims sizes = to_dims(x.sizes());
    sizes.back() = columns;
    const Tensor out = empty(span_of(sizes), to.dtype);
    const Requantizer requantizer = requantizer_for(packed.weight, packed.bias, columns, scale, to);
    const IntegerColumns& weight = packed.columns;
    const std::int64_t rows = inner == 0 ? out.numel() / std::max<std::int64_t>(columns, 1) : x.numel() / inner;
    const UnsignedBytes bytes = unsigned_bytes(x, zero_point);
    const std::int64_t depth = weight.quads() * 4;
    const auto run = [&](std::int64_t row, std::int64_t row_end, std::int64_t block, std::int64_t block_end) {
        const std::int64_t count = row_end - row, first = block * kColumnBlock;
        const std::int64_t width = std::min(columns, block_end * kColumnBlock) - first;
        const std::int64_t stride = (block_end - block) * kColumnBlock;
        ByteRows left{bytes.data + row * inner, count, inner, bytes.zero_point};
        // Kernels read whole groups of four.
        std::vector<std::uint8_t> copied(static_cast<std::size_t>(inner == depth ? 0 : count * depth));
        if (inner != depth) {
            for (std::int64_t i = 0; i < count; ++i)
                std::copy_n(left.data + i * inner, inner, copied.data() + i * depth);
            left.data = copied.data();
            left.stride = depth;
        }
        std::vector<std::int32_t> sums(static_cast<std::size_t>(count * stride));
        multiply_columns(left, weight, block, block_end, sums.data(), stride);
        for (std::int64_t i = 0; i < count; ++i)
            store_sums(sums.data() + i * stride, requantizer, to, first, width, out, (row + i) * columns + first);
    };
    // Over rows, or over columns where there are few rows.
    constexpr std::int64_t kBlocks = 4;
    if (rows < kRowTile) {
        parallel_for(0, rows == 0 ? 0 : weight.blocks(), kBlocks,
                     [&](std::int64_t begin, std::int64_t end) { run(0, rows, begin, end); });
    } else {
        parallel_for(0, columns == 0 ? 0 : rows, kRowTile, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; i += kRowTile)
                run(i, std::min(i + kRowTile, end), 0, weight.blocks());
        });
    }
    return out;
}

Tensor linear_of_floats(const Tensor& x, const PackedLinear& packed, bool reduce_range) {
    require(x.dtype() == ScalarType::Float32 && !x.is_sparse(),
            "quantized::linear_dynamic (fbgemm): data type of input should be float.");
    require(is_quantized(packed.weight), "quantized::linear_dynamic takes a weight of torch.qint8");
    const auto [least, most] = least_and_most(x);
    const Parameters chosen = choose_parameters(least, most, {0, 255}, reduce_range);
    const double scale = static_cast<double>(chosen.scale);
    const Tensor q = quantize(x, scale, chosen.zero_point, ScalarType::UInt8);
    return linear_product(quantized_parts(q).integers, scale, chosen.zero_point, packed, {});
}

Tensor linear_of_halves(const Tensor& x, const PackedLinear& packed) {
    require(!is_quantized(packed.weight), "quantized::linear_dynamic_fp16 takes a weight of float16");
    const std::int64_t wide = number_of(ScalarType::Float32);
    return fn::linear(x, fn::to_dtype(packed.weight, wide),
                      packed.bias.defined() ? fn::to_dtype(packed.bias, wide) : Tensor());
}

}  // namespace loupe::quantized_ops
