// SPDX-License-Identifier: Apache-2.0
#include "tests/nn/digest.h"

#include <cmath>
#include <span>

#include "core/base/strings.h"
#include "core/dispatch/functions.h"

namespace loupe::test {
namespace {

std::string shape_of(const Tensor& t) { return t.dim() == 0 ? "scalar" : join(t.sizes(), "x"); }

struct Digest {
    std::string shape;
    double first = 0, last = 0, sum = 0, magnitude = 0;
};

Digest digest_of(const Tensor& t) {
    Digest out{shape_of(t)};
    const Tensor flat = fn::to_dtype(fn::reshape(fn::detach(t), Dims{-1}),
                                     static_cast<std::int64_t>(ScalarType::Float64), false, false, IValue());
    const Tensor dense = fn::contiguous(flat, 0);
    const std::span<const double> values(dense.data<double>(), static_cast<std::size_t>(dense.numel()));
    if (!values.empty()) out.first = values.front(), out.last = values.back();
    for (const double v : values) out.sum += v, out.magnitude += std::fabs(v);
    return out;
}

bool is_near(double a, double b, double tolerance) {
    return (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= tolerance;
}

}  // namespace

std::string digest_difference(const Tensor& t, std::string_view expected, double tolerance) {
    const auto parts = split(expected, ' ');
    const Digest got = digest_of(t);
    const auto number = [&](std::size_t i) { return std::stod(std::string(parts[i])); };
    const bool agrees = got.shape == parts[0] && is_near(got.first, number(1), tolerance) &&
                        is_near(got.last, number(2), tolerance) &&
                        is_near(got.sum, number(3), tolerance * std::max(1.0, got.magnitude) + 1e-12 * got.magnitude);
    if (agrees) return {};
    return concat("got ", got.shape, " ", got.first, " ", got.last, " ", got.sum, ", expected ", expected);
}

}  // namespace loupe::test
