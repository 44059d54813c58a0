// SPDX-License-Identifier: Apache-2.0
// Arithmetic with its arguments in another form: a number first, in place, with an activation behind it; and reductions
// under the names that PyTorch has inside.

#include <string>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/kernels/promotion.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw Error(ErrorKind::Run, what);
}

const OperatorHandle<> kFloatPower("aten::float_power.Tensor_Tensor");
const OperatorHandle<> kFloatPowerScalar("aten::float_power.Tensor_Scalar");
const OperatorHandle<> kRoundDecimals("aten::round.decimals");
const OperatorHandle<> kFloorDivide("aten::floor_divide");
const OperatorHandle<> kRelu_("aten::relu_");
const OperatorHandle<fn::TwoTensors> kAminmax("aten::aminmax");

// An operator of two tensors on a number and a tensor.
template <detail::OperatorName kName>
void number_first(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw(kName.text);
    const IValue both[] = {wrapped_number(arguments[0].to_scalar()), arguments[1]};
    call_operator(target, both, results);
}

Tensor float_power_of_number(const Scalar& base, const Tensor& exponent) {
    return kFloatPower(wrapped_number(base), exponent);
}

void check_float_power(const Tensor& self, ScalarType exponent) {
    const ScalarType needed =
        is_complex(self.dtype()) || is_complex(exponent) ? ScalarType::Complex128 : ScalarType::Float64;
    require(self.dtype() == needed, concat("the base given to float_power_ has dtype ", dtype_graph_name(self.dtype()),
                                           " but the operation's result requires dtype ", dtype_graph_name(needed)));
}

Tensor float_power_(const Tensor& self, const Tensor& exponent) {
    check_float_power(self, exponent.dtype());
    return fn::copy_(self, kFloatPower(self, exponent));
}

Tensor float_power_number_(const Tensor& self, const Scalar& exponent) {
    check_float_power(self, exponent.dtype());
    return fn::copy_(self, kFloatPowerScalar(self, exponent));
}

Tensor round_(const Tensor& self, std::int64_t decimals) { return fn::copy_(self, kRoundDecimals(self, decimals)); }

Tensor floor_divide_(const Tensor& self, const Tensor& other) { return fn::copy_(self, kFloorDivide(self, other)); }

Tensor add_relu(const Tensor& self, const Tensor& other, const Scalar& alpha) {
    return fn::relu(fn::add(self, other, alpha));
}

Tensor add_relu_number(const Tensor& self, const Scalar& other, const Scalar& alpha) {
    return fn::relu(fn::add_scalar(self, other, alpha));
}

Tensor add_relu_(const Tensor& self, const Tensor& other, const Scalar& alpha) {
    return kRelu_(fn::add_(self, other, alpha));
}

Tensor add_relu_number_(const Tensor& self, const Scalar& other, const Scalar& alpha) {
    return fn::copy_(self, add_relu_number(self, other, alpha));
}

const OperatorHandle<fn::TwoTensors> kLayer{"loupe::linear_activation"};

Tensor addmm_activation(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha,
                        bool use_gelu) {
    // Libraries of devices have relu in the product; their gelu is another than PyTorch's on the CPU.
    const bool is_layer = self.dim() == 1 && beta.equals(1) && alpha.equals(1) && is_floating(a.dtype());
    if (is_layer && !use_gelu && !a.device().is_cpu()) return std::get<0>(kLayer(a, fn::t(b), self, "relu", false));
    const Tensor sum = fn::addmm(self, a, b, beta, alpha);
    return use_gelu ? fn::gelu(sum) : fn::relu(sum);
}

fn::TwoTensors aminmax(const Tensor& self) { return kAminmax(self); }

fn::TwoTensors aminmax_dim(const Tensor& self, std::int64_t dim, bool keepdim) { return kAminmax(self, dim, keepdim); }

constexpr OperatorRecord kRecords[] = {
    composite("aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", "bitwise_and of a number.",
              number_first<"aten::bitwise_and.Tensor">)
        .with_out({.overload = "Scalar_Tensor_out"}),
    composite("aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", "bitwise_or of a number.",
              number_first<"aten::bitwise_or.Tensor">)
        .with_out({.overload = "Scalar_Tensor_out"}),
    composite("aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", "bitwise_xor of a number.",
              number_first<"aten::bitwise_xor.Tensor">)
        .with_out({.overload = "Scalar_Tensor_out"}),
    composite("aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", "A number shifted left.",
              number_first<"aten::bitwise_left_shift.Tensor">)
        .with_out({.overload = "Scalar_Tensor_out"}),
    composite("aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", "A number shifted right.",
              number_first<"aten::bitwise_right_shift.Tensor">)
        .with_out({.overload = "Scalar_Tensor_out"}),
    composite("aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor", "Power in double precision.",
              boxed<float_power_of_number>)
        .with_out({.overload = "Scalar_out"}),
    composite("aten::float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)", "float_power in place.",
              boxed<float_power_number_>),
    composite("aten::float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)", "float_power in place.",
              boxed<float_power_>),
    composite("aten::round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor(a!)", "round in place.",
              boxed<round_>),
    composite("aten::floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "floor_divide in place.",
              boxed<floor_divide_>)
        .with_python({.takes_numbers = true}),
    composite("aten::_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "relu of a sum.",
              boxed<add_relu>)
        .with_out({}),
    composite("aten::_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", "relu of a sum.",
              boxed<add_relu_number>)
        .with_out({.overload = "Scalar_out"}),
    composite("aten::_add_relu_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
              "relu of a sum, in place.", boxed<add_relu_>),
    composite("aten::_add_relu_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)",
              "relu of a sum, in place.", boxed<add_relu_number_>),
    composite("aten::_addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool "
              "use_gelu=False) -> Tensor",
              "relu or gelu of addmm.", boxed<addmm_activation>)
        .with_autocast({.cpu = Autocast::Lower})
        .with_out({}),
    composite("aten::_aminmax(Tensor self) -> (Tensor, Tensor)", "Least and greatest element.", boxed<aminmax>)
        .with_out({}),
    composite("aten::_aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)",
              "Least and greatest elements along a dimension.", boxed<aminmax_dim>)
        .with_out({.overload = "dim_out"}),
    composite("aten::_conj_copy(Tensor self) -> Tensor", "A conjugated copy.", forward<"aten::conj_physical">)
        .with_out({}),
    composite("aten::_conj_physical(Tensor self) -> Tensor", "The same as conj_physical.",
              forward<"aten::conj_physical">)
        .with_out({}),
    composite("aten::_neg_view_copy(Tensor self) -> Tensor", "A negated copy.", forward<"aten::neg">).with_out({}),
    composite("aten::_logcumsumexp(Tensor self, int dim) -> Tensor", "The same as logcumsumexp.",
              forward<"aten::logcumsumexp">)
        .with_out({}),
};

}  // namespace

std::span<const OperatorRecord> arithmetic_overload_records() { return kRecords; }

}  // namespace loupe::composed
