// SPDX-License-Identifier: Apache-2.0
// Convolutions of integers: rows of what each position sees, times the weight's rows. Channels lie last within.

#include <array>
#include <numeric>

#include "core/base/parallel.h"
#include "core/ops/quantized/products.h"

namespace loupe::quantized_ops {
namespace {

constexpr std::int64_t kPositionTile = 32;

// Which place of the input an output's place sees through each tap, along one dimension; -1: padding.
struct Axis {
    std::int64_t in = 1, out = 1, taps = 1;
    std::vector<std::int64_t> seen = {0};  // [out, taps]

    const std::int64_t* at(std::int64_t place) const { return seen.data() + place * taps; }
};

Axis axis_of(std::int64_t in, std::int64_t taps, const ConvSettings& settings, std::size_t d) {
    const std::int64_t stride = settings.stride[d], padding = settings.padding[d], dilation = settings.dilation[d];
    const std::int64_t reach = dilation * (taps - 1);
    Axis axis{in, 0, taps, {}};
    axis.out = settings.is_transposed ? (in - 1) * stride - 2 * padding + reach + settings.output_padding[d] + 1
                                      : (in + 2 * padding - reach - 1) / stride + 1;
    require(in + 2 * padding > reach || settings.is_transposed, "Kernel size can't be greater than actual input size");
    require(axis.out > 0, "each dimension of the output tensor should be greater than 0");
    axis.seen.resize(static_cast<std::size_t>(axis.out * taps));
    for (std::int64_t place = 0; place < axis.out; ++place) {
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            std::int64_t from =
                settings.is_transposed ? place + padding - tap * dilation : place * stride - padding + tap * dilation;
            if (settings.is_transposed) from = from >= 0 && from % stride == 0 ? from / stride : -1;
            axis.seen[static_cast<std::size_t>(place * taps + tap)] = from < in ? std::max<std::int64_t>(from, -1) : -1;
        }
    }
    return axis;
}

struct Shape {
    std::int64_t batch = 0, in_channels = 0, out_channels = 0;
    std::array<Axis, 3> axes;  // depth, height, width

    std::int64_t in_places() const { return axes[0].in * axes[1].in * axes[2].in; }
    std::int64_t out_places() const { return axes[0].out * axes[1].out * axes[2].out; }
    std::int64_t taps() const { return axes[0].taps * axes[1].taps * axes[2].taps; }

    // visit(tap, place in the input or -1) for each tap of one position of the output.
    template <typename Visit>
    void each_tap(std::int64_t place, Visit&& visit) const {
        const std::int64_t* const z = axes[0].at(place / (axes[1].out * axes[2].out));
        const std::int64_t* const y = axes[1].at(place / axes[2].out % axes[1].out);
        const std::int64_t* const x = axes[2].at(place % axes[2].out);
        std::int64_t tap = 0;
        for (std::int64_t i = 0; i < axes[0].taps; ++i) {
            for (std::int64_t j = 0; j < axes[1].taps; ++j) {
                for (std::int64_t k = 0; k < axes[2].taps; ++k, ++tap) {
                    const bool is_padding = z[i] < 0 || y[j] < 0 || x[k] < 0;
                    visit(tap, is_padding ? -1 : (z[i] * axes[1].in + y[j]) * axes[2].in + x[k]);
                }
            }
        }
    }
};

Shape shape_of(const Tensor& x, const PackedConv& packed) {
    const std::size_t dims = packed.spatial_dims();
    require(static_cast<std::size_t>(x.dim()) == dims + 2, "activation shape mismatch: a quantised convolution of ",
            dims, " dimensions takes an input of ", dims + 2);
    require(x.size(1) == packed.in_channels(), "Given weight of size ", shape_list_text(packed.weight.sizes()),
            " expected input to have ", packed.in_channels(), " channels, but got ", x.size(1), " channels instead");
    Shape shape{x.size(0), x.size(1), packed.out_channels(), {}};
    for (std::size_t d = 0; d < dims; ++d) {
        const auto at = static_cast<std::int64_t>(d) + 2;
        shape.axes[3 - dims + d] = axis_of(x.size(at), packed.weight.size(at), packed.settings, d);
    }
    return shape;
}

Dims channels_last_order(std::int64_t rank) {
    Dims order(static_cast<std::size_t>(rank), 0);
    std::iota(order.begin() + 1, order.end() - 1, 2);
    order.back() = 1;
    return order;
}
Dims channels_first_order(std::int64_t rank) {
    Dims order(static_cast<std::size_t>(rank), 0);
    order[1] = rank - 1;
    std::iota(order.begin() + 2, order.end(), 1);
    return order;
}

// One input channel each output channel: sums [count, channels].
void sum_depthwise(const Shape& shape, const IntegerRows& weight, const std::int16_t* image, std::int64_t first,
                   std::int64_t count, std::int32_t* sums) {
    std::fill_n(sums, count * shape.out_channels, 0);
    for (std::int64_t i = 0; i < count; ++i) {
        shape.each_tap(first + i, [&](std::int64_t tap, std::int64_t place) {
            if (place < 0) return;
            add_products(image + place * shape.in_channels, weight.row(tap), shape.out_channels,
                         sums + i * shape.out_channels);
        });
    }
}

// rows: room for [count, depth] of one group, zero behind its elements.
void sum_groups(const Shape& shape, const PackedConv& packed, const std::int16_t* image, std::int64_t first,
                std::int64_t count, std::int16_t* rows, std::int32_t* sums) {
    const std::int64_t groups = packed.settings.groups, depth = packed.rows.depth;
    const std::int64_t in = shape.in_channels / groups, out = shape.out_channels / groups;
    for (std::int64_t g = 0; g < groups; ++g) {
        for (std::int64_t i = 0; i < count; ++i) {
            std::int16_t* const row = rows + i * depth;
            shape.each_tap(first + i, [&](std::int64_t tap, std::int64_t place) {
                if (place < 0)
                    std::fill_n(row + tap * in, in, std::int16_t{0});
                else
                    std::copy_n(image + place * shape.in_channels + g * in, in, row + tap * in);
            });
        }
        multiply_rows(rows, count, packed.rows.row(g * out), out, depth, sums + g * out, shape.out_channels);
    }
}

}  // namespace

Tensor conv_product(const Tensor& integers, double scale, std::int64_t zero_point, const PackedConv& packed,
                    const ProductOutput& to) {
    const Shape shape = shape_of(integers, packed);
    const std::int64_t rank = integers.dim(), channels = shape.out_channels, places = shape.out_places();
    const Tensor x = fn::contiguous(fn::permute(integers, channels_last_order(rank)), 0);
    std::vector<std::int16_t> wide(static_cast<std::size_t>(x.numel()));
    parallel_for(0, x.numel(), 1 << 16,
                 [&](std::int64_t begin, std::int64_t end) { widen(x, zero_point, wide.data() + begin, begin, end); });
    Dims sizes{shape.batch};
    for (std::size_t d = 3 - packed.spatial_dims(); d < 3; ++d) sizes.push_back(shape.axes[d].out);
    sizes.push_back(channels);
    const Tensor out = empty(span_of(sizes), to.dtype);
    const Requantizer requantizer = requantizer_for(packed.weight, packed.bias, channels, scale, to);
    const std::int64_t tiles = (places + kPositionTile - 1) / kPositionTile;
    parallel_for(0, shape.batch * tiles, 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int16_t> rows(
            static_cast<std::size_t>(packed.is_depthwise() ? 0 : kPositionTile * packed.rows.depth));
        std::vector<std::int32_t> sums(static_cast<std::size_t>(kPositionTile * channels));
        for (std::int64_t tile = begin; tile < end; ++tile) {
            const std::int64_t image = tile / tiles, first = tile % tiles * kPositionTile;
            const std::int64_t count = std::min(kPositionTile, places - first);
            const std::int16_t* const source = wide.data() + image * shape.in_places() * shape.in_channels;
            if (packed.is_depthwise())
                sum_depthwise(shape, packed.rows, source, first, count, sums.data());
            else
                sum_groups(shape, packed, source, first, count, rows.data(), sums.data());
            for (std::int64_t i = 0; i < count; ++i)
                store_sums(sums.data() + i * channels, requantizer, to, 0, channels, out,
                           (image * places + first + i) * channels);
        }
    });
    return fn::permute(out, channels_first_order(rank));
}

}  // namespace loupe::quantized_ops
