// SPDX-License-Identifier: Apache-2.0
#include "core/ops/matrix/bfloat16.h"

#include <algorithm>
#include <vector>

#include "core/base/parallel.h"

namespace loupe {
namespace {

std::int64_t grain_of(const MatrixRef<const BFloat16>& a, const MatrixRef<BFloat16>& c) {
    return std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, a.columns * c.columns));
}

}  // namespace

void bfloat16_gemm(float alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, float beta,
                   MatrixRef<BFloat16> c) {
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

}  // namespace loupe
