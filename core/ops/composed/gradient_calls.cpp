// SPDX-License-Identifier: Apache-2.0
// Gradients that can be called by name, of operators whose own derivative is written with other operators.

#include <functional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/composed/family.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/samples.h"

namespace loupe::composed {
namespace {

using namespace arithmetic;

const OperatorHandle<> kGlu("aten::glu");
const OperatorHandle<> kLogit("aten::logit");
const OperatorHandle<> kPrelu("aten::prelu");
const OperatorHandle<> kConvTbc("aten::conv_tbc");
const OperatorHandle<> kWeightNorm("aten::_weight_norm");

// Of a function of one tensor.
Tensor gradient_of(const Tensor& input, const Tensor& cotangent, const std::function<Tensor(const Tensor&)>& function) {
    const Tensor found =
        composed_gradients([&](const TensorList& in) { return TensorList{function(in[0])}; }, {input}, {cotangent})[0];
    return found.defined() ? found : fn::zeros_like(input);
}

Tensor glu_backward(const Tensor& grad_output, const Tensor& self, std::int64_t dim) {
    return gradient_of(self, grad_output, [&](const Tensor& x) { return kGlu(x, dim); });
}
// Of the direction dx: glu's own change, and that of its gradient.
struct Halves {
    Tensor value, gate;
};
Halves halves_of(const Tensor& t, std::int64_t dim) {
    const std::int64_t half = t.size(dim) / 2;
    return {fn::narrow(t, dim, 0, half), fn::narrow(t, dim, half, half)};
}
Tensor glu_jvp(const Tensor& glu, const Tensor& x, const Tensor& dx, std::int64_t dim) {
    const Tensor opened = fn::sigmoid(halves_of(x, dim).gate);
    const Halves d = halves_of(dx, dim);
    return d.value * opened + d.gate * (glu - opened * glu);
}
Tensor glu_backward_jvp(const Tensor& grad_x, const Tensor& grad_glu, const Tensor& x, const Tensor& dgrad_glu,
                        const Tensor& dx, std::int64_t dim) {
    const Halves at = halves_of(x, dim), along = halves_of(dx, dim), gradient = halves_of(grad_x, dim);
    const Tensor opened = fn::sigmoid(at.gate);
    const Tensor opened_change = opened * (Scalar(1) - opened) * along.gate;
    const Tensor change = dgrad_glu * opened + grad_glu * opened_change;
    // The gate's gradient is that of the value, times value (1 - opened).
    const Tensor closed = Scalar(1) - opened;
    const Tensor gate_change =
        change * at.value * closed + gradient.value * along.value * closed - gradient.value * at.value * opened_change;
    return fn::cat(TensorList{change, gate_change}, dim);
}

Tensor logit_backward(const Tensor& grad_output, const Tensor& self, const IValue& eps) {
    return gradient_of(self, grad_output, [&](const Tensor& x) { return kLogit(x, eps); });
}
Tensor gelu_backward(const Tensor& grad, const Tensor& self) {
    // Of integers and floats of eight bits it is computed in float32.
    if (is_integral(self.dtype()) || (is_floating(self.dtype()) && element_size(self.dtype()) == 1)) {
        const auto in_dtype = [](const Tensor& t, ScalarType dtype) {
            return fn::to_dtype(t, static_cast<std::int64_t>(dtype));
        };
        const Tensor wide = gelu_backward(in_dtype(grad, ScalarType::Float32), in_dtype(self, ScalarType::Float32));
        return in_dtype(wide, self.dtype());
    }
    return gradient_of(self, grad, [&](const Tensor& x) { return fn::gelu(x); });
}
fn::TwoTensors prelu_backward(const Tensor& grad_output, const Tensor& self, const Tensor& weight) {
    const TensorList found = composed_gradients([&](const TensorList& in) { return TensorList{kPrelu(in[0], in[1])}; },
                                                {self, weight}, {grad_output});
    return {found[0], found[1]};
}
Tensor cumprod_backward(const Tensor& grad, const Tensor& input, std::int64_t dim, const Tensor&) {
    return gradient_of(input, grad, [&](const Tensor& x) { return fn::cumprod(x, dim, IValue()); });
}
Tensor cummaxmin_backward(const Tensor& grad, const Tensor& input, const Tensor& indices, std::int64_t dim) {
    if (input.numel() == 0) return input;
    return fn::scatter_add(fn::zeros_like(input), dim, indices, grad);
}
fn::ThreeTensors conv_tbc_backward(const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& bias,
                                   std::int64_t pad) {
    const TensorList found =
        composed_gradients([&](const TensorList& in) { return TensorList{kConvTbc(in[0], in[1], in[2], pad)}; },
                           {input, weight, bias}, {grad});
    return {found[0], found[1], found[2]};
}
fn::TwoTensors weight_norm_backward(const Tensor& grad_w, const Tensor& v, const Tensor& g, const Tensor&,
                                    std::int64_t dim) {
    const TensorList found = composed_gradients(
        [&](const TensorList& in) { return TensorList{kWeightNorm(in[0], in[1], dim)}; }, {v, g}, {grad_w});
    return {found[0], found[1]};
}

std::vector<Sample> with_dim(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_tensor(random, {2, 3}, dtype), random_tensor(random, {2, 6}, dtype), 1}, {}}};
}
std::vector<Sample> two_alike(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_tensor(random, {2, 3}, dtype), random_tensor(random, {2, 3}, dtype)}, {}}};
}
std::vector<Sample> prelu_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_tensor(random, {2, 3}, dtype), random_ladder(random, {2, 3}, dtype),
              random_tensor(random, {3}, dtype)},
             {}}};
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
    {.schema = "aten::glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor",
     .summary = "Gradient of glu.",
     .composite = boxed<glu_backward>,
     .samples = with_dim,
     .variants = kOut,
     .out = {.overload = "grad_input", .names = "grad_input"}},
    {.schema = "aten::glu_jvp(Tensor glu, Tensor x, Tensor dx, int dim) -> Tensor",
     .summary = "How glu changes along dx.",
     .formula = "da sigmoid(b) + glu (1 - sigmoid(b)) db",
     .composite = boxed<glu_jvp>,
     .variants = kOut},
    {.schema = "aten::glu_backward_jvp(Tensor grad_x, Tensor grad_glu, Tensor x, Tensor dgrad_glu, Tensor dx, int dim) "
               "-> Tensor",
     .summary = "How glu's gradient changes along dx and dgrad_glu.",
     .composite = boxed<glu_backward_jvp>,
     .variants = kOut},
    {.schema = "aten::logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor",
     .summary = "Gradient of logit.",
     .formula = "g / (x (1 - x))",
     .composite = boxed<logit_backward>,
     .variants = kOut,
     .out = {.overload = "grad_input", .names = "grad_input"}},
    {.schema = "aten::infinitely_differentiable_gelu_backward(Tensor grad, Tensor self) -> Tensor",
     .summary = "Gradient of gelu.",
     .composite = boxed<gelu_backward>,
     .samples = two_alike},
    {.schema = "aten::prelu_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
     .summary = "Gradients of prelu.",
     .composite = boxed<prelu_backward>,
     .samples = prelu_samples,
     .variants = kOut},
    {.schema = "aten::cumprod_backward(Tensor grad, Tensor input, int dim, Tensor output) -> Tensor",
     .summary = "Gradient of cumprod.",
     .composite = boxed<cumprod_backward>},
    {.schema = "aten::cummaxmin_backward(Tensor grad, Tensor input, Tensor indices, int dim) -> Tensor",
     .summary = "Gradient of cummax and cummin.",
     .composite = boxed<cummaxmin_backward>},
    {.schema = "aten::conv_tbc_backward(Tensor self, Tensor input, Tensor weight, Tensor bias, int pad) -> (Tensor, "
               "Tensor, Tensor)",
     .summary = "Gradients of conv_tbc.",
     .composite = boxed<conv_tbc_backward>},
    {.schema = "aten::_weight_norm_interface_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor "
               "saved_norms, int dim) -> "
               "(Tensor, Tensor)",
     .summary = "Gradients of weight normalisation.",
     .composite = boxed<weight_norm_backward>,
     .variants = kOut},
    {.schema = "aten::_weight_norm_differentiable_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor "
               "saved_norms, int dim) "
               "-> (Tensor, Tensor)",
     .summary = "Gradients of weight normalisation.",
     .composite = boxed<weight_norm_backward>},
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
};

}  // namespace

std::span<const OperatorRecord> gradient_call_records() { return kRecords; }

}  // namespace loupe::composed
