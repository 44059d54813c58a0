// SPDX-License-Identifier: Apache-2.0
// add, sub, rsub, mul: of two tensors, or a tensor and a number.

#include "core/kernels/arithmetic.h"
#include "core/ops/not_finite.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"
#include "core/ops/sparse/sparse.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

void check_alpha(ScalarType common, const Scalar& alpha) {
    require(alpha.kind() != Scalar::Kind::Bool || common == ScalarType::Bool,
            "Boolean alpha only supported for Boolean results.");
    require(!is_integral(common) || alpha.is_integral(),
            "For integral input tensors, argument alpha must not be a floating point number.");
    require(is_complex(common) || !alpha.is_complex(),
            "For non-complex input tensors, argument alpha must not be a complex number.");
}

void infer_add(Arguments arguments, MetaList& outputs) {
    infer_binary(arguments, outputs);
    check_alpha(outputs[0].dtype, arguments[2].to_scalar());
}

bool is_bool(const IValue& v) { return v.is_tensor() ? v.tensor_impl()->dtype == ScalarType::Bool : v.is_bool(); }
void infer_sub(Arguments arguments, MetaList& outputs) {
    require(!is_bool(arguments[0]) || !is_bool(arguments[1]),
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator "
            "instead.");
    require(!is_bool(arguments[0]) && !is_bool(arguments[1]),
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the "
            "`~` or `logical_not()` operator instead.");
    infer_add(arguments, outputs);
}

// PyTorch has the product of floats of eight bits with tensors alone, not with numbers.
void infer_mul(Arguments arguments, MetaList& outputs) {
    infer_binary(arguments, outputs);
    const auto is_number = [](const IValue& v) { return !v.is_tensor() || v.tensor_impl()->sizes.empty(); };
    require(!is_float8(outputs[0].dtype) || (!is_number(arguments[0]) && !is_number(arguments[1])),
            "\"mul_cpu_reduced_float\" not implemented for '", dtype_graph_name(outputs[0].dtype), "'");
}

template <BinaryOp kPlain, BinaryOp kScaled>
void call_scaled(Arguments arguments, IValue* results) {
    const Scalar alpha = arguments[2].to_scalar();
    run_binary(alpha.equals(1) ? kPlain : kScaled, arguments, results, &alpha);
}
template <BinaryOp kPlain, BinaryOp kScaled>
constexpr FillingKernel kScaledKernel{&call_scaled<kPlain, kScaled>};

void rsub_kernel(Arguments arguments, IValue* results) {
    const IValue swapped[] = {arguments[1], arguments[0], arguments[2]};
    call_scaled<BinaryOp::Sub, BinaryOp::SubScaled>(swapped, results);
}

void add_backward(G& c) {
    c.grad("self", [&] { return c.grad_output(); });
    c.grad("other", [&] { return scaled(c.grad_output(), conj(c.value("alpha").to_scalar())); });
}
void sub_backward(G& c) {
    c.grad("self", [&] { return c.grad_output(); });
    c.grad("other", [&] { return scaled(-c.grad_output(), conj(c.value("alpha").to_scalar())); });
}
void rsub_backward(G& c) {
    c.grad("self", [&] { return scaled(-c.grad_output(), conj(c.value("alpha").to_scalar())); });
    c.grad("other", [&] { return c.grad_output(); });
}
void mul_backward(G& c) {
    c.grad("self", [&] { return c.grad_output() * conj(c.argument("other")); });
    c.grad("other", [&] { return c.grad_output() * conj(c.argument("self")); });
}

std::vector<Sample> alpha_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = with_arguments(binary_samples(random, dtype), {IValue(1)});
    for (Sample& s : with_arguments(binary_samples(random, dtype), {IValue(2)})) samples.push_back(std::move(s));
    return samples;
}
std::vector<Sample> subtraction_samples(Random& random, ScalarType dtype) {
    return dtype == ScalarType::Bool ? std::vector<Sample>() : alpha_samples(random, dtype);
}
std::vector<Sample> alpha_scalar_samples(Random& random, ScalarType dtype) {
    return with_arguments(scalar_samples(random, dtype), {IValue(2)});
}
std::vector<Sample> subtraction_scalar_samples(Random& random, ScalarType dtype) {
    return dtype == ScalarType::Bool ? std::vector<Sample>() : alpha_scalar_samples(random, dtype);
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kMulNotFinite[] = {
    {In::Either, When::Infinite, 0, "0 \u00b7 Inf", advice::kProduct},
    {In::Forward, When::Always, 0, "a product that leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kAddNotFinite[] = {
    {In::Either, When::Infinite, 0, "Inf \u2212 Inf", advice::kDifference},
    {In::Forward, When::Always, 0, "a sum that leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kSubNotFinite[] = {
    {In::Either, When::Infinite, 0, "Inf \u2212 Inf", advice::kDifference},
    {In::Forward, When::Always, 0, "a difference that leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kRsubNotFinite[] = {
    {In::Either, When::Infinite, 0, "Inf \u2212 Inf", advice::kDifference},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
     .summary = "Sum of two tensors.",
     .formula = "self + alpha other",
     .infer = infer_add,
     .kernel = kScaledKernel<BinaryOp::Add, BinaryOp::AddScaled>,
     .derivative = {add_backward},
     .gradient = "self: grad\nother: alpha grad",
     .samples = alpha_samples,
     .variants = kInPlace | kOut,
     .sparse = {.run = on_sparse::add},
     .python = {.takes_numbers = true, .has_older_form = true},
     .not_finite = kAddNotFinite,
     .dtypes = {.kernel = "add_stub"}},
    {.schema = "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
     .summary = "Sum of a tensor and a number.",
     .formula = "self + alpha other",
     .infer = infer_add,
     .kernel = kScaledKernel<BinaryOp::Add, BinaryOp::AddScaled>,
     .derivative = {[](G& c) { c.set_grad("self", c.grad_output()); }, {}, "AddBackward1"},
     .samples = alpha_scalar_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_out"},
     .sparse = {.run = on_sparse::add},
     .python = {.number_is_tensor = true, .has_older_form = true},
     .dtypes = {.kernel = "add_stub"}},
    {.schema = "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
     .summary = "Difference of two tensors.",
     .formula = "self - alpha other",
     .infer = infer_sub,
     .kernel = kScaledKernel<BinaryOp::Sub, BinaryOp::SubScaled>,
     .derivative = {sub_backward},
     .gradient = "self: grad\nother: -alpha grad",
     .samples = subtraction_samples,
     .variants = kInPlace | kOut,
     .sparse = {.run = on_sparse::sub},
     .python = {.takes_numbers = true, .has_older_form = true},
     .not_finite = kSubNotFinite,
     .dtypes = {.kernel = "add_stub"}},
    {.schema = "aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
     .summary = "Difference of a tensor and a number.",
     .formula = "self - alpha other",
     .infer = infer_sub,
     .kernel = kScaledKernel<BinaryOp::Sub, BinaryOp::SubScaled>,
     .derivative = {[](G& c) { c.set_grad("self", c.grad_output()); }, {}, "SubBackward1"},
     .samples = subtraction_scalar_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_out"},
     .sparse = {.run = on_sparse::sub},
     .python = {.number_is_tensor = true, .has_older_form = true},
     .dtypes = {.kernel = "add_stub"}},
    {.schema = "aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
     .summary = "Difference with the operands exchanged.",
     .formula = "other - alpha self",
     .infer = infer_sub,
     .kernel = FillingKernel{&rsub_kernel},
     .derivative = {rsub_backward},
     .gradient = "self: -alpha grad\nother: grad",
     .samples = subtraction_samples,
     .variants = kOut,
     .out = {.overload = "Tensor_out"},
     .not_finite = kRsubNotFinite,
     .dtypes = {.kernel = "add_stub"}},
    {.schema = "aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
     .summary = "A number minus a tensor.",
     .formula = "other - alpha self",
     .infer = infer_sub,
     .kernel = FillingKernel{&rsub_kernel},
     .derivative = {rsub_backward, {}, "RsubBackward1"},
     .samples = subtraction_scalar_samples,
     .variants = kOut,
     .out = {.overload = "Scalar_out"},
     .dtypes = {.kernel = "add_stub"}},
    {.schema = "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
     .summary = "Product, element by element.",
     .formula = "self other",
     .infer = infer_mul,
     .kernel = binary<BinaryOp::Mul>,
     .derivative = {mul_backward, {save_argument("self", "other"), save_argument("other", "self")}},
     .gradient = "self: grad other\nother: grad self",
     .samples = binary_samples,
     .variants = kInPlace | kOut,
     .sparse = {.run = on_sparse::scale},
     .python = {.takes_numbers = true},
     .not_finite = kMulNotFinite,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor",
     .summary = "Product with a number.",
     .formula = "self other",
     .infer = infer_binary,
     .kernel = binary<BinaryOp::Mul>,
     .derivative = {[](G& c) { c.set_grad("self", c.grad_output() * conj(c.value("other").to_scalar())); },
                    {},
                    "MulBackward1"},
     .samples = scalar_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_out"},
     .sparse = {.run = on_sparse::scale},
     .python = {.number_is_tensor = true},
     .dtypes = {kWithUnsigned, "mul_cpu_reduced_float"}},
};

}  // namespace

std::span<const OperatorRecord> pointwise::arithmetic_records() { return kRecords; }

}  // namespace loupe
