// SPDX-License-Identifier: Apache-2.0
// im2col and col2im: the blocks of an image as columns, and columns added up to an image (unfold and fold).
#include <algorithm>
#include <limits>

#include "core/base/parallel.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/complex_half.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"

namespace loupe {
namespace {

using namespace nn_ops;

const OperatorHandle<> kIm2colCall("aten::im2col");
const OperatorHandle<> kCol2imCall("aten::col2im");

std::string pair_text(std::int64_t a, std::int64_t b) { return concat("(", a, ", ", b, ")"); }

void check_length(const Dims& values, const char* name) {
    require(values.size() == 2, "It is expected ", name, " equals to 2, but got size ", values.size());
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

// Positions of a sliding block: its start and the elements that it reads.
struct Blocks {
    std::array<std::int64_t, 2> image{};
    std::array<std::int64_t, 2> kernel{};
    std::array<std::int64_t, 2> dilation{};
    std::array<std::int64_t, 2> padding{};
    std::array<std::int64_t, 2> stride{};
    std::array<std::int64_t, 2> count{};

    Blocks(IntSpan image_size, const Dims& kernel_size, const Dims& dilations, const Dims& paddings,
           const Dims& strides) {
        check_length(kernel_size, "kernel_size");
        check_length(dilations, "dilation");
        check_length(paddings, "padding");
        check_length(strides, "stride");
        for (std::size_t d = 0; d < 2; ++d) {
            image[d] = image_size[d];
            kernel[d] = kernel_size[d];
            dilation[d] = dilations[d];
            padding[d] = paddings[d];
            stride[d] = strides[d];
            for (const std::int64_t value : {kernel[d], dilation[d], padding[d], stride[d]}) {
                require(value <= std::numeric_limits<std::int32_t>::max(), "integer out of range");
            }
            constexpr std::int64_t kLargest = std::int64_t{1} << 40;
            require(image[d] >= -kLargest && image[d] <= kLargest, "output_size is out of range: ", image[d]);
        }
        require(kernel[0] > 0 && kernel[1] > 0,
                "kernel size should be greater than zero, but got kernel_height: ", kernel[0],
                " kernel_width: ", kernel[1]);
        require(dilation[0] > 0 && dilation[1] > 0,
                "dilation should be greater than zero, but got dilation_height: ", dilation[0],
                " dilation_width: ", dilation[1]);
        require(padding[0] >= 0 && padding[1] >= 0, "padding should be non-negative, but got pad_height: ", padding[0],
                " pad_width: ", padding[1]);
        require(stride[0] > 0 && stride[1] > 0,
                "stride should be greater than zero, but got stride_height: ", stride[0], " stride_width: ", stride[1]);
        for (std::size_t d = 0; d < 2; ++d) {
            count[d] = floor_divide(image[d] + 2 * padding[d] - (dilation[d] * (kernel[d] - 1) + 1), stride[d]) + 1;
        }
    }
    std::int64_t taps() const { return kernel[0] * kernel[1]; }
    std::int64_t total() const { return count[0] * count[1]; }
    std::int64_t pixels() const { return image[0] * image[1]; }
    std::string text() const {
        return concat("kernel_size=", pair_text(kernel[0], kernel[1]),
                      ", dilation=", pair_text(dilation[0], dilation[1]),
                      ", padding=", pair_text(padding[0], padding[1]));
    }

    // For each column entry of one channel that lies inside the image: visit(entry, pixel).
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::int64_t tap = 0; tap < taps(); ++tap) {
            for (std::int64_t h = 0; h < count[0]; ++h) {
                const std::int64_t y = h * stride[0] - padding[0] + tap / kernel[1] * dilation[0];
                if (y < 0 || y >= image[0]) continue;
                for (std::int64_t w = 0; w < count[1]; ++w) {
                    const std::int64_t x = w * stride[1] - padding[1] + tap % kernel[1] * dilation[1];
                    if (x >= 0 && x < image[1]) visit((tap * count[0] + h) * count[1] + w, y * image[1] + x);
                }
            }
        }
    }
};

void check_dtype(ScalarType dtype, const char* name) {
    require(!is_integral(dtype) || dtype == ScalarType::Bool, "\"", name, "\" not implemented for '",
            dtype_graph_name(dtype), "'");
}

Blocks blocks_of_image(const Tensor& self, const Dims& kernel, const Dims& dilation, const Dims& padding,
                       const Dims& stride) {
    const IntSpan sizes = self.sizes();
    const bool fits = (sizes.size() == 3 || sizes.size() == 4) &&
                      std::all_of(sizes.end() - 3, sizes.end(), [](auto s) { return s != 0; });
    const Dims last = fits ? Dims(sizes.end() - 2, sizes.end()) : Dims{1, 1};
    const Blocks blocks(span_of(last), kernel, dilation, padding, stride);
    if (sizes.size() < 3 && !is_older_torch()) {
        fail_with_index(concat("Dimension out of range (expected to be in range of [-", sizes.size(), ", ",
                               static_cast<std::int64_t>(sizes.size()) - 1, "], but got ", sizes.size(), ")"));
    }
    require(fits,
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            "but got: ",
            shape_list_text(sizes));
    require(blocks.count[0] >= 1 && blocks.count[1] >= 1, "Given input with spatial size ",
            pair_text(blocks.image[0], blocks.image[1]), ", ", blocks.text(),
            ", calculated shape of the array of sliding blocks as ", pair_text(blocks.count[0], blocks.count[1]),
            ", but its components must be at least one.");
    return blocks;
}

TensorMeta infer_im2col(const Tensor& self, const Dims& kernel, const Dims& dilation, const Dims& padding,
                        const Dims& stride) {
    const Blocks blocks = blocks_of_image(self, kernel, dilation, padding, stride);
    check_dtype(self.dtype(), "im2col_out_cpu");
    Dims sizes(self.sizes().begin(), self.sizes().end() - 3);
    sizes.push_back(self.size(-3) * blocks.taps());
    sizes.push_back(blocks.total());
    return {sizes, self.dtype(), self.device()};
}

void im2col(const Tensor& out, const Tensor& self, const Dims& kernel, const Dims& dilation, const Dims& padding,
            const Dims& stride) {
    const Blocks blocks = blocks_of_image(self, kernel, dilation, padding, stride);
    const Tensor x = packed(self);
    const Tensor y = buffer_for(out);
    fill_zero(y);
    const std::int64_t planes = self.numel() / blocks.pixels();
    const std::int64_t column = blocks.taps() * blocks.total();
    visit_element_size(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        parallel_for(0, planes, std::max<std::int64_t>(1, 8192 / column), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const T* from = x.data<T>() + i * blocks.pixels();
                T* to = y.data<T>() + i * column;
                blocks.for_each([&](std::int64_t entry, std::int64_t pixel) { to[entry] = from[pixel]; });
            }
        });
    });
    put_back(out, y);
}

Blocks blocks_of_columns(const Tensor& self, const Dims& output_size, const Dims& kernel, const Dims& dilation,
                         const Dims& padding, const Dims& stride) {
    check_length(output_size, "output_size");
    const Blocks blocks(span_of(output_size), kernel, dilation, padding, stride);
    const IntSpan sizes = self.sizes();
    const bool fits = (sizes.size() == 2 || sizes.size() == 3) &&
                      std::all_of(sizes.end() - 2, sizes.end(), [](auto s) { return s != 0; });
    require(fits,
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            "input, but got: ",
            shape_list_text(sizes));
    require(self.size(-2) % blocks.taps() == 0,
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            "input.size(1)=",
            self.size(-2), " and kernel_size=", pair_text(blocks.kernel[0], blocks.kernel[1]), ".");
    require(self.size(-1) == blocks.total(), "Given output_size=", pair_text(blocks.image[0], blocks.image[1]), ", ",
            blocks.text(), ", stride=", pair_text(blocks.stride[0], blocks.stride[1]),
            ", expected size of input's dimension 2 to match the calculated number of sliding blocks ", blocks.count[0],
            " * ", blocks.count[1], " = ", blocks.total(), ", but got input.size(2)=", self.size(-1), ".");
    require(blocks.image[0] >= 1 && blocks.image[1] >= 1,
            "Expected output spatial size to be positive, but got: output_size=",
            pair_text(blocks.image[0], blocks.image[1]), ".");
    return blocks;
}

TensorMeta infer_col2im(const Tensor& self, const Dims& output_size, const Dims& kernel, const Dims& dilation,
                        const Dims& padding, const Dims& stride) {
    const Blocks blocks = blocks_of_columns(self, output_size, kernel, dilation, padding, stride);
    check_dtype(self.dtype(), "col2im_out_cpu");
    Dims sizes(self.sizes().begin(), self.sizes().end() - 2);
    for (const std::int64_t size : {self.size(-2) / blocks.taps(), blocks.image[0], blocks.image[1]})
        sizes.push_back(size);
    return {sizes, self.dtype(), self.device()};
}

void col2im(const Tensor& out, const Tensor& self, const Dims& output_size, const Dims& kernel, const Dims& dilation,
            const Dims& padding, const Dims& stride) {
    const Blocks blocks = blocks_of_columns(self, output_size, kernel, dilation, padding, stride);
    const Tensor x = packed(self);
    const Tensor y = buffer_for(out);
    fill_zero(y);
    const std::int64_t planes = out.numel() / blocks.pixels();
    const std::int64_t column = blocks.taps() * blocks.total();
    visit_dtype(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (!is_integral(scalar_type_of<T>) || std::is_same_v<T, bool>) {
            parallel_for(
                0, planes, std::max<std::int64_t>(1, 8192 / column), [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t i = begin; i < end; ++i) {
                        const T* from = x.data<T>() + i * column;
                        T* to = y.data<T>() + i * blocks.pixels();
                        // 16-bit numbers are rounded after each addition, as PyTorch does.
                        blocks.for_each(
                            [&](std::int64_t entry, std::int64_t pixel) { to[pixel] = T(to[pixel] + from[entry]); });
                    }
                });
        }
    });
    put_back(out, y);
}

void im2col_gradient(GradientContext& c) {
    const IntSpan sizes = c.sizes("self");
    c.grad("self", [&] {
        return kCol2imCall(c.grad_output(), Dims(sizes.end() - 2, sizes.end()), c.value("kernel_size"),
                           c.value("dilation"), c.value("padding"), c.value("stride"));
    });
}
void col2im_gradient(GradientContext& c) {
    c.grad("self", [&] {
        return kIm2colCall(c.grad_output(), c.value("kernel_size"), c.value("dilation"), c.value("padding"),
                           c.value("stride"));
    });
}

std::vector<Sample> im2col_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 5, 6}, dtype), Dims{2, 3}, Dims{1, 1}, Dims{0, 0}, Dims{1, 1}}},
            {{random_tensor(random, {2, 5, 6}, dtype), Dims{2, 2}, Dims{2, 1}, Dims{1, 2}, Dims{2, 3}},
             "unbatched, dilated, padded"}};
}
std::vector<Sample> col2im_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 12, 6}, dtype), Dims{3, 4}, Dims{2, 2}, Dims{1, 1}, Dims{0, 0}, Dims{1, 1}}},
            {{random_tensor(random, {8, 6}, dtype), Dims{5, 5}, Dims{2, 2}, Dims{2, 1}, Dims{1, 0}, Dims{2, 2}},
             "unbatched, dilated"}};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema =
            "aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
        .summary = "The sliding blocks of an image as columns (unfold).",
        .formula = "out[n, c k, p] = self[n, c, stride p + dilation k - padding]",
        .infer = inferring<infer_im2col>,
        .kernel = filling<im2col>,
        .derivative = {im2col_gradient},
        .gradient = "self: grad, each added where it came from (col2im)",
        .samples = im2col_samples,
        .variants = kOut,
        .out = {.refusal = out_refusal::kScalarType},
    },
    {
        .schema = "aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] "
                  "padding, int[2] "
                  "stride) -> Tensor",
        .summary = "Columns added up to the image that they are sliding blocks of (fold).",
        .formula = "out[n, c, stride p + dilation k - padding] += self[n, c k, p]",
        .infer = inferring<infer_col2im>,
        .kernel = filling<col2im>,
        .derivative = {col2im_gradient},
        .gradient = "self: grad in sliding blocks (im2col)",
        .samples = col2im_samples,
        .variants = kOut,
        .out = {.refusal = out_refusal::kScalarType},
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::im2col_records() { return kRecords; }

}  // namespace loupe
