// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/fuser/row_formulas.h"

#include "core/base/strings.h"
#include "plugins/cuda/fuser/formulas.h"

namespace loupe::cuda {

std::string RowTexts::name(const char* what) const { return concat(what, place.value); }
std::string RowTexts::type() const { return register_type(step.kind.as); }

// numbers of LayerNorm: eps, has weight, has bias; of its gradient: wanted of input, weight, bias, has weight.
bool RowTexts::has_weight() const { return step.rows->numbers[place.kind == RowStepKind::LayerNorm ? 1 : 3] != 0; }
bool RowTexts::has_bias() const { return step.rows->numbers[2] != 0; }

std::string RowTexts::parameter() const { return literal(step.rows->numbers[1], ScalarType::Float64); }
std::string RowTexts::functor() const { return reduction_text(step.rows->name, step.kind.as); }
std::string RowTexts::weighted_gradient() const {
    return has_weight() ? concat(operands[0], " * ", operands[4]) : operands[0];
}

std::vector<std::string> RowTexts::begin(int pass) const {
    const std::string zero = concat(type(), "(0)");
    switch (place.kind) {
        case RowStepKind::Reduction:
            return {concat("auto state", place.value, " = ", functor(), "::begin();")};
        case RowStepKind::Softmax:
            if (pass == 0)
                return {concat(type(), " ", name("largest"), " = -std::numeric_limits<", type(), ">::infinity();")};
            return {concat(type(), " ", name("sum"), " = 0;")};
        case RowStepKind::SoftmaxGradient:
            return {concat(type(), " ", name("sum"), " = 0;")};
        case RowStepKind::LayerNorm:
            return {concat(type(), " ", name(pass == 0 ? "sum" : "squares"), " = 0;")};
        case RowStepKind::LayerNormGradient:
            if (step.rows->numbers[0] == 0) return {};
            return {concat(type(), " ", name("sum"), " = 0, ", name("dot"), " = 0;")};
    }
    return {};
}

std::vector<std::string> RowTexts::fold(int pass) const {
    const std::string& x = operands[0];
    switch (place.kind) {
        case RowStepKind::Reduction: {
            const std::string element = step.kind.as == ScalarType::Bool ? concat("std::int64_t(", x, ")") : x;
            return {concat(functor(), "::fold(", name("state"), ", ", element, ", i + k, ", parameter(), ");")};
        }
        case RowStepKind::Softmax:
            if (pass == 0)
                return {
                    concat(name("largest"), " = ", x, " > ", name("largest"), " ? ", x, " : ", name("largest"), ";")};
            return {concat(name("sum"), " += std::exp(", x, " - ", name("largest"), ");")};
        case RowStepKind::SoftmaxGradient:
            return {concat(name("sum"), " += ", x, place.is_log ? "" : " * " + operands[1], ";")};
        case RowStepKind::LayerNorm:
            if (pass == 0) return {concat(name("sum"), " += ", x, ";")};
            return {concat(name("squares"), " += (", x, " - ", name("mean"), ") * (", x, " - ", name("mean"), ");")};
        case RowStepKind::LayerNormGradient:
            if (step.rows->numbers[0] == 0) return {};
            return {concat(name("sum"), " += ", weighted_gradient(), ";"),
                    concat(name("dot"), " += ", weighted_gradient(), " * ((", operands[1], " - ", operands[2], ") * ",
                           operands[3], ");")};
    }
    return {};
}

std::vector<std::string> RowTexts::end(int pass) const {
    const auto sum_of = [&](const char* what) { return concat("Team::sum(", name(what), ")"); };
    const std::string count = concat(type(), "(", length, ")");
    switch (place.kind) {
        case RowStepKind::Reduction:
            return {concat(name("state"), " = Team::joined<", functor(), ">(", name("state"), ");")};
        case RowStepKind::Softmax:
            if (pass == 0) return {concat(name("largest"), " = Team::largest(", name("largest"), ");")};
            // The logarithm is not added to the largest, beside which it might vanish.
            return {concat(
                "const ", type(), " ", name("last"), " = ",
                place.is_log ? concat("std::log(", sum_of("sum"), ")") : concat(type(), "(1) / ", sum_of("sum")), ";")};
        case RowStepKind::SoftmaxGradient:
            return {concat(name("sum"), " = ", sum_of("sum"), ";")};
        case RowStepKind::LayerNorm:
            if (pass == 0)
                return {concat("const ", type(), " ", name("mean"), " = ", sum_of("sum"), " / ", count, ";")};
            return {concat("const ", type(), " ", name("rstd"), " = ", type(), "(1) / std::sqrt(", sum_of("squares"),
                           " / ", count, " + ", literal(step.rows->numbers[0], step.kind.as), ");")};
        case RowStepKind::LayerNormGradient:
            if (step.rows->numbers[0] == 0) return {};
            return {concat("const ", type(), " ", name("shift"), " = ", sum_of("sum"), " / ", count, ";"),
                    concat("const ", type(), " ", name("slope"), " = ", sum_of("dot"), " / ", count, ";")};
    }
    return {};
}

std::string RowTexts::result(std::size_t which) const {
    const std::string& x = operands[0];
    switch (place.kind) {
        case RowStepKind::Reduction:
            return concat(functor(), which == 0 ? "::value(" : "::second(", name("state"), ", ", length, ", ",
                          parameter(), ")");
        case RowStepKind::Softmax:
            return place.is_log ? concat(x, " - ", name("largest"), " - ", name("last"))
                                : concat("std::exp(", x, " - ", name("largest"), ") * ", name("last"));
        case RowStepKind::SoftmaxGradient:
            return place.is_log ? concat(x, " - std::exp(", operands[1], ") * ", name("sum"))
                                : concat(operands[1], " * (", x, " - ", name("sum"), ")");
        case RowStepKind::LayerNorm: {
            if (which > 0) return name(which == 1 ? "mean" : "rstd");
            const std::string weight = has_weight() ? operands[1] : concat(type(), "(1)");
            const std::string bias = has_bias() ? operands[has_weight() ? 2 : 1] : concat(type(), "(0)");
            return concat("(", x, " - ", name("mean"), ") * ", name("rstd"), " * ", weight, " + ", bias);
        }
        case RowStepKind::LayerNormGradient:
            return concat("(", weighted_gradient(), " - ", name("shift"), " - (", operands[1], " - ", operands[2],
                          ") * ", operands[3], " * ", name("slope"), ") * ", operands[3]);
    }
    return {};
}

std::string RowTexts::part_of_sum(std::size_t which) const {
    const bool has_input = step.rows->numbers[0] != 0, wants_weight = step.rows->numbers[1] != 0;
    const bool is_weight = wants_weight && which == (has_input ? 1U : 0U);
    if (!is_weight) return operands[0];
    return concat(operands[0], " * ((", operands[1], " - ", operands[2], ") * ", operands[3], ")");
}

}  // namespace loupe::cuda
