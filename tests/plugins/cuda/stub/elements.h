// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements as cuBLAS and cuDNN read and write them.

#include <cstdint>

#include "plugins/cuda/loops/portable.h"

namespace stub_gpu {

using loupe::cuda::Element;

inline double read(const void* data, Element element, std::int64_t i) {
    return loupe::cuda::load<double>(static_cast<const char*>(data) + i * loupe::cuda::size_of(element), element);
}
inline void write(void* data, Element element, std::int64_t i, double value) {
    loupe::cuda::store(static_cast<char*>(data) + i * loupe::cuda::size_of(element), element, value);
}
// Float32 as tensor cores read it when they may: 10 bits of the mantissa.
inline double in_tf32(double value) {
    const auto bits = loupe::cuda::bits_as<std::uint32_t>(static_cast<float>(value));
    return static_cast<double>(loupe::cuda::bits_as<float>((bits + 0x1000) & ~std::uint32_t{0x1FFF}));
}

}  // namespace stub_gpu
