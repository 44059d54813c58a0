// SPDX-License-Identifier: Apache-2.0
#pragma once
// Transforms of many short lines at once, a line to each lane of the vector registers.

#include <complex>
#include <cstdint>

#include "core/ops/fft/lines.h"

namespace loupe::fft {

// Are there lines enough, of a length whose block stays in cache?
bool suits_lanes(Lines lines, std::int64_t n);

// As the functions of transform.h, for lines that suit.
template <typename T>
void complex_to_complex_in_lanes(const std::complex<T>* from, std::complex<T>* to, Lines lines, std::int64_t n,
                                 bool forward, T scale);
template <typename T>
void real_to_complex_in_lanes(const T* from, std::complex<T>* to, Lines lines, std::int64_t n, T scale);
template <typename T>
void complex_to_real_in_lanes(const std::complex<T>* from, T* to, Lines lines, std::int64_t n, T scale);

}  // namespace loupe::fft
