// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/expression_fit.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace loupe::exported {
namespace {

using Kind = SymbolExpression::Kind;
using Values = std::vector<std::int64_t>;

constexpr std::size_t kMostCandidates = 24;  // that are combined with each other
constexpr std::int64_t kMostDivisor = 64;

SymbolExpression number(std::int64_t value) { return {Kind::Number, value}; }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

bool are_equal(const Values& values) {
    return std::ranges::all_of(values, [&](std::int64_t each) { return each == values.front(); });
}

template <typename Combine>
Values each_of(const Values& a, const Values& b, Combine combine) {
    Values out;
    for (std::size_t i = 0; i < a.size(); ++i) out.push_back(combine(a[i], b[i]));
    return out;
}

// factor * x + addend.
std::optional<SymbolExpression> linear(const Values& wanted, const SizeValues& x) {
    std::size_t other = 1;
    while (other < wanted.size() && x.values[other] == x.values[0]) ++other;
    if (other == wanted.size()) return std::nullopt;
    const std::int64_t run = x.values[other] - x.values[0];
    const std::int64_t rise = wanted[other] - wanted[0];
    if (rise == 0 || rise % run != 0) return std::nullopt;
    const std::int64_t factor = rise / run;
    const std::int64_t addend = wanted[0] - factor * x.values[0];
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (factor * x.values[i] + addend != wanted[i]) return std::nullopt;
    }
    return sum_of(product_of(number(factor), x.expression), number(addend));
}

// (x + addend) // divisor, as of convolutions and pools: of the addends that fit the one nearest to 0.
std::optional<SymbolExpression> divided(const Values& wanted, const SizeValues& x) {
    for (std::int64_t divisor = 2; divisor <= kMostDivisor; ++divisor) {
        std::int64_t least = std::numeric_limits<std::int64_t>::min();
        std::int64_t most = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            least = std::max(least, divisor * wanted[i] - x.values[i]);
            most = std::min(most, divisor * wanted[i] - x.values[i] + divisor - 1);
        }
        if (least > most) continue;
        const std::int64_t addend = std::clamp<std::int64_t>(0, least, most);
        const std::int64_t below = floor_divide(addend, divisor);
        return sum_of(quotient_of(sum_of(x.expression, number(addend - below * divisor)), divisor), number(below));
    }
    return std::nullopt;
}

std::optional<SymbolExpression> of_one(const Values& wanted, const std::vector<SizeValues>& candidates) {
    for (const SizeValues& each : candidates) {
        if (each.values == wanted) return each.expression;
    }
    for (const SizeValues& each : candidates) {
        if (auto found = linear(wanted, each)) return found;
    }
    return std::nullopt;
}

// Sums, products and quotients of two.
std::vector<SizeValues> pairs_of(const std::vector<SizeValues>& candidates) {
    std::vector<SizeValues> out;
    const std::size_t count = std::min(candidates.size(), kMostCandidates);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = i; j < count; ++j) {
            const SizeValues& a = candidates[i];
            const SizeValues& b = candidates[j];
            out.push_back({product_of(a.expression, b.expression), each_of(a.values, b.values, std::multiplies<>())});
            out.push_back({sum_of(a.expression, b.expression), each_of(a.values, b.values, std::plus<>())});
            out.push_back({sum_of(a.expression, product_of(number(-1), b.expression)),
                           each_of(a.values, b.values, std::minus<>())});
        }
        for (std::size_t j = 0; j < count; ++j) {
            if (i == j || std::ranges::any_of(candidates[j].values, [](std::int64_t v) { return v <= 0; })) continue;
            out.push_back({{Kind::Call, 0, "FloorDiv", {candidates[i].expression, candidates[j].expression}},
                           each_of(candidates[i].values, candidates[j].values, floor_divide)});
        }
    }
    return out;
}

}  // namespace

SymbolExpression sum_of(SymbolExpression a, SymbolExpression b) {
    if (a.kind == Kind::Number && b.kind == Kind::Number) return number(a.number + b.number);
    if (a.kind == Kind::Number && a.number == 0) return b;
    if (b.kind == Kind::Number && b.number == 0) return a;
    return {Kind::Call, 0, "Add", {std::move(a), std::move(b)}};
}

SymbolExpression product_of(SymbolExpression a, SymbolExpression b) {
    if (a.kind == Kind::Number && b.kind == Kind::Number) return number(a.number * b.number);
    if (a.kind == Kind::Number && a.number == 1) return b;
    if (b.kind == Kind::Number && b.number == 1) return a;
    if (a.kind == Kind::Number && a.number == 0) return a;
    if (b.kind == Kind::Number && b.number == 0) return b;
    return {Kind::Call, 0, "Mul", {std::move(a), std::move(b)}};
}

SymbolExpression quotient_of(SymbolExpression a, std::int64_t by) {
    if (by == 1) return a;
    if (a.kind == Kind::Number) return number(floor_divide(a.number, by));
    return {Kind::Call, 0, "FloorDiv", {std::move(a), number(by)}};
}

std::optional<SymbolExpression> fit_expression(const Values& values, const std::vector<SizeValues>& candidates) {
    if (are_equal(values)) return number(values.front());
    std::vector<SizeValues> changing;
    for (const SizeValues& each : candidates) {
        const bool is_known =
            std::ranges::any_of(changing, [&](const auto& other) { return other.values == each.values; });
        if (!is_known && !are_equal(each.values)) changing.push_back(each);
    }
    if (auto found = of_one(values, changing)) return found;
    for (const SizeValues& each : changing) {
        if (auto found = divided(values, each)) return found;
    }
    const std::vector<SizeValues> pairs = pairs_of(changing);
    if (auto found = of_one(values, pairs)) return found;
    // Of three: a pair with one more.
    for (const SizeValues& pair : pairs) {
        for (std::size_t i = 0; i < std::min(changing.size(), kMostCandidates); ++i) {
            const SizeValues& each = changing[i];
            const SizeValues product{product_of(pair.expression, each.expression),
                                     each_of(pair.values, each.values, std::multiplies<>())};
            if (auto found = of_one(values, {product})) return found;
        }
    }
    for (const SizeValues& pair : pairs) {
        if (auto found = divided(values, pair)) return found;
    }
    return std::nullopt;
}

}  // namespace loupe::exported
