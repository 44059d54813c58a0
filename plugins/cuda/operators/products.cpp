// SPDX-License-Identifier: Apache-2.0
// Products of matrices and vectors, and convolutions, by kernels of our own: whole numbers, complex ones, and all that
// NVIDIA's libraries decline or are not there for.
#include "plugins/cuda/loops/products.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/nn/convolution.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/layout.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

static_assert(static_cast<int>(Factor::Complex64) == static_cast<int>(ScalarType::Complex64) &&
              static_cast<int>(Factor::Complex128) == static_cast<int>(ScalarType::Complex128) &&
              static_cast<int>(Factor::Float64) == static_cast<int>(ScalarType::Float64) &&
              static_cast<int>(Factor::BFloat16) == static_cast<int>(ScalarType::BFloat16));

bool is_multiplied(ScalarType dtype) {
    const bool is_complex = dtype == ScalarType::Complex64 || dtype == ScalarType::Complex128;
    return is_complex || (is_known(dtype) && dtype != ScalarType::Bool);
}

// Of rank 1 (a column), 2 or 3.
Matrices matrices_of(const Tensor& t) {
    const IntSpan strides = t.strides();
    Matrices m;
    m.data = address_of(t);
    if (t.dim() == 1) m.row = strides[0];
    if (t.dim() >= 2) {
        m.row = strides[strides.size() - 2];
        m.column = strides.back();
    }
    if (t.dim() == 3) m.batch = strides[0];
    return m;
}
Matrices turned(Matrices m) {
    std::swap(m.row, m.column);
    return m;
}
Scale scale_of(const Scalar& number) {
    Scale scale;
    if (number.is_complex()) {
        scale.real = number.to_complex().real();
        scale.imaginary = number.to_complex().imag();
    } else {
        scale.real = number.to<double>();
        scale.whole = number.is_integral() ? number.to<std::int64_t>() : static_cast<std::int64_t>(scale.real);
    }
    return scale;
}

// out = alpha left right + beta added; right and out are vectors or matrices, or batches of them.
struct ProductCall {
    Tensor out, left, right, added;
    Scalar alpha = 1, beta = 0;
    bool sums = false, conjugates = false;
};
void multiply(const ProductCall& call) {
    const Tensor &out = call.out, &left = call.left, &right = call.right;
    if (out.numel() == 0) return;
    ProductShape s;
    s.factor = static_cast<Factor>(out.dtype());
    s.batch = left.dim() == 3 ? left.size(0) : 1;
    s.rows = left.dim() == 1 ? 1 : left.size(-2);
    s.depth = left.size(-1);
    s.columns = right.dim() == 1 ? 1 : right.size(-1);
    s.sums = call.sums;
    s.conjugates = call.conjugates;
    s.left = left.dim() == 1 ? turned(matrices_of(left)) : matrices_of(left);
    s.right = matrices_of(right);
    s.out = matrices_of(out);
    s.alpha = scale_of(call.alpha);
    if (call.added.defined() && !call.beta.equals(0)) {
        s.added = matrices_of(fn::expand(call.added, to_dims(out.sizes()), false));
        s.beta = scale_of(call.beta);
    }
    // A row is the column of the product turned around.
    if (s.rows == 1 && s.columns > 1 && !s.conjugates) {
        std::swap(s.left, s.right);
        for (Matrices* const m : {&s.left, &s.right, &s.out, &s.added}) *m = turned(*m);
        std::swap(s.rows, s.columns);
    }
    run_product(queue_of(out.device()), s);
}

void product(const Tensor& out, const Tensor& self, const Tensor& other) { multiply({out, self, other, {}}); }
void conjugate_product(const Tensor& out, const Tensor& self, const Tensor& other) {
    ProductCall call{out, self, other, {}};
    call.conjugates = is_complex(self.dtype());
    multiply(call);
}
void added_product(const Tensor& out, const Tensor& self, const Tensor& left, const Tensor& right, const Scalar& beta,
                   const Scalar& alpha) {
    multiply({out, left, right, self, alpha, beta});
}
void added_sum(const Tensor& out, const Tensor& self, const Tensor& left, const Tensor& right, const Scalar& beta,
               const Scalar& alpha) {
    multiply({out, left, right, self, alpha, beta, true});
}

// Factors of the dtype of the result, on one device.
template <std::size_t kTensors>
bool takes_factors(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor first = a[0].to_tensor();
    bool fits = is_multiplied(first.dtype());
    for (std::size_t i = 0; i < kTensors; ++i) {
        const Tensor t = a[i].to_tensor();
        fits = fits && t.dtype() == first.dtype() && !t.device().is_cpu() && !t.is_sparse();
    }
    if (!fits && why != nullptr) *why = concat(dtype_name(first.dtype()), " input, or tensors that do not fit");
    return fits;
}

// ---- convolution

using nn_ops::ConvolutionParameters;

ConvolutionGeometry geometry_of(const Tensor& input, const Tensor& weight, IntSpan output,
                                const ConvolutionParameters& p) {
    const nn_ops::ConvolutionShape s = nn_ops::convolution_shape(input.sizes(), weight.sizes(), output, p);
    ConvolutionGeometry g;
    g.factor = static_cast<Factor>(input.dtype());
    g.batch = s.batch;
    g.in_channels = s.in_channels;
    g.out_channels = s.out_channels;
    g.groups = s.groups;
    for (std::size_t d = 0; d < 3; ++d) {
        g.input[d] = s.input[d];
        g.kernel[d] = s.kernel[d];
        g.output[d] = s.output[d];
        g.stride[d] = s.stride[d];
        g.padding[d] = s.padding[d];
        g.dilation[d] = s.dilation[d];
    }
    return g;
}
ConvolutionParameters parameters_of(Arguments a, std::size_t first, const Tensor& weight) {
    return nn_ops::convolution_parameters(a, first, static_cast<std::size_t>(weight.dim()) - 2);
}

void convolve(Arguments a, IValue* results) {
    const Tensor out = results[0].to_tensor();
    if (out.numel() == 0) return;
    const Tensor x = dense(a[0].to_tensor()), w = dense(a[1].to_tensor()), bias = dense(a[2].to_tensor());
    const ConvolutionParameters p = parameters_of(a, 3, w);
    const ConvolutionGeometry g = geometry_of(x, w, out.sizes(), p);
    const Room to(out);
    const auto run = p.transposed ? run_convolution_of_output : cuda::run_convolution;
    run(queue_of(out.device()), g, address_of(x), address_of(w), address_of(bias), address_of(to.tensor()));
    to.put_back();
}

// In the layout and dtype of `like`.
Tensor gradient_like(const Tensor& like, const Tensor& computed) {
    if (!is_channels_last(like)) return computed;
    const Tensor out = empty_in(like.sizes(), true, like.dtype(), like.device());
    copy_into(out, computed);
    return out;
}
Tensor sum_over_pixels(const Tensor& grad) {
    Dims dims{0};
    for (std::int64_t d = 2; d < grad.dim(); ++d) dims.push_back(d);
    return fn::sum_dim(grad, dims, false, IValue(static_cast<std::int64_t>(grad.dtype())));
}

// (grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask)
void convolve_backward(Arguments a, IValue* results) {
    const Tensor input = a[1].to_tensor(), weight = a[2].to_tensor();
    const std::vector<bool> wanted = a[10].to_bools();
    const ConvolutionParameters p = parameters_of(a, 4, weight);
    const Tensor grad = dense(a[0].to_tensor()), x = dense(input), w = dense(weight);
    const ConvolutionGeometry g = geometry_of(x, w, grad.sizes(), p);
    const Queue queue = queue_of(input.device());
    if (wanted[0]) {
        const Tensor of_input = empty(input.sizes(), input.dtype(), input.device());
        const auto run = p.transposed ? cuda::run_convolution : run_convolution_of_output;
        if (of_input.numel() > 0) run(queue, g, address_of(grad), address_of(w), nullptr, address_of(of_input));
        results[0] = gradient_like(input, of_input);
    }
    if (wanted[1]) {
        const Tensor of_weight = empty(weight.sizes(), weight.dtype(), weight.device());
        if (of_weight.numel() > 0) {
            const Tensor &from = p.transposed ? grad : x, &to = p.transposed ? x : grad;
            run_convolution_weights(queue, g, address_of(from), address_of(to), address_of(of_weight));
        }
        results[1] = gradient_like(weight, of_weight);
    }
    if (wanted[2]) results[2] = sum_over_pixels(grad);
}

bool takes_images(Arguments a, std::string* why) {
    if (!takes_factors<2>(a, why)) return false;
    const Tensor input = a[0].to_tensor(), weight = a[1].to_tensor();
    const Tensor bias = a[2].is_tensor() ? a[2].to_tensor() : Tensor();
    const bool fits = !is_complex(input.dtype()) && weight.dim() >= 3 && weight.dim() <= 5 &&
                      (!bias.defined() || bias.dtype() == input.dtype());
    if (!fits && why != nullptr) *why = "tensors that do not fit";
    return fits;
}
// What the kernel of the host checks: gradients of another shape are refused there.
bool takes_image_gradients(Arguments a, std::string* why) {
    if (!takes_factors<3>(a, why)) return false;
    const Tensor grad = a[0].to_tensor(), input = a[1].to_tensor(), weight = a[2].to_tensor();
    bool fits = !is_complex(grad.dtype()) && weight.dim() >= 3 && weight.dim() <= 5 && a[10].to_bools().size() == 3;
    try {
        if (fits) {
            const Dims sizes = nn_ops::check_convolution(input, weight, Tensor(), parameters_of(a, 4, weight));
            fits = std::ranges::equal(sizes, to_dims(grad.sizes()));
        }
    } catch (const Error&) {
        fits = false;
    }
    if (!fits && why != nullptr) *why = "tensors that do not fit";
    return fits;
}

}  // namespace

void register_own_products(const Registration& to) {
    to.add("aten::mm", filling<product>, takes_factors<2>);
    to.add("aten::bmm", filling<product>, takes_factors<2>);
    to.add("aten::mv", filling<product>, takes_factors<2>);
    to.add("aten::dot", filling<product>, takes_factors<2>);
    to.add("aten::vdot", filling<conjugate_product>, takes_factors<2>);
    to.add("aten::addmm", filling<added_product>, takes_factors<3>);
    to.add("aten::baddbmm", filling<added_product>, takes_factors<3>);
    to.add("aten::addmv", filling<added_product>, takes_factors<3>);
    to.add("aten::addbmm", filling<added_sum>, takes_factors<3>);
    to.add("aten::convolution", FillingKernel{&convolve}, takes_images);
    to.add("aten::convolution_backward", &convolve_backward, takes_image_gradients);
}

}  // namespace loupe::cuda
