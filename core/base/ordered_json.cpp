// SPDX-License-Identifier: Apache-2.0
#include "core/base/ordered_json.h"

#include <random>

namespace loupe {

std::uint64_t seeded_hash(std::string_view text) {
    static const std::uint64_t seed = [] {
        std::random_device device;
        return (static_cast<std::uint64_t>(device()) << 32) | device();
    }();
    std::uint64_t hash = seed;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
    }
    return hash;
}

}  // namespace loupe
