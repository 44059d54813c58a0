// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of a thread of PyTorch's launch: Philox's words, and what cuRAND makes of them. Includes nothing of the
// engine.

#include "plugins/cuda/loops/portable.h"

namespace loupe::cuda {

struct Four {
    std::uint32_t v[4];
};

// Salmon, Moraes, Dror, Shaw 2011.
LOUPE_HD inline Four philox(std::uint64_t block, std::uint64_t thread, std::uint64_t seed) {
    Four c{{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
            static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(thread >> 32)}};
    auto first = static_cast<std::uint32_t>(seed), second = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xd2511f53} * c.v[0], b = std::uint64_t{0xcd9e8d57} * c.v[2];
        c = {{static_cast<std::uint32_t>(b >> 32) ^ c.v[1] ^ first, static_cast<std::uint32_t>(b),
              static_cast<std::uint32_t>(a >> 32) ^ c.v[3] ^ second, static_cast<std::uint32_t>(a)}};
        first += 0x9e3779b9;
        second += 0xbb67ae85;
    }
    return c;
}

// cuRAND's numbers: uniform ones in (0, 1].
LOUPE_HD inline float uniform(std::uint32_t x) {
    return static_cast<float>(x) * 2.3283064365386963e-10F + 1.1641532182693481e-10F;
}
LOUPE_HD inline double uniform(std::uint32_t x, std::uint32_t y) {
    const std::uint64_t z = x ^ (static_cast<std::uint64_t>(y) << 21);
    return static_cast<double>(z) * 1.1102230246251565e-16 + 0.55511151231257827e-16;
}
LOUPE_HD inline void box_muller(std::uint32_t x, std::uint32_t y, float* out) {
    const float u = uniform(x);
    const float v = static_cast<float>(y) * 1.46291807926715968e-09F + 0.73145903963357984e-09F;
    const float s = std::sqrt(-2.0F * std::log(u));
#ifdef __CUDA_ARCH__
    __sincosf(v, &out[0], &out[1]);
#else
    out[0] = std::sin(v);
    out[1] = std::cos(v);
#endif
    out[0] *= s;
    out[1] *= s;
}
LOUPE_HD inline void box_muller(const Four& f, double* out) {
    const double u = uniform(f.v[0], f.v[1]);
    const std::uint64_t z = f.v[2] ^ (static_cast<std::uint64_t>(f.v[3]) << 21);
    const double v = static_cast<double>(z) * 2.2204460492503130e-16 + 1.1102230246251565e-16;
    const double s = std::sqrt(-2.0 * std::log(u));
#ifdef __CUDA_ARCH__
    sincospi(v, &out[0], &out[1]);
#else
    out[0] = std::sin(v * 3.14159265358979323846);
    out[1] = std::cos(v * 3.14159265358979323846);
#endif
    out[0] *= s;
    out[1] *= s;
}

// The words of one thread in turn.
struct Words {
    std::uint64_t block, thread, seed;
    Four held = {};
    int next = 4;

    LOUPE_HD Words(std::uint64_t offset, std::uint64_t of_thread, std::uint64_t of_seed)
        : block(offset / 4), thread(of_thread), seed(of_seed) {}
    LOUPE_HD std::uint32_t word() {
        if (next == 4) {
            held = philox(block++, thread, seed);
            next = 0;
        }
        return held.v[next++];
    }
    LOUPE_HD float share() { return uniform(word()); }
    // Two at a time; the second is kept.
    LOUPE_HD float normal() {
        if (has_normal) {
            has_normal = false;
            return kept_normal;
        }
        const std::uint32_t x = word(), y = word();
        float pair[2];
        box_muller(x, y, pair);
        kept_normal = pair[1];
        has_normal = true;
        return pair[0];
    }
    bool has_normal = false;
    float kept_normal = 0;
};

}  // namespace loupe::cuda
