// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized/row_range.h"

#include <algorithm>
#include <cmath>

#include "core/base/cancel.h"
#include "core/ops/quantized/family.h"
#include "core/ops/quantized/quantized.h"
#include "core/tensor/half.h"

namespace loupe::quantized_ops {
namespace {

constexpr std::int64_t kMostBins = 1'000'000, kMostBits = 16;

// The norm of what rounding to steps between the two takes away. PyTorch's steps, each in float32.
float loss_within(std::span<const float> row, float least, float most, std::int64_t bits) {
    least = static_cast<float>(Half(least));
    const float range = most - least;
    const auto steps = static_cast<float>((std::int64_t{1} << bits) - 1);
    const float scale = range == 0 ? 1.0F : static_cast<float>(Half(range / steps));
    const float inverse = scale == 0 ? 1.0F : 1.0F / scale;
    float sum = 0;
    for (const float x : row) {
        const float step = std::max(0.0F, std::min(std::nearbyint((x - least) * inverse), steps));
        const float rounded = step * scale + least;
        sum += (x - rounded) * (x - rounded);
    }
    return std::sqrt(sum);
}

std::tuple<Tensor, Tensor> choose_qparams_optimized(const Tensor& input, std::int64_t numel, std::int64_t bins,
                                                    double ratio, std::int64_t bits) {
    require(numel >= 0 && numel <= input.numel(), "numel is out of the bound of input tensor");
    const Tensor x = fn::contiguous(fn::to_dtype(input, number_of(ScalarType::Float32)), 0);
    const auto [least, most] = range_of_least_loss(
        std::span<const float>(x.data<float>(), static_cast<std::size_t>(numel)), {bins, ratio, bits});
    const auto one = [](float number) {
        const Tensor out = empty(std::array<std::int64_t, 1>{1}, ScalarType::Float32);
        *out.data<float>() = number;
        return out;
    };
    return {one(most), one(least)};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::choose_qparams_optimized(Tensor input, int numel, int n_bins, float ratio, int bit_width) -> "
               "(Tensor, Tensor)",
     .summary = "The greatest and the least number between which a row is rounded with the least loss.",
     .kernel = boxed<choose_qparams_optimized>,
     .is_gradient_stop = true},
};

}  // namespace

std::pair<float, float> range_of_least_loss(std::span<const float> row, const RangeSearch& search) {
    require(search.bins > 0 && search.bins <= kMostBins, "expected 1 to ", kMostBins, " bins, got ", search.bins);
    require(search.ratio >= 0 && search.ratio <= 1, "expected a ratio between 0 and 1, got ", search.ratio);
    require(search.bits >= 1 && search.bits <= kMostBits, "expected 1 to ", kMostBits, " bits, got ", search.bits);
    if (row.empty()) return {0.0F, 0.0F};
    const auto [first, last] = std::minmax_element(row.begin(), row.end());
    float least = *first, most = *last;
    const float step = (most - least) / static_cast<float>(search.bins);
    const auto kept = static_cast<int>(static_cast<float>(search.bins) * (1.0F - static_cast<float>(search.ratio)));
    const float narrowest = static_cast<float>(kept) * step;
    float from = least, to = most;
    float loss = loss_within(row, from, to, search.bits);
    float best = loss;
    while (from + narrowest < to) {
        check_cancelled();
        const float left = loss_within(row, from + step, to, search.bits);
        const float right = loss_within(row, from, to - step, search.bits);
        if (loss < left && loss < right && loss < best) {
            best = loss;
            least = from;
            most = to;
        }
        const float before_from = from, before_to = to;
        if (left < right) {
            from += step;
            loss = left;
        } else {
            to -= step;
            loss = right;
        }
        if (from == before_from && to == before_to) break;  // a step too small to be one
    }
    return {least, most};
}

std::span<const OperatorRecord> row_range_records() { return kRecords; }

}  // namespace loupe::quantized_ops
