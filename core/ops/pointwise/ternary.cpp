// SPDX-License-Identifier: Apache-2.0
// lerp, addcmul, addcdiv: of three tensors.

#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/not_finite.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

void run_ternary(TernaryOp op, Arguments arguments, IValue* results, const Scalar* params) {
    const Tensor out = results[0].to_tensor();
    const ScalarType as = compute_type(out.dtype());
    run(ternary_kernel(op, as), out, as, arguments.first(3), out.dtype(), as, params);
}

void infer_three(Arguments arguments, MetaList& outputs) {
    outputs.push_back(elementwise_meta(arguments.first(3), result_type(arguments[0], arguments[1], arguments[2])));
}
void infer_addcdiv(Arguments arguments, MetaList& outputs) {
    const bool integers =
        is_integral(arguments[1].tensor_impl()->dtype) && is_integral(arguments[2].tensor_impl()->dtype);
    require(!integers,
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of "
            "tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
            "torch.trunc(tensor1 / "
            "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. "
            "The future "
            "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.");
    infer_three(arguments, outputs);
}
void infer_lerp(Arguments arguments, MetaList& outputs) {
    const ScalarType dtype = arguments[0].tensor_impl()->dtype;
    const ScalarType end = arguments[1].tensor_impl()->dtype;
    require(dtype == end, "expected dtype ", dtype_graph_name(dtype), " for `end` but got dtype ",
            dtype_graph_name(end));
    if (arguments[2].is_tensor()) {
        const ScalarType weight = arguments[2].tensor_impl()->dtype;
        require(dtype == weight, "expected dtype ", dtype_graph_name(dtype), " for `weight` but got dtype ",
                dtype_graph_name(weight));
    }
    require(is_differentiable(dtype), "not implemented for '", dtype_graph_name(dtype), "'");
    outputs.push_back(elementwise_meta(arguments.first(3), dtype));
}

void addcmul_call(Arguments arguments, IValue* results) {
    const Scalar value = arguments[3].to_scalar();
    run_ternary(TernaryOp::Addcmul, arguments, results, &value);
}
void addcdiv_call(Arguments arguments, IValue* results) {
    const Scalar value = arguments[3].to_scalar();
    run_ternary(TernaryOp::Addcdiv, arguments, results, &value);
}
void lerp_call(Arguments arguments, IValue* results) { run_ternary(TernaryOp::Lerp, arguments, results, nullptr); }

void addcmul_backward(G& c) {
    const Scalar value = conj(c.value("value").to_scalar());
    c.grad("self", [&] { return c.grad_output(); });
    c.grad("tensor1", [&] { return c.grad_output() * scaled(conj(c.argument("tensor2")), value); });
    c.grad("tensor2", [&] { return c.grad_output() * scaled(conj(c.argument("tensor1")), value); });
}
void addcdiv_backward(G& c) {
    const Scalar value = conj(c.value("value").to_scalar());
    const Tensor divisor = conj(c.argument("tensor2"));
    c.grad("self", [&] { return c.grad_output(); });
    c.grad("tensor1", [&] { return c.grad_output() * (value / divisor); });
    c.grad("tensor2",
           [&] { return -c.grad_output() * (scaled(conj(c.argument("tensor1")), value) / (divisor * divisor)); });
}
void lerp_backward(G& c) {
    const Tensor weight = conj(c.argument("weight"));
    c.grad("self", [&] { return c.grad_output() * (1 - weight); });
    c.grad("end", [&] { return c.grad_output() * weight; });
    c.grad("weight", [&] { return c.grad_output() * conj(c.argument("end") - c.argument("self")); });
}
void lerp_scalar_backward(G& c) {
    const Scalar weight = conj(c.value("weight").to_scalar());
    c.grad("self", [&] { return c.grad_output() - c.grad_output() * weight; });
    c.grad("end", [&] { return c.grad_output() * weight; });
}

std::vector<Sample> three_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    if (!is_differentiable(dtype)) return samples;
    for (const Sample& s : divisor_samples(random, dtype)) {
        samples.push_back({{s.arguments[0], s.arguments[0], s.arguments[1]}, s.name});
    }
    return samples;
}
std::vector<Sample> valued_samples(Random& random, ScalarType dtype) {
    return with_arguments(three_samples(random, dtype), {IValue(0.5)});
}
std::vector<Sample> lerp_scalar_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = three_samples(random, dtype);
    for (Sample& s : samples) s.arguments = {s.arguments[0], s.arguments[2], 0.3};
    return samples;
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kAddcdivNotFinite[] = {
    {In::Either, When::Zero, 2, "division by 0", advice::kDivide},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
     .summary = "Adds a product.",
     .formula = "self + value tensor1 tensor2",
     .infer = infer_three,
     .kernel = FillingKernel{&addcmul_call},
     .derivative = {addcmul_backward, {save_argument("tensor1", "tensor2"), save_argument("tensor2", "tensor1")}},
     .gradient = "self: grad\ntensor1: grad value tensor2\ntensor2: grad value tensor1",
     .samples = valued_samples,
     .variants = kInPlace | kOut,
     .autocast = {.cuda = Autocast::Widest},
     .python = {.has_older_form = true},
     .dtypes = {kCommonDtypes & ~dtype_bit(ScalarType::Bool), "addcmul_cpu_out"}},
    {.schema = "aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
     .summary = "Adds a quotient.",
     .formula = "self + value tensor1 / tensor2",
     .infer = infer_addcdiv,
     .kernel = FillingKernel{&addcdiv_call},
     .derivative = {addcdiv_backward, {save_argument("tensor1", "tensor2"), save_argument("tensor2")}},
     .gradient = "self: grad\ntensor1: grad value / tensor2\ntensor2: -grad value tensor1 / tensor2^2",
     .samples = valued_samples,
     .variants = kInPlace | kOut,
     .autocast = {.cuda = Autocast::Widest},
     .python = {.has_older_form = true},
     .not_finite = kAddcdivNotFinite,
     .dtypes = {.kernel = "addcdiv_cpu_out"}},
    {.schema = "aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
     .summary = "Between two tensors, by weight.",
     .formula = "self + weight (end - self)",
     .infer = infer_lerp,
     .kernel = FillingKernel{&lerp_call},
     .derivative = {lerp_backward,
                    {save_argument("self", "weight"), save_argument("end", "weight"), save_argument("weight")},
                    "LerpBackward1"},
     .gradient = "self: grad (1 - weight)\nend: grad weight\nweight: grad (end - self)",
     .samples = three_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Tensor_out", .refusal = out_refusal::kFound},
     .dtypes = {.kernel = "lerp_kernel_tensor"}},
    {.schema = "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
     .summary = "Between two tensors.",
     .formula = "self + weight (end - self)",
     .infer = infer_lerp,
     .kernel = FillingKernel{&lerp_call},
     .derivative = {lerp_scalar_backward},
     .samples = lerp_scalar_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_out"},
     .dtypes = {.kernel = "lerp_kernel_scalar"}},
};

}  // namespace

std::span<const OperatorRecord> pointwise::ternary_records() { return kRecords; }

}  // namespace loupe
