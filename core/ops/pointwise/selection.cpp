// SPDX-License-Identifier: Apache-2.0
// where, masked_fill, clamp: elements chosen by a condition or by bounds.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/torch_release.h"
#include "core/dispatch/cpp_type_name.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"
#include "core/tensor/scalar_range.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

// out = condition ? yes : no, each a tensor or a number.
void choose(const Tensor& out, const IValue& condition, const IValue& yes, const IValue& no) {
    const ScalarType dtype = out.dtype();
    std::array<std::optional<LoopNumber>, 2> numbers;
    const auto operand = [&](const IValue& v, std::size_t i) {
        if (v.is_tensor()) return LoopOperand(*v.tensor_impl(), dtype);
        numbers[i].emplace(v.to_scalar(), dtype);
        return LoopOperand(numbers[i]->data(), dtype);
    };
    const std::array<LoopOperand, 4> operands{LoopOperand(out, dtype),
                                              LoopOperand(*condition.tensor_impl(), ScalarType::Bool), operand(yes, 0),
                                              operand(no, 1)};
    run_elementwise(where_kernel(dtype), nullptr, operands);
}

void infer_where(Arguments arguments, MetaList& outputs) {
    const ScalarType condition = arguments[0].tensor_impl()->dtype;
    require(condition == ScalarType::Bool || condition == ScalarType::UInt8,
            "where expected condition to be a boolean tensor, but got a tensor with dtype ",
            dtype_graph_name(condition));
    const ScalarType dtype = result_type(arguments[1], arguments[2]);
    for (const IValue& choice : arguments.subspan(1, 2))
        if (!choice.is_tensor()) require_fits(choice.to_scalar(), dtype, true);
    outputs.push_back(elementwise_meta(arguments, dtype));
}
void where_call(Arguments arguments, IValue* results) {
    choose(results[0].to_tensor(), arguments[0], arguments[1], arguments[2]);
}

void where_backward(G& c) {
    const Tensor condition = c.argument("condition");
    c.grad("self", [&] { return fn::where_scalar_other(condition, c.grad_output(), Scalar(0)); });
    c.grad("other", [&] { return fn::where_scalar_self(condition, Scalar(0), c.grad_output()); });
}

const char* c_type_name(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float64:
            return "double";
        case ScalarType::Float32:
            return "float";
        case ScalarType::Float16:
            return "at::Half";
        case ScalarType::BFloat16:
            return "at::BFloat16";
        case ScalarType::Int32:
            return "int";
        case ScalarType::Int16:
            return "int16_t";
        case ScalarType::Int8:
            return "int8_t";
        case ScalarType::UInt8:
            return "uint8_t";
        case ScalarType::Bool:
            return "bool";
        default:
            return "int64_t";
    }
}
void infer_masked_fill(Arguments arguments, MetaList& outputs) {
    const ScalarType mask = arguments[1].tensor_impl()->dtype;
    require(mask == ScalarType::Bool || (is_older_torch() && mask == ScalarType::UInt8),
            "masked_fill_ only supports boolean masks, but got mask with dtype ",
            is_older_torch() ? dtype_graph_name(mask) : cpp_type_name(mask));
    const ScalarType dtype = arguments[0].tensor_impl()->dtype;
    if (arguments[2].is_tensor()) {
        const TensorImpl& value = *arguments[2].tensor_impl();
        require(value.sizes.empty(), "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
                value.sizes.size(), " dimension(s).");
        require(is_complex(dtype) || !is_complex(value.dtype), "value cannot be converted to type ", c_type_name(dtype),
                " without overflow");
        require(can_cast(value.dtype, dtype), "result type ", dtype_graph_name(value.dtype),
                " can't be cast to the desired output type ", dtype_graph_name(dtype));
    } else {
        require_fits(arguments[2].to_scalar(), dtype);
    }
    broadcast_shapes(span_of(arguments[1].tensor_impl()->sizes),
                     span_of(arguments[0].tensor_impl()->sizes));  // names the mask first
    outputs.push_back(elementwise_meta(arguments.first(2), dtype));
}
void masked_fill_call(Arguments arguments, IValue* results) {
    choose(results[0].to_tensor(), arguments[1], arguments[2], arguments[0]);
}
void masked_fill_backward(G& c) {
    const Tensor mask = c.argument("mask");
    c.grad("self", [&] { return fn::masked_fill(c.grad_output(), mask, Scalar(0)); });
}
void masked_fill_tensor_backward(G& c) {
    masked_fill_backward(c);
    c.grad("value", [&] { return fn::where_scalar_other(c.argument("mask"), c.grad_output(), Scalar(0)); });
}

// Neither NaN nor beyond float32.
bool is_plain_bound(const Scalar& bound) {
    const double b = std::abs(bound.to_double());
    return b <= std::numeric_limits<float>::max() || b == std::numeric_limits<double>::infinity();
}
// Bounds that are not given are the ends of the type, and so are those beyond them.
void clamp_between(const Tensor& self, const IValue& low, const IValue& high, const Tensor& out) {
    const ScalarType dtype = out.dtype();
    const ScalarType as = ordered_compute_type(dtype);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const bool integral = is_integral(as);
    if (integral && !low.is_tensor() && !high.is_tensor()) {
        std::int64_t bottom = low.is_none() ? std::numeric_limits<std::int64_t>::min() : low.to_scalar().to_int();
        std::int64_t top = high.is_none() ? std::numeric_limits<std::int64_t>::max() : high.to_scalar().to_int();
        if (as == ScalarType::UInt64) {
            bottom = std::max<std::int64_t>(bottom, 0);
            top = high.is_none() ? -1 : std::max<std::int64_t>(top, 0);  // -1: all bits
        }
        const IValue inputs[] = {self, bottom, top};
        run(ternary_kernel(TernaryOp::Clamp, as), out, as, inputs, ScalarType::Int64, as);
        return;
    }
    // One bound of a pair of tensors missing: a maximum or minimum.
    if (integral && (low.is_none() || high.is_none())) {
        const IValue inputs[] = {self, low.is_none() ? high : low};
        run(binary_kernel(low.is_none() ? BinaryOp::Minimum : BinaryOp::Maximum, as), out, as, inputs, dtype, as);
        return;
    }
    const IValue inputs[] = {self, low.is_none() ? IValue(-kInfinity) : low, high.is_none() ? IValue(kInfinity) : high};
    if (!low.is_tensor() && !high.is_tensor()) {  // numbers, which stay in registers
        const std::array<Scalar, 4> bounds{inputs[1].to_scalar(), inputs[2].to_scalar()};
        if (std::all_of(bounds.begin(), bounds.begin() + 2, is_plain_bound))
            return run(activation_kernel(ActivationOp::Hardtanh, as), out, as, std::span(inputs, 1), dtype, as,
                       bounds.data(), bounds.size());
    }
    run(ternary_kernel(TernaryOp::Clamp, as), out, as, inputs, dtype, as);
}
void infer_clamp(Arguments arguments, MetaList& outputs) {
    require(!arguments[1].is_none() || !arguments[2].is_none(),
            "torch.clamp: At least one of 'min' or 'max' must not be None");
    const ScalarType dtype = result_type(arguments[0], arguments[1], arguments[2]);
    require(!is_complex(dtype), "clamp is not supported for complex types");
    require_clamp_range(arguments[1], arguments[2], dtype);
    outputs.push_back(elementwise_meta(arguments.first(3), dtype));
}
void clamp_call(Arguments arguments, IValue* results) {
    clamp_between(arguments[0].to_tensor(), arguments[1], arguments[2], results[0].to_tensor());
}
template <bool kIsMinimum>
void infer_bound(Arguments arguments, MetaList& outputs) {
    const ScalarType dtype = result_type(arguments[0], arguments[1]);
    require(!is_complex(dtype), "clamp is not supported for complex types");
    require_clamp_range(kIsMinimum ? arguments[1] : IValue(), kIsMinimum ? IValue() : arguments[1], dtype);
    outputs.push_back(elementwise_meta(arguments.first(2), dtype));
}
void clamp_min_call(Arguments arguments, IValue* results) {
    clamp_between(arguments[0].to_tensor(), arguments[1], IValue(), results[0].to_tensor());
}
void clamp_max_call(Arguments arguments, IValue* results) {
    clamp_between(arguments[0].to_tensor(), IValue(), arguments[1], results[0].to_tensor());
}

Tensor within(const Tensor& x, const IValue& low, const IValue& high) {
    Tensor inside;
    if (!low.is_none()) inside = fn::ge_scalar(x, low.to_scalar());
    if (high.is_none()) return inside;
    const Tensor below = fn::le_scalar(x, high.to_scalar());
    return inside.defined() ? fn::logical_and(inside, below) : below;
}
void clamp_backward(G& c) {
    c.set_grad("self", keep_where(c.grad_output(), within(c.argument("self"), c.value("min"), c.value("max"))));
}
void clamp_tensor_backward(G& c) {
    const Tensor x = c.argument("self");
    const Tensor low = c.is_argument_defined("min") ? c.argument("min") : Tensor();
    const Tensor high = c.is_argument_defined("max") ? c.argument("max") : Tensor();
    const Tensor under = low.defined() ? fn::lt(x, low) : Tensor();
    const Tensor over = high.defined() ? fn::gt(x, high) : Tensor();
    c.grad("self", [&] {
        Tensor outside = under.defined() ? under : over;
        if (under.defined() && over.defined()) outside = fn::logical_or(under, over);
        return fn::masked_fill(c.grad_output(), outside, Scalar(0));
    });
    c.grad("min", [&] {
        const Tensor wins = high.defined() ? fn::logical_and(under, fn::lt(low, high)) : under;
        return keep_where(c.grad_output(), wins);
    });
    c.grad("max", [&] {
        const Tensor wins = low.defined() ? fn::logical_or(over, fn::lt(high, low)) : over;
        return keep_where(c.grad_output(), wins);
    });
}

template <bool kIsMinimum>
void bound_scalar_backward(G& c) {
    const Scalar bound = c.value(1).to_scalar();
    const Tensor x = c.argument("self");
    c.set_grad("self", keep_where(c.grad_output(), kIsMinimum ? fn::ge_scalar(x, bound) : fn::le_scalar(x, bound)));
}
template <bool kIsMinimum>
void bound_tensor_backward(G& c) {
    const Tensor x = c.argument("self"), bound = c.argument(1);
    const Tensor inside = kIsMinimum ? fn::ge(x, bound) : fn::le(x, bound);
    c.grad("self", [&] { return keep_where(c.grad_output(), inside); });
    c.grad(1, [&] { return fn::masked_fill(c.grad_output(), inside, Scalar(0)); });
}

std::vector<Sample> where_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    for (const Sample& s : binary_samples(random, dtype)) {
        const Tensor a = s.arguments[0].to_tensor();
        samples.push_back({{fn::gt_scalar(fn::abs(a), Scalar(0.5)), a, s.arguments[1]}, s.name});
    }
    return samples;
}
// With a number in place of one of the tensors, or of both.
template <bool kFirst, bool kSecond>
std::vector<Sample> where_number_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = where_samples(random, dtype);
    for (Sample& s : samples) {
        if (kFirst) s.arguments[1] = Scalar(2.0);
        if (kSecond) s.arguments[2] = Scalar(-1.0);
    }
    return samples;
}
std::vector<Sample> masked_fill_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    for (const Sample& s : unary_samples(random, dtype)) {
        const Tensor a = s.arguments[0].to_tensor();
        samples.push_back({{a, fn::gt_scalar(fn::abs(a), Scalar(0.5)), 1}, s.name});
    }
    return samples;
}
std::vector<Sample> masked_fill_tensor_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = masked_fill_samples(random, dtype);
    for (Sample& s : samples) s.arguments[2] = scalar_tensor(Scalar(1), dtype);
    return samples;
}
std::vector<Sample> clamp_samples(Random& random, ScalarType dtype) {
    if (dtype == ScalarType::Bool) return {};
    std::vector<Sample> samples = with_arguments(kink_samples(random, dtype), {IValue(-1), IValue(1)});
    for (Sample& s : with_arguments(kink_samples(random, dtype), {IValue(), IValue(1)}))
        samples.push_back(std::move(s));
    return samples;
}
std::vector<Sample> clamp_tensor_samples(Random& random, ScalarType dtype) {
    if (dtype == ScalarType::Bool) return {};
    std::vector<Sample> samples;
    for (const Sample& s : real_binary_samples(random, dtype)) {
        const Tensor low = s.arguments[1].to_tensor();
        samples.push_back({{s.arguments[0], low, low + 1}, s.name});
    }
    return samples;
}
std::vector<Sample> bound_samples(Random& random, ScalarType dtype) {
    if (dtype == ScalarType::Bool) return {};
    return with_arguments(kink_samples(random, dtype), {IValue(1)});
}
std::vector<Sample> bound_tensor_samples(Random& random, ScalarType dtype) {
    return dtype == ScalarType::Bool ? std::vector<Sample>() : real_binary_samples(random, dtype);
}

constexpr OperatorRecord where_record(std::string_view schema, std::string_view summary, SamplesFunction samples) {
    return {.schema = schema,
            .summary = summary,
            .formula = "self if condition else other",
            .infer = infer_where,
            .kernel = FillingKernel{&where_call},
            .derivative = {where_backward, {save_argument("condition")}},
            .samples = samples};
}
constexpr OperatorRecord bound(std::string_view schema, std::string_view summary, KernelFunction kernel,
                               BackwardFunction backward, SamplesFunction samples, std::string_view out_overload,
                               bool saves_bound) {
    OperatorRecord record{.schema = schema,
                          .summary = summary,
                          .infer = kernel == &clamp_min_call ? infer_bound<true> : infer_bound<false>,
                          .kernel = FillingKernel{kernel},
                          .derivative = {backward, {save_argument("self")}},
                          .samples = samples,
                          .variants = kInPlace | kOut,
                          .out = {.overload = out_overload}};
    const std::string_view node = kernel == &clamp_min_call ? "ClampMinBackward1" : "ClampMaxBackward1";
    if (saves_bound) record.derivative = {backward, {save_argument("self"), save_argument(1)}, node};
    return record;
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kWhereNotFinite[] = {
    {In::Backward, When::Always, 0, "0 \u00b7 Inf in the branch that where does not take",
     "make the input of that branch harmless before the function, not its result behind it"},
};

constexpr OperatorRecord kRecords[] = {
    where_record("aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
                 "Chooses between two tensors.", where_samples)
        .with_dtypes({kAnyDtype})
        .with_out({.overload = "self_out"})
        .with_gradient("self: grad where the condition holds, else 0\n"
                       "other: grad where the condition does not hold, else 0")
        .with_not_finite(kWhereNotFinite),
    where_record("aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor",
                 "A number where the condition holds.", where_number_samples<true, false>)
        .with_dtypes({kAnyDtype}),
    where_record("aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
                 "A number where it does not.", where_number_samples<false, true>)
        .with_dtypes({kAnyDtype}),
    {.schema = "aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",
     .summary = "Chooses between two numbers.",
     .formula = "self if condition else other",
     .infer = infer_where,
     .kernel = FillingKernel{&where_call},
     .samples = where_number_samples<true, true>,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
     .summary = "A number where the mask holds, else self.",
     .formula = "value if mask else self",
     .infer = infer_masked_fill,
     .kernel = FillingKernel{&masked_fill_call},
     .derivative = {masked_fill_backward, {save_argument("mask")}},
     .gradient = "self: grad where the mask does not hold, else 0\nvalue: sum of grad where the mask holds",
     .samples = masked_fill_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_out"},
     .dtypes = {.kernel = "masked_fill"}},
    {.schema = "aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
     .summary = "A 0-dimensional tensor's value where the mask holds, else self.",
     .infer = infer_masked_fill,
     .kernel = FillingKernel{&masked_fill_call},
     .derivative = {masked_fill_tensor_backward, {save_argument("mask")}, "MaskedFillBackward1"},
     .samples = masked_fill_tensor_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Tensor_out"},
     .dtypes = {.kernel = "masked_fill"}},
    {.schema = "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
     .summary = "Bounds each element.",
     .formula = "min(max(self, min), max)",
     .infer = infer_clamp,
     .kernel = FillingKernel{&clamp_call},
     .derivative = {clamp_backward, {save_argument("self")}, "ClampBackward1"},
     .gradient = "self: grad where min <= self <= max, else 0\nmin: grad where self < min\nmax: grad where self > max",
     .samples = clamp_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kFound},
     .dtypes = {kWithUnsigned, "clamp_scalar_cpu"}},
    {.schema = "aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
     .summary = "Bounds each element by tensors.",
     .infer = infer_clamp,
     .kernel = FillingKernel{&clamp_call},
     .derivative = {clamp_tensor_backward, {save_argument("self"), save_argument("min"), save_argument("max")}},
     .samples = clamp_tensor_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Tensor_out"},
     .dtypes = {kWithUnsigned, "minimum_cpu"}},
    bound("aten::clamp_min(Tensor self, Scalar min) -> Tensor", "Bounds from below.", &clamp_min_call,
          bound_scalar_backward<true>, bound_samples, "out", false)
        .with_dtypes({kWithUnsigned, "clamp_min_scalar_cpu"})
        .with_out({.refusal = out_refusal::kFound})
        .with_formula("max(self, min)")
        .with_gradient("self: grad where self >= min, else 0\nmin: grad where self < min"),
    bound("aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor", "Bounds from below.", &clamp_min_call,
          bound_tensor_backward<true>, bound_tensor_samples, "Tensor_out", true)
        .with_dtypes({kWithUnsigned, "maximum_cpu"}),
    bound("aten::clamp_max(Tensor self, Scalar max) -> Tensor", "Bounds from above.", &clamp_max_call,
          bound_scalar_backward<false>, bound_samples, "out", false)
        .with_dtypes({kWithUnsigned, "clamp_max_scalar_cpu"})
        .with_out({.refusal = out_refusal::kFound})
        .with_formula("min(self, max)")
        .with_gradient("self: grad where self <= max, else 0\nmax: grad where self > max"),
    bound("aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor", "Bounds from above.", &clamp_max_call,
          bound_tensor_backward<false>, bound_tensor_samples, "Tensor_out", true)
        .with_dtypes({kWithUnsigned, "minimum_cpu"}),
    {.schema = "aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
     .summary = "The same as clamp.",
     .composite = forward<"aten::clamp">,
     .variants = kOut},
    {.schema = "aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
     .summary = "The same as clamp.",
     .composite = forward<"aten::clamp.Tensor">,
     .variants = kOut,
     .out = {.overload = "Tensor_out"}},
    {.schema = "aten::clip_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)",
     .summary = "The same as clamp, in place.",
     .composite = forward<"aten::clamp_">},
};

}  // namespace

std::span<const OperatorRecord> pointwise::selection_records() { return kRecords; }

}  // namespace loupe
