// SPDX-License-Identifier: Apache-2.0
#include "core/study/compare.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/base/strings.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

std::complex<double> element(const Tensor& t, std::int64_t i) {
    std::int64_t offset = 0;
    for (std::int64_t d = t.dim() - 1; d >= 0; --d) {
        offset += i % t.size(d) * t.stride(d);
        i /= t.size(d);
    }
    return visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T value = t.data<T>()[offset];
        if constexpr (is_complex(scalar_type_of<T>))
            return std::complex<double>(value);
        else
            return std::complex<double>(static_cast<double>(value));
    });
}

bool is_nan(std::complex<double> value) { return std::isnan(value.real()) || std::isnan(value.imag()); }

}  // namespace

TensorDifference compare_tensors(const Tensor& actual, const Tensor& expected, double rtol, double atol) {
    TensorDifference out;
    const auto a = actual.sizes();
    const auto b = expected.sizes();
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) {
        out.is_equal = false;
        out.why = concat("shape ", loupe::shape_text(a), ", expected ", loupe::shape_text(b));
        return out;
    }
    const Tensor here = on_host(actual);
    const Tensor wanted = on_host(expected);
    for (std::int64_t i = 0; i < here.numel(); ++i) {
        const auto x = element(here, i);
        const auto y = element(wanted, i);
        if ((is_nan(x) && is_nan(y)) || x == y) continue;
        const double abs = is_nan(x) || is_nan(y) ? INFINITY : std::abs(x - y);
        const double magnitude = std::abs(y);
        out.max_abs = std::max(out.max_abs, abs);
        out.max_rel = std::max(out.max_rel, magnitude > 0 ? abs / magnitude : abs);
        if (!(abs <= atol + rtol * magnitude) || std::isinf(abs)) out.is_equal = false;
    }
    return out;
}

}  // namespace loupe::session
