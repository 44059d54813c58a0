// SPDX-License-Identifier: Apache-2.0
// Operators of older files and of PyTorch's internal code, composed of today's.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/composed/family.h"
#include "core/ops/samples.h"

namespace loupe::composed {
namespace {

using namespace arithmetic;

// ---- dtypes

template <ScalarType kDtype>
Tensor cast(const Tensor& self, bool non_blocking) {
    return fn::to_dtype(self, static_cast<std::int64_t>(kDtype), non_blocking);
}

// ---- weight_norm (Salimans and Kingma, "Weight Normalization")

// The norm of each slice along dim, over all other dimensions; of the whole for dim = -1.
Tensor slice_norms(const Tensor& v, std::int64_t dim) {
    if (dim != -1 && v.dim() == 0)
        throw Error(ErrorKind::Run, concat("Dimension specified as ", dim, " but tensor has no dimensions"));
    if (dim == -1) return fn::vector_norm(v, Scalar(2.0), IValue(), false, IValue());
    Dims others;
    for (std::int64_t d = 0; d < v.dim(); ++d) {
        if (d != dim) others.push_back(d);
    }
    return fn::vector_norm(v, Scalar(2.0), others, true, IValue());
}
Tensor weight_norm(const Tensor& v, const Tensor& g, std::int64_t dim) { return v * (g / slice_norms(v, dim)); }
fn::TwoTensors weight_norm_interface(const Tensor& v, const Tensor& g, std::int64_t dim) {
    const Tensor norms = slice_norms(v, dim);
    return {v * (g / norms), norms};
}

std::vector<Sample> weight_norm_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_tensor(random, {3, 2, 2}, dtype), random_tensor(random, {3, 1, 1}, dtype), 0}},
            {{random_tensor(random, {3, 4}, dtype), random_tensor(random, {1, 4}, dtype), 1}, "last dimension"}};
}

// ---- normalisation and convolution

using BatchNormResult = std::tuple<Tensor, Tensor, Tensor, Tensor, std::int64_t>;
BatchNormResult batch_norm_impl_index(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                      const Tensor& running_mean, const Tensor& running_var, bool training,
                                      double momentum, double eps, bool) {
    const auto [out, mean, invstd] =
        fn::native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps);
    return {out, mean, invstd, empty(std::array<std::int64_t, 1>{0}, ScalarType::UInt8), 0};
}

void deprecated_convolution(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw("aten::_convolution");
    std::vector<IValue> all(arguments.begin(), arguments.end());
    all.emplace_back(true);  // allow_tf32
    call_operator(target, all, results);
}

template <std::size_t Rank>
Tensor plain_convolution(const Tensor& self, const Tensor& weight, const Dims&, const Tensor& bias, const Dims& stride,
                         const Dims& padding) {
    return fn::convolution(self, weight, bias, stride, padding, Dims(Rank, 1), false, Dims(Rank, 0), std::int64_t{1});
}
template <std::size_t Rank>
Tensor dilated_convolution(const Tensor& self, const Tensor& weight, const Dims&, const Tensor& bias,
                           const Dims& stride, const Dims& padding, const Dims& dilation) {
    return fn::convolution(self, weight, bias, stride, padding, dilation, false, Dims(Rank, 0), std::int64_t{1});
}
template <std::size_t Rank>
Tensor depthwise_convolution(const Tensor& self, const Tensor& weight, const Dims&, const Tensor& bias,
                             const Dims& stride, const Dims& padding, const Dims& dilation) {
    return fn::convolution(self, weight, bias, stride, padding, dilation, false, Dims(Rank, 0), self.size(1));
}
template <std::size_t Rank>
Tensor transposed_convolution(const Tensor& self, const Tensor& weight, const Dims&, const Tensor& bias,
                              const Dims& stride, const Dims& padding, const Dims& output_padding,
                              const Dims& dilation) {
    return fn::convolution(self, weight, bias, stride, padding, dilation, true, output_padding, std::int64_t{1});
}

// ---- elementwise

Tensor deg2rad_(const Tensor& self) { return fn::mul_(self, wrapped_number(Scalar(3.14159265358979323846 / 180))); }
Tensor rad2deg_(const Tensor& self) { return fn::mul_(self, wrapped_number(Scalar(180 / 3.14159265358979323846))); }
Tensor ldexp_(const Tensor& self, const Tensor& other) { return fn::mul_(self, fn::pow_of_scalar(Scalar(2.0), other)); }

const OperatorHandle<> kRenorm{"aten::renorm"};
const OperatorHandle<> kLogSigmoid{"aten::log_sigmoid"};

Tensor renorm_(const Tensor& self, const Scalar& p, std::int64_t dim, const Scalar& maxnorm) {
    return fn::copy_(self, kRenorm(fn::clone(self), p, dim, maxnorm), false);
}

// The buffer holds exp(-|x|), as PyTorch's does on a CPU.
fn::TwoTensors log_sigmoid_forward(const Tensor& self) { return {kLogSigmoid(self), fn::exp(-fn::abs(self))}; }

// Powers of a vector's elements, a row each: n columns, the highest power first.
Tensor vander(const Tensor& x, std::optional<std::int64_t> n, bool increasing) {
    if (x.dim() != 1) throw Error(ErrorKind::Run, "x must be a one-dimensional tensor.");
    const std::int64_t columns = n.value_or(x.size(0));
    if (columns < 0) throw Error(ErrorKind::Run, "N must be non-negative.");
    Dims sizes{x.size(0), columns};
    if (columns == 0) return fn::new_zeros(x, sizes);
    const Tensor powers = fn::arange(Scalar(columns));
    const ScalarType wide = is_integral(x.dtype()) ? ScalarType::Int64 : x.dtype();
    const Tensor ascending = fn::pow(fn::unsqueeze(fn::to_dtype(x, static_cast<std::int64_t>(wide)), -1), powers);
    return increasing ? ascending : fn::flip(ascending, Dims{1});
}

Tensor trace_backward(const Tensor& grad, const Dims& sizes) {
    if (sizes.size() != 2) throw Error(ErrorKind::Run, "expected matrix input");
    const std::int64_t length = std::min(sizes[0], sizes[1]);
    return fn::diagonal_scatter(fn::new_zeros(grad, sizes), fn::expand(grad, Dims{length}), std::int64_t{0},
                                std::int64_t{0}, std::int64_t{1});
}

// Gradients of linear for input, weight and bias.
fn::ThreeTensors linear_backward(const Tensor& self, const Tensor& grad, const Tensor& weight,
                                 const std::vector<bool>& mask) {
    if (mask.size() != 3)
        throw Error(ErrorKind::Run, concat("output_mask must have 3 elements, but got ", mask.size()));
    const Tensor rows = fn::reshape(self, Dims{-1, self.size(-1)});
    const Tensor grad_rows = fn::reshape(grad, Dims{-1, grad.size(-1)});
    return {mask[0] ? fn::matmul(grad, weight) : Tensor(), mask[1] ? fn::mm(fn::t(grad_rows), rows) : Tensor(),
            mask[2] ? fn::sum_dim(grad_rows, Dims{0}, false) : Tensor()};
}

Tensor masked_scale(const Tensor& self, const Tensor& mask, double scale) { return self * mask * Scalar(scale); }

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_cast_Byte(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to uint8.",
     .composite = boxed<cast<ScalarType::UInt8>>},
    {.schema = "aten::_cast_Char(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to int8.",
     .composite = boxed<cast<ScalarType::Int8>>},
    {.schema = "aten::_cast_Short(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to int16.",
     .composite = boxed<cast<ScalarType::Int16>>},
    {.schema = "aten::_cast_Int(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to int32.",
     .composite = boxed<cast<ScalarType::Int32>>},
    {.schema = "aten::_cast_Long(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to int64.",
     .composite = boxed<cast<ScalarType::Int64>>},
    {.schema = "aten::_cast_Half(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to float16.",
     .composite = boxed<cast<ScalarType::Float16>>},
    {.schema = "aten::_cast_Float(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to float32.",
     .composite = boxed<cast<ScalarType::Float32>>},
    {.schema = "aten::_cast_Double(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to float64.",
     .composite = boxed<cast<ScalarType::Float64>>},
    {.schema = "aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor",
     .summary = "The direction of v with the length g, slice by slice along dim.",
     .formula = "w = g v / |v|",
     .composite = boxed<weight_norm>,
     .samples = weight_norm_samples},
    {.schema = "aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)",
     .summary = "The same as _weight_norm, and the norms of v.",
     .composite = boxed<weight_norm_interface>,
     .variants = kOut,
     .constant_results = 0b10},
    {.schema = "aten::_batch_norm_impl_index(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
               "running_var, bool training, "
               "float momentum, float eps, bool cudnn_enabled) -> (Tensor, Tensor, Tensor, Tensor, int)",
     .summary = "batch_norm with what its gradient needs.",
     .composite = boxed<batch_norm_impl_index>,
     .writes = "running_mean running_var"},
    {.schema = "aten::_slow_conv2d_forward(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias, int[2] "
               "stride, int[2] padding) -> Tensor",
     .summary = "Convolution over images.",
     .composite = boxed<plain_convolution<2>>,
     .variants = kOut,
     .out = {.overload = "output", .names = "output"}},
    {.schema = "aten::thnn_conv2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias=None, int[2] stride=1, "
               "int[2] padding=0) -> Tensor",
     .summary = "Convolution over images.",
     .composite = boxed<plain_convolution<2>>,
     .variants = kOut},
    {.schema = "aten::slow_conv3d(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias=None, int[3] stride=1, "
               "int[3] padding=0) -> Tensor",
     .summary = "Convolution over volumes.",
     .composite = boxed<plain_convolution<3>>,
     .variants = kOut},
    {.schema = "aten::slow_conv3d_forward(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias, int[3] stride, "
               "int[3] padding) -> Tensor",
     .summary = "Convolution over volumes.",
     .composite = boxed<plain_convolution<3>>,
     .variants = kOut,
     .out = {.overload = "output", .names = "output"}},
    {.schema = "aten::slow_conv_dilated2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias=None, int[2] "
               "stride=1, int[2] padding=0, int[2] "
               "dilation=1) -> Tensor",
     .summary = "Dilated convolution over images.",
     .composite = boxed<dilated_convolution<2>>,
     .variants = kOut},
    {.schema = "aten::slow_conv_dilated3d(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias=None, int[3] "
               "stride=1, int[3] padding=0, int[3] "
               "dilation=1) -> Tensor",
     .summary = "Dilated convolution over volumes.",
     .composite = boxed<dilated_convolution<3>>,
     .variants = kOut},
    {.schema = "aten::_conv_depthwise2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias, int[2] stride, "
               "int[2] padding, int[2] dilation) -> "
               "Tensor",
     .summary = "Convolution over images, each channel by itself.",
     .composite = boxed<depthwise_convolution<2>>,
     .variants = kOut},
    {.schema = "aten::conv_depthwise3d(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias, int[3] stride, "
               "int[3] padding, int[3] dilation) -> "
               "Tensor",
     .summary = "Convolution over volumes, each channel by itself.",
     .composite = boxed<depthwise_convolution<3>>,
     .variants = kOut},
    {.schema = "aten::slow_conv_transpose2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias=None, int[2] "
               "stride=1, int[2] padding=0, int[2] "
               "output_padding=0, int[2] dilation=1) -> Tensor",
     .summary = "Transposed convolution over images.",
     .composite = boxed<transposed_convolution<2>>,
     .variants = kOut},
    {.schema = "aten::slow_conv_transpose3d(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias=None, int[3] "
               "stride=1, int[3] padding=0, int[3] "
               "output_padding=0, int[3] dilation=1) -> Tensor",
     .summary = "Transposed convolution over volumes.",
     .composite = boxed<transposed_convolution<3>>,
     .variants = kOut},
    {.schema = "aten::deg2rad_(Tensor(a!) self) -> Tensor(a!)",
     .summary = "Degrees to radians, in place.",
     .composite = boxed<deg2rad_>},
    {.schema = "aten::rad2deg_(Tensor(a!) self) -> Tensor(a!)",
     .summary = "Radians to degrees, in place.",
     .composite = boxed<rad2deg_>},
    {.schema = "aten::ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
     .summary = "self * 2 ** other, in place.",
     .composite = boxed<ldexp_>},
    {.schema = "aten::renorm_(Tensor(a!) self, Scalar p, int dim, Scalar maxnorm) -> Tensor(a!)",
     .summary = "Shortens slices along dim to maxnorm, in place.",
     .composite = boxed<renorm_>},
    {.schema = "aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
     .summary = "log_sigmoid, and what its gradient needs.",
     .composite = boxed<log_sigmoid_forward>,
     .variants = kOut,
     .out = {.overload = "output", .names = "output buffer"},
     .constant_results = 0b10},
    {.schema = "aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
     .summary = "The Vandermonde matrix of a vector.",
     .formula = "out[i, j] = x[i]^(N - 1 - j)",
     .composite = boxed<vander>},
    {.schema = "aten::trace_backward(Tensor grad, int[] sizes) -> Tensor",
     .summary = "Gradient of trace.",
     .composite = boxed<trace_backward>},
    {.schema = "aten::linear_backward(Tensor self, Tensor grad_output, Tensor weight, bool[3] output_mask) -> (Tensor, "
               "Tensor, Tensor)",
     .summary = "Gradients of linear for input, weight and bias.",
     .composite = boxed<linear_backward>},
    {.schema = "aten::_masked_scale(Tensor self, Tensor mask, float scale) -> Tensor",
     .summary = "self * mask * scale.",
     .composite = boxed<masked_scale>,
     .variants = kOut},
    {.schema = "aten::_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, "
               "int[] dilation, bool "
               "transposed, int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled) "
               "-> Tensor",
     .summary = "The convolution of older model files.",
     .composite = deprecated_convolution,
     .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower}},
    {.schema = "aten::_scaled_dot_product_attention_forward(Tensor query, Tensor key, Tensor value, Tensor? "
               "attn_mask=None, float "
               "dropout_p=0., bool need_attn_weights=False, bool is_causal=False) -> (Tensor, Tensor)",
     .summary = "The same as _scaled_dot_product_attention.",
     .composite = forward<"aten::_scaled_dot_product_attention">},
};

}  // namespace

std::span<const OperatorRecord> older_name_records() { return kRecords; }

}  // namespace loupe::composed
