// SPDX-License-Identifier: Apache-2.0
#include "core/ops/loops/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/loops/half_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
// clang-format on

#include "core/ops/loops/convert.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

std::int64_t widen(const Half* from, float* to, std::int64_t n) {
    const hn::ScalableTag<float> wide;
    const hn::Rebind<hwy::float16_t, decltype(wide)> narrow;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto half = hn::LoadU(narrow, reinterpret_cast<const hwy::float16_t*>(from + i));
        hn::StoreU(hn::PromoteTo(wide, half), wide, to + i);
    }
    return i;
}

std::int64_t narrow(const float* from, Half* to, std::int64_t n) {
    const hn::ScalableTag<float> wide;
    const hn::Rebind<hwy::float16_t, decltype(wide)> half;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        hn::StoreU(hn::DemoteTo(half, hn::LoadU(wide, from + i)), half, reinterpret_cast<hwy::float16_t*>(to + i));
    }
    return i;
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {
namespace {
HWY_EXPORT(widen);
HWY_EXPORT(narrow);

// Vectors only where the hardware converts as IEEE 754 says, NaN and subnormal numbers included.
bool has_hardware_conversion() { return (hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3)) != 0; }
}  // namespace

void convert_half(const Half* from, float* to, std::int64_t n) {
    std::int64_t i = has_hardware_conversion() ? HWY_DYNAMIC_DISPATCH(widen)(from, to, n) : 0;
    for (; i < n; ++i) to[i] = from[i];
}
void convert_half(const float* from, Half* to, std::int64_t n) {
    std::int64_t i = has_hardware_conversion() ? HWY_DYNAMIC_DISPATCH(narrow)(from, to, n) : 0;
    for (; i < n; ++i) to[i] = Half(from[i]);
}
}  // namespace loupe
#endif
