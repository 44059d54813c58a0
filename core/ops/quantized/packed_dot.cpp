// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized/packed_dot.h"

#include "core/kernels/simd_targets.h"
#include "core/tensor/ggml_blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/quantized/packed_dot.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::quantized_ops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 8>;

float dot_float(const float* a, const float* b, std::int64_t n) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto first = hn::Zero(d), second = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        first = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), first);
        second = hn::MulAdd(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes), second);
    }
    float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second)));
    for (; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// Eight signed bytes at a time as floats.
template <class V>
HWY_INLINE V block_sum(const std::int8_t* q, const float* x, V sum) {
    const Floats d;
    const hn::Rebind<std::int8_t, Floats> bytes;
    const hn::Rebind<std::int32_t, Floats> integers;
    for (std::size_t j = 0; j < 32; j += hn::Lanes(d)) {
        const auto wide = hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, q + j)));
        sum = hn::MulAdd(wide, hn::LoadU(d, x + j), sum);
    }
    return sum;
}

float dot_q8_0(const std::uint8_t* row, const float* x, std::int64_t columns) {
    const Floats d;
    auto total = hn::Zero(d);
    for (std::int64_t i = 0; i < columns; i += 32, row += 34) {
        const auto sum = block_sum(reinterpret_cast<const std::int8_t*>(row + 2), x + i, hn::Zero(d));
        total = hn::MulAdd(sum, hn::Set(d, half_at(row)), total);
    }
    return hn::GetLane(hn::SumOfLanes(d, total));
}

float dot_q4_0(const std::uint8_t* row, const float* x, std::int64_t columns) {
    const Floats d;
    const hn::CappedTag<std::uint8_t, 16> packed;
    const hn::RebindToSigned<decltype(packed)> numbers;
    const auto eight = hn::Set(numbers, std::int8_t{8});
    const auto mask = hn::Set(packed, std::uint8_t{15});
    auto total = hn::Zero(d);
    HWY_ALIGN std::int8_t q[32];
    for (std::int64_t i = 0; i < columns; i += 32, row += 18) {
        for (std::size_t j = 0; j < 16; j += hn::Lanes(packed)) {
            const auto both = hn::LoadU(packed, row + 2 + j);
            const auto low = hn::And(both, mask), high = hn::ShiftRight<4>(both);
            hn::StoreU(hn::Sub(hn::BitCast(numbers, low), eight), numbers, q + j);
            hn::StoreU(hn::Sub(hn::BitCast(numbers, high), eight), numbers, q + 16 + j);
        }
        total = hn::MulAdd(block_sum(q, x + i, hn::Zero(d)), hn::Set(d, half_at(row)), total);
    }
    return hn::GetLane(hn::SumOfLanes(d, total));
}

}  // namespace loupe::quantized_ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe::quantized_ops {

HWY_EXPORT(dot_float);
HWY_EXPORT(dot_q8_0);
HWY_EXPORT(dot_q4_0);

float dot_float(const float* a, const float* b, std::int64_t n) { return HWY_DYNAMIC_DISPATCH(dot_float)(a, b, n); }

PackedDot packed_dot(const GgmlType& type) {
    if (type.name == "Q8_0") return HWY_DYNAMIC_DISPATCH(dot_q8_0);
    if (type.name == "Q4_0") return HWY_DYNAMIC_DISPATCH(dot_q4_0);
    return nullptr;
}

}  // namespace loupe::quantized_ops
#endif
