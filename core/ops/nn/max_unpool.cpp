// SPDX-License-Identifier: Apache-2.0
// max_unpool2d and max_unpool3d: values at the indices from max_pool.
#include <algorithm>

#include "core/dispatch/out_refusals.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"

namespace loupe {
namespace {

using namespace nn_ops;

void check_output_size(const Dims& output_size, std::size_t spatial) {
    require(output_size.size() == spatial, "There should be exactly ",
            spatial == 2 ? "two elements (height, width)" : "three elements (depth, height, width)",
            " in output_size, but got ", output_size.size(), " elements.");
}

TensorMeta infer_max_unpool(const Tensor& self, const Tensor& indices, const Dims& output_size, std::size_t spatial) {
    const IntSpan sizes = self.sizes();
    require(sizes.size() == spatial + 1 || sizes.size() == spatial + 2, "Input to max_unpooling", spatial,
            "d should be a ", spatial + 1, "d or ", spatial + 2, "d Tensor, but got a tensor with ", sizes.size(),
            " dimensions.");
    require(std::equal(sizes.begin(), sizes.end(), indices.sizes().begin(), indices.sizes().end()),
            "Expected shape of indices to be same as that of the input tensor (", shape_list_text(sizes),
            ") but got indices tensor with shape: ", shape_list_text(indices.sizes()));
    for (std::size_t d = 1; d < sizes.size(); ++d) {
        require(sizes[d] > 0, "max_unpooling", spatial,
                "d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but got ",
                shape_list_text(sizes), " with dimension ", d, " being empty.");
    }
    require(is_floating(self.dtype()), "\"max_unpool", spatial, "d\" not implemented for '",
            dtype_graph_name(self.dtype()), "'");
    Dims out(sizes.begin(), sizes.end() - static_cast<std::ptrdiff_t>(spatial));
    out.insert(out.end(), output_size.begin(), output_size.end());
    return follow_layout(std::move(out), self);
}

TensorMeta infer_max_unpool2d(const Tensor& self, const Tensor& indices, const Dims& output_size) {
    check_output_size(output_size, 2);
    require(indices.dtype() == ScalarType::Int64,
            "elements in indices should be type int64 but got: ", dtype_graph_name(indices.dtype()));
    return infer_max_unpool(self, indices, output_size, 2);
}

TensorMeta infer_max_unpool3d(const Tensor& self, const Tensor& indices, const Dims& output_size, const Dims& stride,
                              const Dims& padding) {
    check_output_size(output_size, 3);
    require(indices.dtype() == ScalarType::Int64, "elements in indices should be type int64");
    const auto check = [](const Dims& values, const char* name) {
        require(values.size() == 3, "There should be exactly three elements (depth, height, width) in ", name,
                ", but got: ", values.size(), " elements.");
    };
    check(stride, "stride");
    check(padding, "padding");
    const TensorMeta meta = infer_max_unpool(self, indices, output_size, 3);
    require(std::all_of(stride.begin(), stride.end(), [](auto s) { return s > 0; }),
            "strides should be greater than zero, but got stride: ", shape_list_text(span_of(stride)));
    return meta;
}

std::int64_t pixels_of(const Tensor& t, std::size_t spatial) {
    std::int64_t pixels = 1;
    for (std::size_t d = 1; d <= spatial; ++d) pixels *= t.size(-static_cast<std::int64_t>(d));
    return pixels;
}

void unpool(const Tensor& out, const Tensor& self, const Tensor& indices, const Dims& output_size) {
    const std::int64_t from_pixels = pixels_of(self, output_size.size());
    const std::int64_t to_pixels = pixels_of(out, output_size.size());
    const Tensor index = packed(indices);
    const std::int64_t* at = index.data<std::int64_t>();
    visit_floating(self.dtype(), "max_unpool", [&]<typename T>(std::type_identity<T>) {
        const Tensor x = packed_as(self, scalar_type_of<T>);
        const Tensor y = out.dtype() == x.dtype() ? buffer_for(out) : empty(out.sizes(), x.dtype());
        fill_zero(y);
        for (std::int64_t i = 0; i < x.numel(); ++i) {
            require(at[i] >= 0 && at[i] < to_pixels, "Found an invalid max index: ", at[i],
                    " (output volumes are of size ", shape_text(span_of(output_size)));
            y.data<T>()[i / from_pixels * to_pixels + at[i]] = x.data<T>()[i];
        }
        if (!y.is_same(out)) convert_into(out, y);
    });
}
void max_unpool2d(const Tensor& out, const Tensor& self, const Tensor& indices, const Dims& output_size) {
    unpool(out, self, indices, output_size);
}
void max_unpool3d(const Tensor& out, const Tensor& self, const Tensor& indices, const Dims& output_size, const Dims&,
                  const Dims&) {
    unpool(out, self, indices, output_size);
}

// Each value gets the gradient at its index.
template <std::int64_t Spatial>
void unpool_gradient(GradientContext& c) {
    c.grad("self", [&] {
        const Tensor flat = fn::flatten(c.grad_output(), -Spatial, -1);
        return fn::reshape(fn::gather(flat, -1, fn::flatten(c.argument("indices"), -Spatial, -1)),
                           to_dims(c.sizes("self")));
    });
}

std::vector<Sample> unpool2d_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const Tensor x = random_tensor(random, {2, 1, 2, 2}, dtype);
    return {{{x, tensor_of<std::int64_t>({0, 3, 8, 15, 5, 6, 9, 10}, {2, 1, 2, 2}), Dims{4, 4}}}};
}
std::vector<Sample> unpool3d_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const Tensor x = random_tensor(random, {1, 1, 2, 2, 2}, dtype);
    return {{{x, tensor_of<std::int64_t>({0, 3, 8, 15, 21, 30, 41, 60}, {1, 1, 2, 2, 2}), Dims{4, 4, 4}, Dims{2, 2, 2},
              Dims{0, 0, 0}}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::max_unpool2d(Tensor self, Tensor indices, int[2] output_size) -> Tensor",
     .summary = "Puts values where max_pool2d found them, zeros elsewhere.",
     .formula = "out[c, indices[c, p]] = self[c, p]",
     .infer = inferring<infer_max_unpool2d>,
     .kernel = filling<max_unpool2d>,
     .derivative = {unpool_gradient<2>, {save_argument("indices")}, "MaxUnpool2DBackward0"},
     .gradient = "self: grad at the indices",
     .samples = unpool2d_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kScalarType},
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "max_unpool2d"}},
    {.schema = "aten::max_unpool3d(Tensor self, Tensor indices, int[3] output_size, int[3] stride, int[3] padding) "
               "-> Tensor",
     .summary = "Puts values where max_pool3d found them, zeros elsewhere.",
     .formula = "out[c, indices[c, p]] = self[c, p]",
     .infer = inferring<infer_max_unpool3d>,
     .kernel = filling<max_unpool3d>,
     .derivative = {unpool_gradient<3>, {save_argument("indices")}, "MaxUnpool3DBackward0"},
     .gradient = "self: grad at the indices",
     .samples = unpool3d_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kScalarType},
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "max_unpool3d"}},
};

}  // namespace

std::span<const OperatorRecord> nn_ops::max_unpool_records() { return kRecords; }

}  // namespace loupe
