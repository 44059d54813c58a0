// SPDX-License-Identifier: Apache-2.0
// Complex numbers: parts, conjugates, making them from parts.

#include <limits>
#include <numbers>

#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

// The same memory with the other element type; sizes and strides in its elements.
Tensor reinterpret(const Tensor& t, ScalarType dtype, IntSpan sizes, IntSpan strides, std::int64_t offset) {
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = t.storage();
    impl->dtype = dtype;
    impl->offset = offset;
    impl->set_sizes_strides(sizes, strides);
    return Tensor(std::move(impl));
}
Tensor as_real(const Tensor& t) {
    Dims sizes = to_dims(t.sizes());
    Dims strides = to_dims(t.strides());
    for (std::int64_t& stride : strides) stride *= 2;
    sizes.push_back(2);
    strides.push_back(1);
    return reinterpret(t, to_real_type(t.dtype()), span_of(sizes), span_of(strides), t.storage_offset() * 2);
}

Tensor view_as_real(const Tensor& self) {
    require(is_complex(self.dtype()), "view_as_real is only supported for complex tensors");
    return as_real(self);
}
Tensor view_as_complex(const Tensor& self) {
    require(is_floating(self.dtype()) && self.dtype() != ScalarType::BFloat16,
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: ",
            dtype_graph_name(self.dtype()));
    require(self.dim() != 0, "Input tensor must have one or more dimensions");
    require(self.size(-1) == 2, "Tensor must have a last dimension of size 2");
    require(self.stride(-1) == 1, "Tensor must have a last dimension with stride 1");
    Dims sizes = to_dims(self.sizes());
    Dims strides = to_dims(self.strides());
    sizes.pop_back();
    strides.pop_back();
    for (std::int64_t& stride : strides) {
        require(stride % 2 == 0, "Tensor must have a stride divisible by 2 for all but last dimension");
        stride /= 2;
    }
    require(self.storage_offset() % 2 == 0, "Tensor must have a storage_offset divisible by 2");
    return reinterpret(self, to_complex_type(self.dtype()), span_of(sizes), span_of(strides),
                       self.storage_offset() / 2);
}

Tensor real(const Tensor& self) { return is_complex(self.dtype()) ? fn::select(fn::view_as_real(self), -1, 0) : self; }
Tensor imag(const Tensor& self) {
    require(is_complex(self.dtype()), "imag is not implemented for tensors with non-complex dtypes.");
    return fn::select(fn::view_as_real(self), -1, 1);
}
Tensor conj_view(const Tensor& self) { return conj(self); }
Tensor itself(const Tensor& self) { return self; }

void conj_kernel(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    const Tensor out = results[0].to_tensor();
    if (is_complex(self.dtype()))
        run_unary(UnaryOp::Conj, arguments, results);
    else if (!out.is_same(self))
        copy_into(out, self);
}

TensorMeta infer_pair(const Tensor& a, const Tensor& b, const char* first, const char* second) {
    require(a.dtype() == b.dtype(), "Expected object of scalar type ", dtype_graph_name(a.dtype()),
            " but got scalar type ", dtype_graph_name(b.dtype()), " for second argument");
    require(is_floating(a.dtype()) && a.dtype() != ScalarType::BFloat16, "Expected both inputs ", first, " and ",
            second, " to be Half, Float or Double tensors but got ", dtype_graph_name(a.dtype()), " and ",
            dtype_graph_name(b.dtype()));
    const IValue operands[] = {a, b};
    return elementwise_meta(operands, to_complex_type(a.dtype()));
}
TensorMeta infer_complex(const Tensor& re, const Tensor& im) { return infer_pair(re, im, "real", "imag"); }
void join_parts(const Tensor& out, const Tensor& re, const Tensor& im) {
    const Tensor parts = as_real(out);
    const auto part = [&](std::int64_t i) {
        return parts.view_as_strided(out.sizes(), parts.strides().first(out.sizes().size()),
                                     parts.storage_offset() + i);
    };
    copy_into(part(0), re);
    copy_into(part(1), im);
}
void complex_backward(G& c) {
    c.grad("real", [&] { return fn::real(c.grad_output()); });
    c.grad("imag", [&] { return fn::imag(c.grad_output()); });
}
Tensor polar(const Tensor& magnitude, const Tensor& angle) {
    infer_pair(magnitude, angle, "abs", "angle");
    return fn::complex(magnitude * fn::cos(angle), magnitude * fn::sin(angle));
}

void infer_angle(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    outputs.push_back(same_meta(self, to_real_type(floating_type(self.dtype()))));
}
// Of a real number: 0, pi, or NaN.
void angle_kernel(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    const Tensor out = results[0].to_tensor();
    if (is_complex(self.dtype())) {
        const ScalarType as = compute_type(self.dtype());
        run(complex_part_kernel(ComplexPartOp::Angle, as), out, to_real_type(as), arguments, as, as);
        return;
    }
    if (is_unsigned(self.dtype())) return fill_with(out, 0);
    const Tensor negative = fn::lt_scalar(self, Scalar(0));
    const Tensor rest =
        fn::masked_fill(fn::zeros_like(out), fn::isnan(self), Scalar(std::numeric_limits<double>::quiet_NaN()));
    copy_into(out, fn::where_scalar_self(negative, Scalar(std::numbers::pi), rest));
}
void angle_backward(G& c) {
    const Tensor z = c.argument("self");
    const Tensor g = c.grad_output();
    if (!is_complex(z.dtype())) {
        c.set_grad("self", fn::zeros_like(g));
        return;
    }
    const Tensor re = fn::real(z), im = fn::imag(z);
    const Tensor square = re * re + im * im;
    const Tensor slope = fn::complex(g * (-im / square), g * (re / square));
    c.set_grad("self", fn::masked_fill(slope, fn::eq_scalar(square, Scalar(0)), Scalar(0)));
}

std::vector<Sample> complex_only(Random& random, ScalarType dtype) {
    return is_complex(dtype) ? unary_samples(random, dtype) : std::vector<Sample>();
}
std::vector<Sample> pair_samples(Random& random, ScalarType dtype) {
    const bool fits = dtype == ScalarType::Float32 || dtype == ScalarType::Float64;
    return fits ? real_binary_samples(random, dtype) : std::vector<Sample>();
}

constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function,
                                   SamplesFunction samples = nullptr) {
    return {.schema = schema, .summary = summary, .composite = function, .samples = samples};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::view_as_real(Tensor(a) self) -> Tensor(a)",
     .summary = "A view of complex numbers with their parts in a last dimension.",
     .formula = "out[.., 0] = real(self), out[.., 1] = imag(self)",
     .kernel = boxed<view_as_real>,
     .derivative = {[](G& c) { c.set_grad("self", fn::view_as_complex(fn::contiguous(c.grad_output()))); }},
     .gradient = "self: grad[.., 0] + i grad[.., 1]",
     .samples = complex_only},
    {.schema = "aten::view_as_complex(Tensor(a) self) -> Tensor(a)",
     .summary = "A view of pairs in the last dimension as complex numbers.",
     .formula = "self[.., 0] + i self[.., 1]",
     .kernel = boxed<view_as_complex>,
     .derivative = {[](G& c) { c.set_grad("self", fn::view_as_real(c.grad_output())); }},
     .gradient = "self: real(grad) and imag(grad) in a last dimension",
     .autocast = {.cpu = Autocast::Float32}},
    composite("aten::real(Tensor(a) self) -> Tensor(a)", "Real parts, a view.", boxed<real>, unary_samples)
        .with_formula("real(self)")
        .with_gradient("self: grad"),
    composite("aten::imag(Tensor(a) self) -> Tensor(a)", "Imaginary parts, a view.", boxed<imag>, complex_only)
        .with_formula("imag(self)")
        .with_gradient("self: i grad"),
    composite("aten::conj(Tensor(a) self) -> Tensor(a)", "Complex conjugate of each element; a real tensor itself.",
              boxed<conj_view>, unary_samples)
        .with_formula("conj(self)")
        .with_gradient("self: conj(grad)"),
    composite("aten::_conj(Tensor(a) self) -> Tensor(a)", "Complex conjugate of each element; a real tensor itself.",
              boxed<conj_view>)
        .with_formula("conj(self)")
        .with_gradient("self: conj(grad)"),
    composite("aten::resolve_conj(Tensor(a) self) -> Tensor(a)", "self: conjugates are never lazy here.", boxed<itself>)
        .with_formula("self")
        .with_gradient("self: grad"),
    composite("aten::resolve_neg(Tensor(a) self) -> Tensor(a)", "self: negation is never lazy here.", boxed<itself>)
        .with_formula("self")
        .with_gradient("self: grad"),
    {.schema = "aten::conj_physical(Tensor self) -> Tensor",
     .summary = "Complex conjugate of each element, copied.",
     .formula = "conj(self)",
     .infer = infer_same,
     .kernel = FillingKernel{&conj_kernel},
     .derivative = {[](G& c) { c.set_grad("self", conj(c.grad_output())); }},
     .gradient = "self: conj(grad)",
     .samples = unary_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kFound},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::complex(Tensor real, Tensor imag) -> Tensor",
     .summary = "Complex numbers from their parts.",
     .formula = "real + i imag",
     .infer = inferring<infer_complex>,
     .kernel = filling<join_parts>,
     .derivative = {complex_backward},
     .gradient = "real: real(grad)\nimag: imag(grad)",
     .samples = pair_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kObjectOut}},
    composite("aten::polar(Tensor abs, Tensor angle) -> Tensor", "Complex numbers from magnitude and angle.",
              boxed<polar>, pair_samples)
        .with_autocast({.cpu = Autocast::Float32})
        .with_out({.refusal = out_refusal::kObjectOut})
        .with_formula("abs (cos(angle) + i sin(angle))")
        .with_gradient("abs: real(conj(grad) out) / abs\nangle: real(conj(grad) i out)"),
    {.schema = "aten::angle(Tensor self) -> Tensor",
     .summary = "Angle in the complex plane.",
     .formula = "atan2(imag, real)",
     .infer = infer_angle,
     .kernel = FillingKernel{&angle_kernel},
     .derivative = {angle_backward, {save_argument("self")}},
     .gradient = "self: 0 of real numbers; of complex ones grad i x / |x|^2",
     .samples = unary_samples,
     .variants = kOut,
     .dtypes = {kWithUnsigned}},
};

}  // namespace

std::span<const OperatorRecord> pointwise::complex_records() { return kRecords; }

}  // namespace loupe
