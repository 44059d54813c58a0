// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/comparison.h"

#include <cmath>
#include <complex>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"

namespace loupe::sweep {
namespace {

using Numbers = std::vector<std::complex<double>>;

Numbers numbers_of(const Tensor& t) {
    const GradModeScope no_grad(false);
    const Tensor wide = fn::contiguous(fn::to_dtype(t, number_of(ScalarType::Complex128)), 0);
    const auto* first = wide.data<std::complex<double>>();
    return {first, first + wide.numel()};
}

bool close(std::complex<double> a, std::complex<double> b, double relative, double absolute) {
    if (a == b) return true;
    const auto part = [&](double x, double y) {
        if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
        if (std::isinf(x) || std::isinf(y)) return x == y;
        return std::abs(x - y) <= absolute + relative * std::max({std::abs(y), std::abs(a), std::abs(b)});
    };
    return part(a.real(), b.real()) && part(a.imag(), b.imag());
}

}  // namespace

std::vector<IValue> call(const Operator& op, const std::vector<IValue>& arguments) {
    std::vector<IValue> results(std::max<std::size_t>(op.result_count(), 1));
    call_operator(op, arguments, results.data());
    results.resize(op.result_count());
    return results;
}

std::string difference(const Tensor& actual, const Tensor& expected, double relative, double absolute) {
    if (actual.defined() != expected.defined()) return "one is undefined";
    if (!actual.defined()) return {};
    if (to_dims(actual.sizes()) != to_dims(expected.sizes()) || actual.dtype() != expected.dtype()) {
        return concat(describe(actual), " is not ", describe(expected));
    }
    const Numbers a = numbers_of(actual);
    const Numbers b = numbers_of(expected);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!close(a[i], b[i], relative, absolute)) {
            return concat("element ", i, " is (", a[i].real(), ", ", a[i].imag(), "), not (", b[i].real(), ", ",
                          b[i].imag(), ")");
        }
    }
    return {};
}

std::string difference(const Tensor& actual, const Tensor& expected, double relative) {
    return difference(actual, expected, relative, relative);
}

double precision(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float64:
        case ScalarType::Complex128:
            return 1e-11;
        case ScalarType::BFloat16:
            return 6e-2;
        case ScalarType::Float16:
            return 2e-3;
        default:
            return 2e-6;
    }
}

IValue number_of(ScalarType dtype) { return static_cast<std::int64_t>(dtype); }

}  // namespace loupe::sweep
