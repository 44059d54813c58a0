// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/dispatch/functions.h"
#include "core/kernels/promotion.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

// Up to this many elements they are a constant, which what follows can compute with.
constexpr std::int64_t kMostElements = 4096;

OnnxValue filled(Call& c, const OnnxValue& sizes, const OnnxValue& value) {
    const auto known = c.result_sizes();
    const bool is_static = known && std::find(known->begin(), known->end(), -1) == known->end();
    if (value.constant.defined() && is_static && checked_numel(span_of(*known)) <= kMostElements) {
        static const OperatorHandle<> full("aten::full");
        return c.b.constant(full(IValue(*known), item(value.constant), static_cast<std::int64_t>(value.dtype)));
    }
    if (value.constant.defined()) {
        const std::array<std::int64_t, 1> one{1};
        static const OperatorHandle<> reshape("aten::reshape");
        const Tensor element = reshape(value.constant, IValue(IntSpan(one)));
        return c.b.emit("ConstantOfShape", {sizes}, {{"value", element}}, value.dtype, c.result_sizes());
    }
    return c.b.expand(value, sizes, c.result_sizes());
}

ScalarType wanted_dtype(Call& c) {
    if (const auto dtype = c.dtype("dtype")) return *dtype;
    if (c.operand("self").is_tensor()) return c.tensor("self").dtype;
    if (c.has("fill_value")) {
        const Operand& value = c.operand("fill_value");
        const bool is_int =
            value.kind == Operand::Kind::Constant ? value.constant.is_int() : !is_floating(value.number.dtype);
        const bool is_bool = value.kind == Operand::Kind::Constant && value.constant.is_bool();
        return is_bool ? ScalarType::Bool : is_int ? ScalarType::Int64 : kDefaultDtype;
    }
    return kDefaultDtype;
}

template <int kValue>
RuleResults of_size(Call& c) {
    const ScalarType dtype = wanted_dtype(c);
    return filled(c, c.target_sizes("size"), c.b.number(std::int64_t{kValue}, dtype));
}
template <int kValue>
RuleResults like(Call& c) {
    return filled(c, c.b.shape(c.tensor("self")), c.b.number(std::int64_t{kValue}, wanted_dtype(c)));
}
RuleResults full(Call& c) { return filled(c, c.target_sizes("size"), c.value("fill_value", wanted_dtype(c))); }
RuleResults full_like(Call& c) {
    const ScalarType dtype = c.dtype("dtype").value_or(c.tensor("self").dtype);
    return filled(c, c.b.shape(c.tensor("self")), c.value("fill_value", dtype));
}

RuleResults arange(Call& c) {
    ScalarType dtype = c.dtype("dtype").value_or(c.common({"start", "end", "step"}));
    // Range has no 16-bit and no small types.
    const ScalarType wide =
        is_floating(dtype) ? (dtype == ScalarType::Float64 ? dtype : ScalarType::Float32) : ScalarType::Int64;
    const OnnxValue start = c.has("start") ? c.value("start", wide) : c.b.number(std::int64_t{0}, wide);
    const OnnxValue step = c.has("step") ? c.value("step", wide) : c.b.number(std::int64_t{1}, wide);
    const OnnxValue range = c.b.emit("Range", {start, c.value("end", wide), step}, {}, wide, Dims{-1});
    return c.b.cast(range, dtype);
}

RuleResults eye(Call& c) {
    Builder& b = c.b;
    const OnnxValue rows = c.dims("n");
    const OnnxValue columns = c.has("m") ? c.dims("m") : rows;
    const OnnxValue same = b.compare("Equal", b.unsqueeze(b.range(rows), {1}), b.unsqueeze(b.range(columns), {0}));
    return b.cast(same, wanted_dtype(c));
}

RuleResults scalar_tensor(Call& c) {
    const std::string_view name = c.op().schema.arguments[0].name;
    const OnnxValue value = c.tensor(name);
    const ScalarType natural = value.dtype == ScalarType::Float64 ? kDefaultDtype : value.dtype;
    return c.b.cast(value, c.dtype("dtype").value_or(natural));
}

// prim::NumToTensor keeps a float's 64 bits; what fits is said by infer.
RuleResults number_to_tensor(Call& c) {
    const OnnxValue value = c.tensor(c.op().schema.arguments[0].name);
    return c.b.cast(value, c.result_dtype());
}

RuleResults linspace(Call& c) {
    Builder& b = c.b;
    const ScalarType dtype = c.dtype("dtype").value_or(kDefaultDtype);
    const OnnxValue start = c.value("start", dtype);
    const OnnxValue end = c.value("end", dtype);
    const std::int64_t steps = c.integer("steps");
    if (steps < 2) return b.reshape(start, std::array<std::int64_t, 1>{steps});
    const OnnxValue step = b.binary("Div", b.binary("Sub", end, start), b.number(steps - 1, dtype));
    const OnnxValue places = b.cast(b.range(b.ints({steps})), dtype);
    return b.binary("Add", start, b.binary("Mul", places, step));
}

const Rule kRules[] = {
    {"aten::zeros", of_size<0>},
    {"aten::ones", of_size<1>},
    {"aten::empty", of_size<0>},  // any elements will do
    {"aten::new_zeros", of_size<0>},
    {"aten::new_ones", of_size<1>},
    {"aten::new_empty", of_size<0>},
    {"aten::zeros_like", like<0>},
    {"aten::ones_like", like<1>},
    {"aten::empty_like", like<0>},
    {"aten::empty_strided", of_size<0>},
    {"aten::new_empty_strided", of_size<0>},
    {"aten::empty_permuted", of_size<0>},
    {"aten::full", full},
    {"aten::new_full", full},
    {"aten::full_like", full_like},
    {"aten::arange", arange},
    {"aten::eye", eye},
    {"aten::scalar_tensor", scalar_tensor},
    {"aten::tensor.int", scalar_tensor},
    {"aten::tensor.float", scalar_tensor},
    {"aten::tensor.bool", scalar_tensor},
    {"prim::NumToTensor", number_to_tensor},
    {"aten::linspace", linspace},
};

}  // namespace

std::span<const Rule> creation_rules() { return kRules; }

}  // namespace loupe::onnx_export
