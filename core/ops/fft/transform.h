// SPDX-License-Identifier: Apache-2.0
#pragma once
// Discrete Fourier transforms of many lines; float and double. The only door to the FFT library.

#include <complex>
#include <cstdint>

#include "core/ops/fft/lines.h"

namespace loupe::fft {

// X[k] = scale * sum_j x[j] exp(-+2 pi i jk / n), - when forward; `to` may be `from`. n >= 1.
template <typename T>
void complex_to_complex(const std::complex<T>* from, std::complex<T>* to, Lines lines, std::int64_t n, bool forward,
                        T scale);
// Forward, of real lines: the n / 2 + 1 first terms; the others are their conjugates.
template <typename T>
void real_to_complex(const T* from, std::complex<T>* to, Lines lines, std::int64_t n, T scale);
// Backward, from the n / 2 + 1 first terms to n real elements; imaginary parts that such terms cannot have are ignored.
template <typename T>
void complex_to_real(const std::complex<T>* from, T* to, Lines lines, std::int64_t n, T scale);

}  // namespace loupe::fft
