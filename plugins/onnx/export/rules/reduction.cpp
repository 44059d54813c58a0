// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/kernels/promotion.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

using Ints = std::vector<std::int64_t>;

Ints axes_of(Call& c, const OnnxValue& x) {
    Ints axes = c.ints_or("dim", {});
    if (x.sizes && x.sizes->empty()) return {};
    for (std::int64_t& axis : axes) axis = c.b.axis(x, axis);
    return axes;
}
bool keeps(Call& c) { return c.has("keepdim") && c.flag("keepdim"); }

// Reductions of a tensor without dimensions leave it as it is; ONNX has no axes for it.
OnnxValue reduce(Call& c, std::string_view op, const OnnxValue& x) {
    if (x.sizes && x.sizes->empty()) return x;
    return c.b.reduce(op, x, axes_of(c, x), keeps(c));
}

RuleResults sum(Call& c) {
    OnnxValue x = c.tensor("self");
    const ScalarType dtype = c.dtype("dtype").value_or(is_integral(x.dtype) ? ScalarType::Int64 : x.dtype);
    return reduce(c, "ReduceSum", c.b.cast(x, dtype));
}

OnnxValue zero_for_nan(Call& c, const OnnxValue& x) {
    if (!is_floating(x.dtype)) return x;
    return c.b.where(c.b.emit("IsNaN", {x}, {}, ScalarType::Bool, x.sizes), c.b.number(0.0, x.dtype), x);
}

RuleResults nansum(Call& c) {
    const OnnxValue x = c.tensor("self");
    const ScalarType dtype = c.dtype("dtype").value_or(is_integral(x.dtype) ? ScalarType::Int64 : x.dtype);
    return reduce(c, "ReduceSum", zero_for_nan(c, c.b.cast(x, dtype)));
}

RuleResults nanmean(Call& c) {
    const OnnxValue x = c.b.cast(c.tensor("self"), c.dtype("dtype").value_or(c.tensor("self").dtype));
    const OnnxValue is_nan = c.b.emit("IsNaN", {x}, {}, ScalarType::Bool, x.sizes);
    const OnnxValue count = reduce(c, "ReduceSum", c.b.cast(c.b.map("Not", {is_nan}), x.dtype));
    return c.b.binary("Div", reduce(c, "ReduceSum", zero_for_nan(c, x)), count);
}

RuleResults prod(Call& c) {
    OnnxValue x = c.tensor("self");
    const ScalarType dtype = c.dtype("dtype").value_or(is_integral(x.dtype) ? ScalarType::Int64 : x.dtype);
    return reduce(c, "ReduceProd", c.b.cast(x, dtype));
}

RuleResults mean(Call& c) {
    const OnnxValue x = c.tensor("self");
    return reduce(c, "ReduceMean", c.b.cast(x, c.dtype("dtype").value_or(x.dtype)));
}

// Of bool: as numbers.
OnnxValue extreme_of(Call& c, std::string_view op) {
    const OnnxValue x = c.tensor("self");
    if (x.dtype != ScalarType::Bool) return reduce(c, op, x);
    return c.b.cast(reduce(c, op, c.b.cast(x, ScalarType::Int32)), ScalarType::Bool);
}
RuleResults amax(Call& c) { return extreme_of(c, "ReduceMax"); }
RuleResults amin(Call& c) { return extreme_of(c, "ReduceMin"); }
RuleResults aminmax(Call& c) { return RuleResults::several({extreme_of(c, "ReduceMin"), extreme_of(c, "ReduceMax")}); }

OnnxValue place_of(Call& c, std::string_view op) {
    Builder& b = c.b;
    OnnxValue x = c.tensor("self");
    if (x.dtype == ScalarType::Bool) x = b.cast(x, ScalarType::Int32);
    if (x.sizes && x.sizes->empty()) return b.number(std::int64_t{0}, ScalarType::Int64);
    if (!c.has("dim")) {
        const OnnxValue flat = b.reshape(x, std::array<std::int64_t, 1>{-1});
        OnnxValue at =
            b.emit(op, {flat}, {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}}, ScalarType::Int64, Dims());
        if (!keeps(c)) return at;
        return b.reshape(at, IntSpan(Ints(static_cast<std::size_t>(b.rank(x)), 1)));
    }
    const std::int64_t axis = b.axis(x, c.integer("dim"));
    return b.emit(op, {x}, {{"axis", axis}, {"keepdims", std::int64_t{keeps(c) ? 1 : 0}}}, ScalarType::Int64);
}
RuleResults argmax(Call& c) { return place_of(c, "ArgMax"); }
RuleResults argmin(Call& c) { return place_of(c, "ArgMin"); }
RuleResults max_with_index(Call& c) {
    return RuleResults::several({extreme_of(c, "ReduceMax"), place_of(c, "ArgMax")});
}
RuleResults min_with_index(Call& c) {
    return RuleResults::several({extreme_of(c, "ReduceMin"), place_of(c, "ArgMin")});
}

RuleResults any(Call& c) {
    const OnnxValue x = c.b.cast(c.b.cast(c.tensor("self"), ScalarType::Bool), ScalarType::Int32);
    return c.b.cast(reduce(c, "ReduceMax", x), ScalarType::Bool);
}
RuleResults all(Call& c) {
    const OnnxValue x = c.b.cast(c.b.cast(c.tensor("self"), ScalarType::Bool), ScalarType::Int32);
    return c.b.cast(reduce(c, "ReduceMin", x), ScalarType::Bool);
}

RuleResults count_nonzero(Call& c) {
    return reduce(c, "ReduceSum", c.b.cast(c.b.cast(c.tensor("self"), ScalarType::Bool), ScalarType::Int64));
}

RuleResults logsumexp(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.value("self", c.floating("self"));
    if (x.sizes && x.sizes->empty()) return x;
    // ReduceLogSumExp overflows in some runtimes: the largest goes out first.
    const Ints axes = axes_of(c, x);
    const OnnxValue most = b.reduce("ReduceMax", x, axes, true);
    const double infinity = std::numeric_limits<double>::infinity();
    const OnnxValue size = b.map("Abs", {most});
    const OnnxValue shift =
        b.where(b.compare("Equal", size, b.number(infinity, x.dtype)), b.number(0.0, x.dtype), most);
    const OnnxValue total = b.reduce("ReduceSum", b.map("Exp", {b.binary("Sub", x, shift)}), axes, true);
    const OnnxValue y = b.binary("Add", b.map("Log", {total}), shift);
    if (keeps(c)) return y;
    if (!axes.empty()) return b.squeeze(y, axes);
    return b.reshape(y, IntSpan());
}

RuleResults vector_norm(Call& c) {
    Builder& b = c.b;
    OnnxValue x = c.value("self", c.floating("self"));
    if (const auto dtype = c.dtype("dtype")) x = b.cast(x, *dtype);
    const std::string_view name = c.op().schema.find_argument("ord") ? "ord" : "p";
    const double order = c.has(name) ? c.real(name) : 2;
    if (x.sizes && x.sizes->empty()) return b.map("Abs", {x});
    if (order == 1) return reduce(c, "ReduceL1", x);
    if (order == 2) return reduce(c, "ReduceL2", x);
    const OnnxValue size = b.map("Abs", {x});
    if (std::isinf(order)) return reduce(c, order > 0 ? "ReduceMax" : "ReduceMin", size);
    if (order == 0) return reduce(c, "ReduceSum", b.cast(b.cast(x, ScalarType::Bool), x.dtype));
    const OnnxValue total = reduce(c, "ReduceSum", b.binary("Pow", size, b.number(order, x.dtype)));
    return b.binary("Pow", total, b.number(1 / order, x.dtype));
}

struct Spread {
    OnnxValue variance;
    OnnxValue mean;
};

Spread spread_of(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const Ints axes = axes_of(c, x);
    double correction = 1;
    if (c.op().schema.find_argument("correction"))
        correction = c.has("correction") ? c.real("correction") : 1;
    else if (c.op().schema.find_argument("unbiased"))
        correction = c.flag("unbiased") ? 1 : 0;
    const OnnxValue mean = b.reduce("ReduceMean", x, axes, true);
    const OnnxValue centred = b.binary("Sub", x, mean);
    const OnnxValue total = b.reduce("ReduceSum", b.map("Mul", {centred, centred}), axes, keeps(c));
    OnnxValue count = b.ints({1});
    for (std::int64_t d = 0; d < b.rank(x); ++d) {
        const bool is_in = axes.empty() || std::find(axes.begin(), axes.end(), d) != axes.end();
        if (is_in) count = b.binary("Mul", count, b.size(x, d));
    }
    const std::array<std::int64_t, 1> first{0};
    const OnnxValue corrected =
        b.binary("Sub", b.cast(count, x.dtype), b.cast(b.constant(tensor_of<double>({correction}, {1})), x.dtype));
    const OnnxValue divisor = b.map("Max", {b.squeeze(corrected, first), b.number(0.0, x.dtype)});
    Spread out{b.binary("Div", total, divisor), mean};
    if (!keeps(c)) out.mean = axes.empty() ? b.reshape(mean, IntSpan()) : b.squeeze(mean, axes);
    return out;
}

RuleResults var(Call& c) { return spread_of(c).variance; }
RuleResults deviation(Call& c) { return c.b.map("Sqrt", {spread_of(c).variance}); }
RuleResults var_mean(Call& c) {
    const Spread spread = spread_of(c);
    return RuleResults::several({spread.variance, spread.mean});
}
RuleResults deviation_mean(Call& c) {
    const Spread spread = spread_of(c);
    return RuleResults::several({c.b.map("Sqrt", {spread.variance}), spread.mean});
}

RuleResults cumsum(Call& c) {
    OnnxValue x = c.tensor("self");
    const ScalarType dtype = c.dtype("dtype").value_or(is_integral(x.dtype) ? ScalarType::Int64 : x.dtype);
    x = c.b.cast(x, dtype);
    if (x.sizes && x.sizes->empty()) return x;
    return c.b.map("CumSum", {x, c.b.number(c.b.axis(x, c.integer("dim")), ScalarType::Int64)});
}

// Each element is in one of equal bins, or outside of all; the last bin has its end too.
RuleResults histc(Call& c) {
    Builder& b = c.b;
    const OnnxValue given = c.tensor("self");
    const std::int64_t bins = c.integer("bins");
    const double from = c.scalar("min").to_double(), to = c.scalar("max").to_double();
    if (from == to) unsupported("bins between the least and the greatest element");
    const std::array<std::int64_t, 1> flat{-1};
    const OnnxValue x = b.reshape(b.cast(given, ScalarType::Float32), flat);
    const auto number = [&](double value) { return b.number(value, ScalarType::Float32); };
    const OnnxValue scaled = b.binary(
        "Div", b.binary("Mul", b.binary("Sub", x, number(from)), number(static_cast<double>(bins))), number(to - from));
    const OnnxValue bin =
        b.binary("Min", b.map("Floor", {scaled}), number(static_cast<double>(bins - 1)));  // of the end of the last
    const OnnxValue inside =
        b.compare("And", b.compare("GreaterOrEqual", x, number(from)), b.compare("LessOrEqual", x, number(to)));
    const OnnxValue own = b.cast(b.where(inside, bin, number(-1.0)), ScalarType::Int64);
    // Of [elements, bins]: is it there?
    const Tensor all = empty(std::array<std::int64_t, 2>{1, bins}, ScalarType::Int64);
    std::iota(all.data<std::int64_t>(), all.data<std::int64_t>() + bins, 0);
    const OnnxValue hits = b.cast(b.compare("Equal", b.unsqueeze(own, {1}), b.constant(all)), ScalarType::Float32);
    return b.cast(b.reduce("ReduceSum", hits, span_of(Dims{0}), false), given.dtype);
}

const Rule kRules[] = {
    {"aten::histc", histc, 16},
    {"aten::sum", sum},
    {"aten::nansum", nansum},
    {"aten::nanmean", nanmean},
    {"aten::prod", prod},
    {"aten::mean", mean},
    {"aten::amax", amax},
    {"aten::amin", amin},
    {"aten::aminmax", aminmax},
    {"aten::max", amax},
    {"aten::min", amin},
    {"aten::max.dim", max_with_index},
    {"aten::min.dim", min_with_index},
    {"aten::argmax", argmax},
    {"aten::argmin", argmin},
    {"aten::any", any},
    {"aten::all", all},
    {"aten::count_nonzero", count_nonzero},
    {"aten::logsumexp", logsumexp},
    {"aten::special_logsumexp", logsumexp},
    {"aten::norm", vector_norm},
    {"aten::linalg_vector_norm", vector_norm},
    {"aten::frobenius_norm", vector_norm},
    {"aten::var", var},
    {"aten::std", deviation},
    {"aten::var_mean", var_mean},
    {"aten::std_mean", deviation_mean},
    {"aten::cumsum", cumsum},
};

}  // namespace

std::span<const Rule> reduction_rules() { return kRules; }

}  // namespace loupe::onnx_export
