// SPDX-License-Identifier: Apache-2.0
// Convolutions as products of matrices whose columns are read where they stand in the image. A batch of products has
// one of each image and group; of the weights' gradient one of each group.
#include "plugins/cuda/loops/product_tile.h"
#include "plugins/cuda/loops/products.h"

namespace loupe::cuda {
namespace {

struct Geometry {
    std::int64_t in, out, groups;  // channels of a group
    std::int64_t input[3], kernel[3], output[3], stride[3], padding[3], dilation[3];
    std::int64_t input_pixels, kernel_pixels, output_pixels;

    explicit Geometry(const ConvolutionGeometry& g)
        : in(g.in_channels / g.groups), out(g.out_channels / g.groups), groups(g.groups) {
        for (int d = 0; d < 3; ++d) {
            input[d] = g.input[d];
            kernel[d] = g.kernel[d];
            output[d] = g.output[d];
            stride[d] = g.stride[d];
            padding[d] = g.padding[d];
            dilation[d] = g.dilation[d];
        }
        input_pixels = input[0] * input[1] * input[2];
        kernel_pixels = kernel[0] * kernel[1] * kernel[2];
        output_pixels = output[0] * output[1] * output[2];
    }
    LOUPE_HD static void place(std::int64_t at, const std::int64_t* sizes, std::int64_t* to) {
        const std::int64_t row = quotient(at, sizes[2]);
        to[2] = at - row * sizes[2];
        to[0] = quotient(row, sizes[1]);
        to[1] = row - to[0] * sizes[1];
    }
    // The pixel of the input that a tap of the kernel meets at a pixel of the output; -1: padding.
    LOUPE_HD std::int64_t met(std::int64_t pixel, std::int64_t tap) const {
        std::int64_t at[3], of[3];
        place(pixel, output, at);
        place(tap, kernel, of);
        std::int64_t found = 0;
        for (int d = 0; d < 3; ++d) {
            const std::int64_t i = at[d] * stride[d] - padding[d] + of[d] * dilation[d];
            if (i < 0 || i >= input[d]) return -1;
            found = found * input[d] + i;
        }
        return found;
    }
    // The pixel of the output where the tap meets this pixel of the input; -1: none.
    LOUPE_HD std::int64_t meeting(std::int64_t pixel, std::int64_t tap) const {
        std::int64_t at[3], of[3];
        place(pixel, input, at);
        place(tap, kernel, of);
        std::int64_t found = 0;
        for (int d = 0; d < 3; ++d) {
            const std::int64_t whole = at[d] + padding[d] - of[d] * dilation[d];
            if (whole < 0) return -1;
            const std::int64_t o = quotient(whole, stride[d]);
            if (o * stride[d] != whole || o >= output[d]) return -1;
            found = found * output[d] + o;
        }
        return found;
    }
};

// Channel c of group b % groups of image b / groups: images hold their groups one after another.
LOUPE_HD inline std::int64_t plane_of(std::int64_t b, std::int64_t channels, std::int64_t c) {
    return b * channels + c;
}

template <typename S>
struct Weights {
    Geometry g;
    const S* w;
    LOUPE_HD std::int64_t group(std::int64_t b) const { return b - quotient(b, g.groups) * g.groups; }
    LOUPE_HD Sum<S> of(std::int64_t b, std::int64_t out, std::int64_t in, std::int64_t tap) const {
        return widened(w[((group(b) * g.out + out) * g.in + in) * g.kernel_pixels + tap]);
    }
};

// [out channel, (in channel, tap)]
template <typename S>
struct ForwardWeights : Weights<S> {
    LOUPE_HD Sum<S> at(std::int64_t b, std::int64_t i, std::int64_t k) const {
        const std::int64_t in = quotient(k, this->g.kernel_pixels);
        return this->of(b, i, in, k - in * this->g.kernel_pixels);
    }
};
// [in channel, (out channel, tap)]
template <typename S>
struct BackwardWeights : Weights<S> {
    LOUPE_HD Sum<S> at(std::int64_t b, std::int64_t i, std::int64_t k) const {
        const std::int64_t out = quotient(k, this->g.kernel_pixels);
        return this->of(b, out, i, k - out * this->g.kernel_pixels);
    }
};
// [(in channel, tap), pixel of the output]
template <typename S>
struct InputColumns {
    Geometry g;
    const S* x;
    LOUPE_HD Sum<S> at(std::int64_t b, std::int64_t k, std::int64_t pixel) const {
        const std::int64_t in = quotient(k, g.kernel_pixels), from = g.met(pixel, k - in * g.kernel_pixels);
        return from < 0 ? nothing<Sum<S>>() : widened(x[plane_of(b, g.in, in) * g.input_pixels + from]);
    }
};
// [(out channel, tap), pixel of the input]
template <typename S>
struct OutputColumns {
    Geometry g;
    const S* y;
    LOUPE_HD Sum<S> at(std::int64_t b, std::int64_t k, std::int64_t pixel) const {
        const std::int64_t out = quotient(k, g.kernel_pixels), from = g.meeting(pixel, k - out * g.kernel_pixels);
        return from < 0 ? nothing<Sum<S>>() : widened(y[plane_of(b, g.out, out) * g.output_pixels + from]);
    }
};
// Of a group: [out channel, (image, pixel of the output)]
template <typename S>
struct OutputRows {
    Geometry g;
    const S* y;
    LOUPE_HD Sum<S> at(std::int64_t group, std::int64_t out, std::int64_t k) const {
        const std::int64_t image = quotient(k, g.output_pixels);
        return widened(
            y[plane_of(image * g.groups + group, g.out, out) * g.output_pixels + k - image * g.output_pixels]);
    }
};
// Of a group: [(image, pixel of the output), (in channel, tap)]
template <typename S>
struct InputRows {
    Geometry g;
    const S* x;
    LOUPE_HD Sum<S> at(std::int64_t group, std::int64_t k, std::int64_t column) const {
        const std::int64_t image = quotient(k, g.output_pixels), in = quotient(column, g.kernel_pixels);
        const std::int64_t from = g.met(k - image * g.output_pixels, column - in * g.kernel_pixels);
        if (from < 0) return nothing<Sum<S>>();
        return widened(x[plane_of(image * g.groups + group, g.in, in) * g.input_pixels + from]);
    }
};

// Dense planes of a group's channels, with a number for each channel.
template <typename S>
struct Planes {
    S* to;
    const S* bias;
    std::int64_t groups, channels, pixels;
    LOUPE_HD void of(std::int64_t b, std::int64_t channel, std::int64_t pixel, Sum<S> sum) const {
        if (bias != nullptr) sum += widened(bias[(b - quotient(b, groups) * groups) * channels + channel]);
        to[(b * channels + channel) * pixels + pixel] = narrowed<S>(sum);
    }
};

template <typename S, typename Left, typename Right>
void multiply_tiles(const Queue& queue, std::int64_t batch, const Left& left, const Right& right,
                    const Planes<S>& planes, std::int64_t depth) {
    using Tile = ProductTile<S, Left, Right, Planes<S>>;
    const Tile tile = Tile::of(left, right, planes, planes.channels, planes.pixels, depth);
    launch_tiles(queue, batch * tile.tiles(), Tile::kBytes, tile);
}

template <typename Visit>
void visit_factor(Factor factor, const Visit& visit) {
    switch (factor) {
        case Factor::UInt8:
            return visit(std::uint8_t());
        case Factor::Int8:
            return visit(std::int8_t());
        case Factor::Int16:
            return visit(std::int16_t());
        case Factor::Int32:
            return visit(std::int32_t());
        case Factor::Int64:
            return visit(std::int64_t());
        case Factor::Float16:
            return visit(Half());
        case Factor::Float64:
            return visit(double());
        case Factor::BFloat16:
            return visit(Brain());
        default:
            return visit(float());
    }
}

}  // namespace

void run_convolution(const Queue& queue, const ConvolutionGeometry& shape, const void* x, const void* w,
                     const void* bias, void* y) {
    const Geometry g(shape);
    visit_factor(shape.factor, [&](auto tag) {
        using S = decltype(tag);
        multiply_tiles<S>(queue, shape.batch * g.groups, ForwardWeights<S>{{g, static_cast<const S*>(w)}},
                          InputColumns<S>{g, static_cast<const S*>(x)},
                          {static_cast<S*>(y), static_cast<const S*>(bias), g.groups, g.out, g.output_pixels},
                          g.in * g.kernel_pixels);
    });
}
void run_convolution_of_output(const Queue& queue, const ConvolutionGeometry& shape, const void* y, const void* w,
                               const void* bias, void* x) {
    const Geometry g(shape);
    visit_factor(shape.factor, [&](auto tag) {
        using S = decltype(tag);
        multiply_tiles<S>(queue, shape.batch * g.groups, BackwardWeights<S>{{g, static_cast<const S*>(w)}},
                          OutputColumns<S>{g, static_cast<const S*>(y)},
                          {static_cast<S*>(x), static_cast<const S*>(bias), g.groups, g.in, g.input_pixels},
                          g.out * g.kernel_pixels);
    });
}
void run_convolution_weights(const Queue& queue, const ConvolutionGeometry& shape, const void* x, const void* y,
                             void* w) {
    const Geometry g(shape);
    visit_factor(shape.factor, [&](auto tag) {
        using S = decltype(tag);
        multiply_tiles<S>(
            queue, g.groups, OutputRows<S>{g, static_cast<const S*>(y)}, InputRows<S>{g, static_cast<const S*>(x)},
            {static_cast<S*>(w), nullptr, g.groups, g.out, g.in * g.kernel_pixels}, shape.batch * g.output_pixels);
    });
}

}  // namespace loupe::cuda
