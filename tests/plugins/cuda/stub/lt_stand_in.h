// SPDX-License-Identifier: Apache-2.0
#pragma once
// What cublasLt's documentation says of each epilogue, on the host: d = epilogue(alpha op(a) op(b) + bias), all by
// columns.

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "plugins/cuda/products/epilogues.h"
#include "tests/plugins/cuda/stub/elements.h"

namespace stub_gpu {

class LtStandIn {
  public:
    explicit LtStandIn(const loupe::cuda::LtProduct& product)
        : p_(product), element_(static_cast<Element>(product.dtype)) {}

    // Throws std::logic_error for sizes that do not fit.
    void compute() const {
        using loupe::cuda::Epilogue;
        const auto side = [](const Matrix& m) { return m.is_turned ? m.rows : m.columns; };
        const std::int64_t inner = side(p_.a);
        const bool fits = p_.d.rows == (p_.a.is_turned ? p_.a.columns : p_.a.rows) && p_.d.columns == side(p_.b) &&
                          inner == (p_.b.is_turned ? p_.b.columns : p_.b.rows) && !p_.d.is_turned;
        if (!fits) throw std::logic_error("sizes of a product that do not fit");
        for (const Matrix& m : {p_.a, p_.b, p_.d}) {
            if (m.leading < m.rows) throw std::logic_error("a column is shorter than its elements");
        }
        std::vector<double> sums(static_cast<std::size_t>(p_.d.rows), 0);
        for (std::int64_t j = 0; j < p_.d.columns; ++j) {
            for (std::int64_t i = 0; i < p_.d.rows; ++i) {
                double sum = 0;
                for (std::int64_t k = 0; k < inner; ++k) sum += at(p_.a, i, k) * at(p_.b, k, j);
                const double value = ended(p_.alpha * sum, i, j);
                write(p_.d.data, element_, i + j * p_.d.leading, value);
                sums[static_cast<std::size_t>(i)] += value;
            }
        }
        if (p_.epilogue == Epilogue::DReluBiasGradient || p_.epilogue == Epilogue::DGeluBiasGradient) {
            for (std::size_t i = 0; i < sums.size(); ++i)
                write(p_.bias, element_, static_cast<std::int64_t>(i), sums[i]);
        }
        if (p_.epilogue == Epilogue::BiasGradientOfB) {
            // Of op(b), over what the product adds up: one for each column of d.
            for (std::int64_t j = 0; j < p_.d.columns; ++j) {
                double sum = 0;
                for (std::int64_t k = 0; k < inner; ++k) sum += at(p_.b, k, j);
                write(p_.bias, element_, j, sum);
            }
        }
    }

  private:
    using Matrix = loupe::cuda::LtMatrix;

    double at(const Matrix& m, std::int64_t i, std::int64_t j) const {
        return read(m.data, element_, m.is_turned ? j + i * m.leading : i + j * m.leading);
    }
    static double gelu(double x) { return 0.5 * x * (1 + std::tanh(inner_of(x))); }
    static double inner_of(double x) { return std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }
    static double gelu_slope(double x) {
        const double t = std::tanh(inner_of(x));
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
    }
    double ended(double x, std::int64_t i, std::int64_t j) const {
        const std::int64_t place = i + j * p_.aux_leading;
        const auto byte = [&]() -> std::uint8_t& { return static_cast<std::uint8_t*>(p_.aux)[place / 8]; };
        const auto mask = static_cast<std::uint8_t>(1 << (place % 8));
        const int bits = static_cast<int>(p_.epilogue);
        const bool is_gradient = (bits & (8 | 64)) != 0, keeps = (bits & 128) != 0;
        if ((bits & 4) != 0) x += read(p_.bias, element_, i);
        if (is_gradient && (bits & 8) != 0) return (byte() & mask) != 0 ? x : 0.0;
        if (is_gradient) return x * gelu_slope(read(p_.aux, element_, place));
        if ((bits & 2) != 0) {
            if (keeps) byte() = static_cast<std::uint8_t>(x > 0 ? byte() | mask : byte() & ~mask);
            return x > 0 ? x : 0;
        }
        if ((bits & 32) != 0) {
            if (keeps) write(p_.aux, element_, place, x);
            return gelu(x);
        }
        return x;
    }

    const loupe::cuda::LtProduct& p_;
    Element element_;
};

}  // namespace stub_gpu
