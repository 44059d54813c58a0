// SPDX-License-Identifier: Apache-2.0
#include "core/ops/matrix/bfloat16.h"

#include <algorithm>
#include <vector>

#include "core/base/parallel.h"

namespace loupe {
namespace {

float rounded(float value) { return static_cast<float>(BFloat16(value)); }

bool is_row_major(const MatrixRef<const BFloat16>& m) {
    return m.column_stride == 1 && m.row_stride >= std::max<std::int64_t>(1, m.columns);
}

std::int64_t grain_of(const MatrixRef<const BFloat16>& a, const MatrixRef<BFloat16>& c) {
    return std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, a.columns * c.columns));
}

// factor(x): alpha times an element of a.
template <typename Factor>
void multiply_in_steps(const MatrixRef<const BFloat16>& a, const MatrixRef<const BFloat16>& b, float beta,
                       const MatrixRef<BFloat16>& c, const Factor& factor) {
    const float keep = rounded(beta);
    parallel_for(0, c.rows, grain_of(a, c), [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> sums(static_cast<std::size_t>(c.columns));
        for (std::int64_t i = begin; i < end; ++i) {
            BFloat16* out = c.data + i * c.row_stride;
            for (std::int64_t j = 0; j < c.columns; ++j) {
                sums[static_cast<std::size_t>(j)] =
                    beta == 0 ? 0 : rounded(keep * static_cast<float>(out[j * c.column_stride]));
            }
            for (std::int64_t k = 0; k < a.columns; ++k) {
                const float x = factor(static_cast<float>(a.data[i * a.row_stride + k * a.column_stride]));
                const BFloat16* y = b.data + k * b.row_stride;
                for (std::int64_t j = 0; j < c.columns; ++j) {
                    float& sum = sums[static_cast<std::size_t>(j)];
                    sum = rounded(sum + rounded(x * static_cast<float>(y[j * b.column_stride])));
                }
            }
            for (std::int64_t j = 0; j < c.columns; ++j)
                out[j * c.column_stride] = BFloat16(sums[static_cast<std::size_t>(j)]);
        }
    });
}

void multiply_wide(float alpha, const MatrixRef<const BFloat16>& a, const MatrixRef<const BFloat16>& b, float beta,
                   const MatrixRef<BFloat16>& c) {
    parallel_for(0, c.rows, grain_of(a, c), [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> sums(static_cast<std::size_t>(c.columns));
        for (std::int64_t i = begin; i < end; ++i) {
            std::fill(sums.begin(), sums.end(), 0.0F);
            for (std::int64_t k = 0; k < a.columns; ++k) {
                const float x = static_cast<float>(a.data[i * a.row_stride + k * a.column_stride]);
                const BFloat16* y = b.data + k * b.row_stride;
                for (std::int64_t j = 0; j < c.columns; ++j)
                    sums[static_cast<std::size_t>(j)] += x * static_cast<float>(y[j * b.column_stride]);
            }
            for (std::int64_t j = 0; j < c.columns; ++j) {
                BFloat16& out = c.data[i * c.row_stride + j * c.column_stride];
                const float value = alpha * sums[static_cast<std::size_t>(j)];
                out = BFloat16(beta == 0 ? value : beta * static_cast<float>(out) + value);
            }
        }
    });
}

}  // namespace

void rounded_gemm(Rounding rounding, float alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, float beta,
                  MatrixRef<BFloat16> c) {
    const bool wide =
        rounding == Rounding::Wide || (rounding == Rounding::ByLayout && is_row_major(a) && !is_row_major(b));
    if (wide) return multiply_wide(alpha, a, b, beta, c);
    if (rounding == Rounding::ByLayout) return multiply_in_steps(a, b, beta, c, [alpha](float x) { return alpha * x; });
    const float scale = rounded(alpha);
    multiply_in_steps(a, b, beta, c, [scale](float x) { return rounded(scale * x); });
}

}  // namespace loupe
