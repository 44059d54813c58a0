// SPDX-License-Identifier: Apache-2.0
// Tensors held against each other: equal, isclose, allclose; and small conversions.

#include <cmath>
#include <numbers>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/promotion.h"
#include "core/ops/composed/family.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/samples.h"

namespace loupe::composed {
namespace {

using namespace arithmetic;

bool equal(const Tensor& self, const Tensor& other) {
    if (!std::ranges::equal(self.sizes(), other.sizes())) return false;
    return self.numel() == 0 || fn::is_nonzero(fn::all(fn::eq(self, other)));
}
Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
    if (self.dtype() != other.dtype()) {
        throw Error(ErrorKind::Run,
                    concat(dtype_graph_name(self.dtype()), " did not match ", dtype_graph_name(other.dtype())));
    }
    if (rtol < 0) throw Error(ErrorKind::Run, concat("rtol must be greater than or equal to zero, but got ", rtol));
    if (atol < 0) throw Error(ErrorKind::Run, concat("atol must be greater than or equal to zero, but got ", atol));
    Tensor close = fn::eq(self, other);
    if (equal_nan && is_differentiable(self.dtype()))
        close = fn::logical_or(close, fn::logical_and(fn::isnan(self), fn::isnan(other)));
    if (rtol == 0 && atol == 0) return close;
    const auto as_float = [](const Tensor& t) {
        return is_integral(t.dtype()) ? fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float32)) : t;
    };
    const Tensor allowed = fn::abs(as_float(other) * Scalar(rtol)) + Scalar(atol);
    const Tensor actual = fn::abs(as_float(self) - as_float(other));
    return fn::logical_or(close, fn::logical_and(fn::isfinite(actual), fn::le(actual, allowed)));
}
bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
    return fn::is_nonzero(fn::all(isclose(self, other, rtol, atol, equal_nan)));
}

Tensor positive(const Tensor& self) {
    if (self.dtype() == ScalarType::Bool) {
        throw Error(ErrorKind::Run, "The `+` operator, on a bool tensor is not supported.");
    }
    return self;
}
Tensor absolute(const Tensor& x) { return fn::abs(x); }
Tensor deg2rad(const Tensor& self) {
    if (is_complex(self.dtype())) throw Error(ErrorKind::Run, "deg2rad is not supported for complex tensors.");
    return self * Scalar(std::numbers::pi / 180);
}
Tensor rad2deg(const Tensor& self) {
    if (is_complex(self.dtype())) throw Error(ErrorKind::Run, "rad2deg is not supported for complex tensors.");
    return self * Scalar(180 / std::numbers::pi);
}
Tensor ldexp(const Tensor& self, const Tensor& other) { return self * fn::pow_of_scalar(Scalar(2.0), other); }

std::tuple<Tensor, Tensor> frexp(const Tensor& self) {
    if (!is_floating(self.dtype())) throw Error(ErrorKind::Run, "torch.frexp() only supports floating-point dtypes");
    const Tensor mantissa = empty(self.sizes(), self.dtype());
    const Tensor exponent = empty(self.sizes(), ScalarType::Int32);
    const Tensor values = indexing::dense(self);
    visit_dtype(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (is_floating(scalar_type_of<T>)) {
            for (std::int64_t i = 0; i < self.numel(); ++i) {
                int power = 0;
                using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
                mantissa.data<T>()[i] = T(std::frexp(static_cast<Wide>(values.data<T>()[i]), &power));
                exponent.data<std::int32_t>()[i] = power;
            }
        }
    });
    return {mantissa, exponent};
}

void frexp_gradient(GradientContext& c) {
    if (!c.grad_output(0).defined()) return;
    c.grad("self", [&] {
        return c.grad_output(0) /
               fn::exp2(fn::to_dtype(c.result(1), static_cast<std::int64_t>(c.grad_output(0).dtype())));
    });
}

std::int64_t number_of(ScalarType dtype) { return static_cast<std::int64_t>(dtype); }
std::int64_t result_type_tensors(const Tensor& a, const Tensor& b) { return number_of(result_type(a, b)); }
std::int64_t result_type_tensor_number(const Tensor& a, const Scalar& b) { return number_of(result_type(a, b)); }
std::int64_t result_type_number_tensor(const Scalar& a, const Tensor& b) { return number_of(result_type(a, b)); }

Tensor shape_as_tensor(const Tensor& self) { return tensor_of(self.sizes(), std::array{self.dim()}); }
Tensor reshape_from_tensor(const Tensor& self, const Tensor& shape) {
    return fn::reshape(self, indexing::index_values(shape));
}

std::vector<Sample> pair_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), random_tensor(random, {2, 3}, dtype)}}};
}

std::vector<Sample> frexp_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_ladder(random, {3, 4}, dtype)}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::equal(Tensor self, Tensor other) -> bool",
     .summary = "Have they the same shape and elements?",
     .kernel = boxed<equal>,
     .samples = pair_samples,
     .is_gradient_stop = true,
     .python = {.result = PythonUse::Boolean},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, "
               "bool equal_nan=False) -> Tensor",
     .summary = "|self - other| <= atol + rtol * |other|.",
     .composite = boxed<isclose>},
    {.schema = "aten::allclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, "
               "bool equal_nan=False) -> bool",
     .summary = "Are all elements close?",
     .composite = boxed<allclose>,
     .python = {.result = PythonUse::Boolean}},
    {.schema = "aten::positive(Tensor(a) self) -> Tensor(a)",
     .summary = "The tensor itself.",
     .composite = boxed<positive>},
    {.schema = "prim::abs(Tensor x) -> Tensor", .summary = "abs(x) of Python's source.", .composite = boxed<absolute>},
    {.schema = "aten::deg2rad(Tensor self) -> Tensor",
     .summary = "Degrees to radians.",
     .composite = boxed<deg2rad>,
     .variants = kOut},
    {.schema = "aten::rad2deg(Tensor self) -> Tensor",
     .summary = "Radians to degrees.",
     .composite = boxed<rad2deg>,
     .variants = kOut},
    {.schema = "aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor",
     .summary = "self * 2 ** other.",
     .composite = boxed<ldexp>,
     .variants = kOut},
    {.schema = "aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)",
     .summary = "Mantissa in [0.5, 1) and exponent of two.",
     .formula = "self = mantissa 2^exponent",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<frexp>,
     .derivative = {frexp_gradient, {save_result(1)}},
     .gradient = "self: grad / 2^exponent",
     .samples = frexp_samples,
     .variants = kOut,
     .out = {.overload = "Tensor_out",
             .names = "mantissa exponent",
             .refusal = {"torch.frexp() expects mantissa to have dtype {t} but got {o}"}}},
    {.schema = "aten::result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType",
     .summary = "The dtype that an operation on both would give.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<result_type_tensors>,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType",
     .summary = "The dtype that an operation on both would give.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<result_type_tensor_number>,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType",
     .summary = "The dtype that an operation on both would give.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<result_type_number_tensor>,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::_shape_as_tensor(Tensor self) -> Tensor",
     .summary = "The sizes, as an int64 tensor.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<shape_as_tensor>,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::_reshape_from_tensor(Tensor self, Tensor shape) -> Tensor",
     .summary = "In the shape that the other tensor lists.",
     .composite = boxed<reshape_from_tensor>},
};

}  // namespace

std::span<const OperatorRecord> comparison_records() { return kRecords; }

}  // namespace loupe::composed
