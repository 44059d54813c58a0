// SPDX-License-Identifier: Apache-2.0
// Convolutions of integers: rows of what each position sees, times the weight's columns. Channels lie last within.

#include <array>
#include <numeric>

#include "core/base/parallel.h"
#include "core/ops/quantized/products.h"

namespace loupe::quantized_ops {
namespace {

constexpr std::int64_t kPositionTile = 48;

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

    // visit(line, first place of the input's line or -1) for each line of taps of one position of the output.
    template <typename Visit>
    void each_line(std::int64_t place, Visit&& visit) const {
        const std::int64_t* const z = axes[0].at(place / (axes[1].out * axes[2].out));
        const std::int64_t* const y = axes[1].at(place / axes[2].out % axes[1].out);
        for (std::int64_t i = 0; i < axes[0].taps; ++i) {
            for (std::int64_t j = 0; j < axes[1].taps; ++j) {
                const bool is_padding = z[i] < 0 || y[j] < 0;
                visit(i * axes[1].taps + j, is_padding ? -1 : (z[i] * axes[1].in + y[j]) * axes[2].in);
            }
        }
    }
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
void sum_depthwise(const Shape& shape, const IntegerRows& weight, const std::uint8_t* image, std::int32_t zero_point,
                   std::int64_t first, std::int64_t count, std::int32_t* sums) {
    std::vector<const std::uint8_t*> rows(static_cast<std::size_t>(shape.taps()));
    std::vector<const std::int16_t*> weights(rows.size());
    for (std::int64_t i = 0; i < count; ++i) {
        std::size_t seen = 0;
        shape.each_tap(first + i, [&](std::int64_t tap, std::int64_t place) {
            if (place < 0) return;
            rows[seen] = image + place * shape.in_channels;
            weights[seen++] = weight.row(tap);
        });
        sum_taps(rows.data(), weights.data(), seen, zero_point, shape.out_channels, sums + i * shape.out_channels);
    }
}

bool keeps_places(const ConvSettings& settings) {
    const auto are_all = [](const Dims& numbers, std::int64_t wanted) {
        return std::ranges::all_of(numbers, [&](std::int64_t each) { return each == wanted; });
    };
    return are_all(settings.stride, 1) && are_all(settings.padding, 0) && are_all(settings.output_padding, 0);
}

// What positions see of an image of bytes, a row each.
class SeenRows {
  public:
    SeenRows(const Shape& shape, const PackedConv& packed, std::uint8_t padding)
        : shape_(shape),
          in_(shape.in_channels / packed.settings.groups),
          padding_(padding),
          width_(packed.columns[0].quads() * 4),
          is_place_(shape.taps() == 1 && width_ == shape.in_channels && keeps_places(packed.settings)),
          // Taps along the width lie side by side in the image.
          are_runs_(packed.settings.groups == 1 && packed.settings.dilation.back() == 1 &&
                    !packed.settings.is_transposed) {}

    // Of group g; positions [first, first + count).
    ByteRows rows(const std::uint8_t* image, std::int64_t g, std::int64_t first, std::int64_t count) {
        if (is_place_) return {image + first * shape_.in_channels, count, shape_.in_channels, 0};
        room_.resize(static_cast<std::size_t>(count * width_));
        for (std::int64_t i = 0; i < count; ++i) fill(image, g, first + i, room_.data() + i * width_);
        return {room_.data(), count, width_, 0};
    }

  private:
    void fill(const std::uint8_t* image, std::int64_t g, std::int64_t place, std::uint8_t* row) const {
        const std::int64_t channels = shape_.in_channels;
        if (are_runs_) {
            const Axis& last = shape_.axes[2];
            const std::int64_t* const seen = last.at(place % last.out);
            const bool is_whole = seen[0] >= 0 && seen[last.taps - 1] >= 0;
            return shape_.each_line(place, [&](std::int64_t line, std::int64_t start) {
                std::uint8_t* const to = row + line * last.taps * in_;
                if (start < 0) {
                    std::fill_n(to, last.taps * in_, padding_);
                } else if (is_whole) {
                    std::copy_n(image + (start + seen[0]) * channels, last.taps * in_, to);
                } else {
                    for (std::int64_t k = 0; k < last.taps; ++k)
                        copy_tap(image, g, seen[k] < 0 ? -1 : start + seen[k], to + k * in_);
                }
            });
        }
        shape_.each_tap(place, [&](std::int64_t tap, std::int64_t at) { copy_tap(image, g, at, row + tap * in_); });
    }
    void copy_tap(const std::uint8_t* image, std::int64_t g, std::int64_t at, std::uint8_t* to) const {
        if (at < 0)
            std::fill_n(to, in_, padding_);
        else
            std::copy_n(image + at * shape_.in_channels + g * in_, in_, to);
    }

    const Shape& shape_;
    const std::int64_t in_;
    const std::uint8_t padding_;
    const std::int64_t width_;
    const bool is_place_, are_runs_;
    std::vector<std::uint8_t> room_;
};

// visit(first position of all images, count) for tiles of positions.
template <typename Visit>
void each_tile(const Shape& shape, const Visit& visit) {
    const std::int64_t places = shape.out_places(), tiles = (places + kPositionTile - 1) / kPositionTile;
    const std::int64_t size = (places + tiles - 1) / tiles;
    parallel_for(0, shape.batch * tiles, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t tile = begin; tile < end; ++tile) {
            const std::int64_t first = tile % tiles * size;
            if (first < places) visit(tile / tiles, first, std::min(size, places - first));
        }
    });
}

}  // namespace

Tensor conv_product(const Tensor& integers, double scale, std::int64_t zero_point, const PackedConv& packed,
                    const ProductOutput& to) {
    const Shape shape = shape_of(integers, packed);
    const std::int64_t rank = integers.dim(), channels = shape.out_channels, places = shape.out_places();
    const Tensor x = fn::contiguous(fn::permute(integers, channels_last_order(rank)), 0);
    Dims sizes{shape.batch};
    for (std::size_t d = 3 - packed.spatial_dims(); d < 3; ++d) sizes.push_back(shape.axes[d].out);
    sizes.push_back(channels);
    const Tensor out = empty(span_of(sizes), to.dtype);
    const Requantizer requantizer = requantizer_for(packed.weight, packed.bias, channels, scale, to);
    const auto store = [&](const std::int32_t* sums, std::int64_t stride, std::int64_t channel, std::int64_t n,
                           std::int64_t position, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
            store_sums(sums + i * stride, requantizer, to, channel, n, out, (position + i) * channels + channel);
    };
    const std::int64_t image_size = shape.in_places() * shape.in_channels;
    const UnsignedBytes bytes = unsigned_bytes(x, zero_point);
    if (packed.is_depthwise()) {
        each_tile(shape, [&](std::int64_t image, std::int64_t first, std::int64_t count) {
            std::vector<std::int32_t> sums(static_cast<std::size_t>(count * channels));
            sum_depthwise(shape, packed.taps, bytes.data + image * image_size, bytes.zero_point, first, count,
                          sums.data());
            store(sums.data(), channels, 0, channels, image * places + first, count);
        });
        return fn::permute(out, channels_first_order(rank));
    }
    require(bytes.zero_point >= 0 && bytes.zero_point <= 255, "zero_point ", zero_point, " lies outside the integers");
    const std::int64_t group = channels / packed.settings.groups, width = packed.columns[0].blocks() * kColumnBlock;
    each_tile(shape, [&](std::int64_t image, std::int64_t first, std::int64_t count) {
        SeenRows seen(shape, packed, static_cast<std::uint8_t>(bytes.zero_point));
        std::vector<std::int32_t> sums(static_cast<std::size_t>(count * width));
        for (std::int64_t g = 0; g < packed.settings.groups; ++g) {
            ByteRows rows = seen.rows(bytes.data + image * image_size, g, first, count);
            rows.zero_point = bytes.zero_point;
            const IntegerColumns& columns = packed.columns[static_cast<std::size_t>(g)];
            multiply_columns(rows, columns, 0, columns.blocks(), sums.data(), width);
            store(sums.data(), width, g * group, group, image * places + first, count);
        }
    });
    return fn::permute(out, channels_first_order(rank));
}

}  // namespace loupe::quantized_ops
