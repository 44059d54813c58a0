// SPDX-License-Identifier: Apache-2.0
#pragma once
// The instruction sets that vector kernels are built for: the baseline (SSE2), AVX2 and AVX-512. Include before any of
// Highway's headers.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
