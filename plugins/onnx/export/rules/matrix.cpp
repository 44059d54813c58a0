// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

OnnxValue product(Call& c, const OnnxValue& a, const OnnxValue& b) {
    return c.b.emit("MatMul", {a, b}, {}, a.dtype, c.result_sizes());
}

RuleResults linear(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("input");
    const OnnxValue weight = c.tensor("weight");
    const OnnxValue bias = c.tensor("bias");
    // Gemm takes the weight as it lies; its bias is a row.
    if (b.rank(x) == 2 && b.rank(weight) == 2)
        return b.emit("Gemm", {x, weight, bias}, {{"transB", std::int64_t{1}}}, x.dtype);
    const OnnxValue y = b.emit("MatMul", {x, b.rank(weight) == 2 ? b.swap(weight, 0, 1) : weight}, {}, x.dtype,
                               bias.is_absent() ? c.result_sizes() : std::nullopt);
    return bias.is_absent() ? y : b.binary("Add", y, bias);
}

RuleResults matmul(Call& c) {
    const std::string_view second = c.op().schema.arguments[1].name;
    return product(c, c.tensor("self"), c.tensor(second));
}

// beta self + alpha (mat1 @ mat2)
OnnxValue accumulated(Call& c, const OnnxValue& result) {
    Builder& b = c.b;
    const double alpha = c.has("alpha") ? c.real("alpha") : 1;
    const double beta = c.has("beta") ? c.real("beta") : 1;
    OnnxValue sum = alpha == 1 ? result : b.binary("Mul", result, c.value("alpha", result.dtype));
    if (beta == 0) return sum;
    OnnxValue self = c.value("self", result.dtype);
    if (beta != 1) self = b.binary("Mul", self, c.value("beta", result.dtype));
    return b.binary("Add", self, sum);
}

RuleResults addmm(Call& c) {
    const OnnxValue self = c.tensor("self");
    const OnnxValue a = c.tensor("mat1");
    const bool is_plain = self.sizes && self.sizes->size() <= 2 && is_floating(a.dtype) && c.real("beta") != 0;
    if (!is_plain) return accumulated(c, c.b.emit("MatMul", {a, c.tensor("mat2")}, {}, a.dtype));
    return c.b.emit("Gemm", {a, c.tensor("mat2"), self}, {{"alpha", c.real("alpha")}, {"beta", c.real("beta")}},
                    a.dtype);
}

RuleResults addbmm_like(Call& c) {
    const bool is_vector = c.op().schema.find_argument("vec").has_value();
    const std::string_view first = is_vector ? "mat" : "batch1";
    const std::string_view second = is_vector ? "vec" : "batch2";
    const OnnxValue a = c.tensor(first);
    return accumulated(c, c.b.emit("MatMul", {a, c.tensor(second)}, {}, a.dtype));
}

// beta self + alpha (the products of a batch, added up)
RuleResults addbmm(Call& c) {
    const OnnxValue a = c.tensor("batch1");
    const OnnxValue products = c.b.emit("MatMul", {a, c.tensor("batch2")}, {}, a.dtype);
    const std::array<std::int64_t, 1> first{0};
    OnnxValue known = products;
    known.sizes = Dims(3, -1);
    return accumulated(c, c.b.reduce("ReduceSum", known, first, false));
}

RuleResults addr(Call& c) {
    const ScalarType dtype = c.common({"self", "vec1", "vec2"});
    const OnnxValue column = c.b.unsqueeze(c.value("vec1", dtype), {1});
    return accumulated(c, c.b.binary("Mul", column, c.b.unsqueeze(c.value("vec2", dtype), {0})));
}

RuleResults cross(Call& c) {
    Builder& b = c.b;
    const ScalarType dtype = c.common({"self", "other"});
    const OnnxValue x = c.value("self", dtype);
    const OnnxValue y = c.value("other", dtype);
    const std::int64_t dim = c.has("dim") ? c.integer("dim") : -1;
    const auto turned = [&](const OnnxValue& v, std::initializer_list<std::int64_t> order) {
        return b.gather(v, b.ints(order), b.axis(v, dim));
    };
    const OnnxValue first = b.binary("Mul", turned(x, {1, 2, 0}), turned(y, {2, 0, 1}));
    return b.binary("Sub", first, b.binary("Mul", turned(x, {2, 0, 1}), turned(y, {1, 2, 0})));
}

RuleResults outer(Call& c) {
    const ScalarType dtype = c.common({"self", "vec2"});
    return c.b.binary("Mul", c.b.unsqueeze(c.value("self", dtype), {1}), c.b.unsqueeze(c.value("vec2", dtype), {0}));
}

RuleResults einsum(Call& c) {
    std::string equation = c.text("equation");
    std::erase(equation, ' ');
    const OnnxValues inputs = c.tensors("tensors", c.common({"tensors"}));
    // An output that is not said: letters that occur once, in order.
    return c.b.emit("Einsum", inputs, {{"equation", equation}}, inputs.at(0).dtype);
}

// Rows by group: each row takes the matrix of its group. A row behind the last group gets that of the last one, and is
// 0.
RuleResults grouped_rows(Call& c, std::string_view rows, std::string_view matrices) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor(rows), weight = c.tensor(matrices);
    const OnnxValue ends = b.cast(c.tensor("offs"), ScalarType::Int64);
    if (b.rank(x) != 2 || b.rank(weight) != 3) unsupported("a grouped product that does not split rows");
    const OnnxValue places = b.unsqueeze(b.range(b.size(x, 0)), {1});
    // Of [rows, groups]: the groups that end before a row.
    const OnnxValue behind = b.cast(b.compare("GreaterOrEqual", places, b.unsqueeze(ends, {0})), ScalarType::Int64);
    const OnnxValue group = b.reduce("ReduceSum", behind, span_of(Dims{1}), false);
    const OnnxValue last = b.binary("Sub", b.size(weight, 0), b.ints({1}));
    const OnnxValue own = b.gather(weight, b.binary("Min", group, last), 0);
    std::optional<Dims> sizes;
    if (x.sizes && weight.sizes) sizes = Dims{(*x.sizes)[0], 1, (*weight.sizes)[2]};
    const OnnxValue product = b.emit("MatMul", {b.unsqueeze(x, {1}), own}, {}, x.dtype, sizes);
    const OnnxValue out = b.squeeze(product, span_of(Dims{1}));
    const OnnxValue has_group = b.unsqueeze(b.compare("LessOrEqual", group, last), {1});
    return b.where(has_group, out, b.number(0.0, x.dtype));
}
RuleResults grouped_fallback(Call& c) { return grouped_rows(c, "input", "weight"); }
RuleResults grouped(Call& c) {
    if (c.has("bias") || c.dtype("out_dtype").value_or(c.tensor("self").dtype) != c.tensor("self").dtype ||
        !c.has("offs"))
        unsupported("a grouped product with a bias, another dtype or without offsets");
    return grouped_rows(c, "self", "mat2");
}

const Rule kRules[] = {
    {"aten::linear", linear},
    {"aten::matmul", matmul},
    {"aten::mm", matmul},
    {"aten::bmm", matmul},
    {"aten::mv", matmul},
    {"aten::dot", matmul},
    {"aten::vdot", matmul},
    {"aten::linalg_matmul", matmul},
    {"aten::addmm", addmm},
    {"aten::baddbmm", addbmm_like},
    {"aten::addmv", addbmm_like},
    {"aten::outer", outer},
    {"aten::ger", outer},
    {"aten::einsum", einsum, 12},
    {"aten::addbmm", addbmm},
    {"aten::addr", addr},
    {"aten::cross", cross},
    {"aten::linalg_cross", cross},
    {"aten::_grouped_mm", grouped, 16},
    {"transformers::grouped_mm_fallback", grouped_fallback, 16},
};

}  // namespace

std::span<const Rule> matrix_rules() { return kRules; }

}  // namespace loupe::onnx_export
