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

}  // namespace

void stepwise_gemm(BFloat16 alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, BFloat16 beta, MatrixRef<BFloat16> c) {
    const float scale = static_cast<float>(alpha);
    const float keep = static_cast<float>(beta);
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, a.columns * c.columns));
    parallel_for(0, c.rows, grain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> sums(static_cast<std::size_t>(c.columns));
        for (std::int64_t i = begin; i < end; ++i) {
            BFloat16* out = c.data + i * c.row_stride;
            for (std::int64_t j = 0; j < c.columns; ++j) {
                sums[static_cast<std::size_t>(j)] = keep == 0 ? 0 : rounded(keep * static_cast<float>(out[j * c.column_stride]));
            }
            for (std::int64_t k = 0; k < a.columns; ++k) {
                const float x = rounded(scale * static_cast<float>(a.data[i * a.row_stride + k * a.column_stride]));
                const BFloat16* y = b.data + k * b.row_stride;
                for (std::int64_t j = 0; j < c.columns; ++j) {
                    float& sum = sums[static_cast<std::size_t>(j)];
                    sum = rounded(sum + rounded(x * static_cast<float>(y[j * b.column_stride])));
                }
            }
            for (std::int64_t j = 0; j < c.columns; ++j) out[j * c.column_stride] = BFloat16(sums[static_cast<std::size_t>(j)]);
        }
    });
}

void rounded_gemm(BFloat16 alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, BFloat16 beta, MatrixRef<BFloat16> c) {
    if (is_row_major(a) && !is_row_major(b)) gemm(alpha, a, b, beta, c);
    else stepwise_gemm(alpha, a, b, beta, c);
}

}  // namespace loupe
