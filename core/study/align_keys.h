// SPDX-License-Identifier: Apache-2.0
#pragma once
// What two things must share to be aligned, as one number.

#include <functional>
#include <string_view>

#include "core/model/model_info.h"
#include "core/study/align_sequences.h"

namespace loupe::session {

inline AlignKey hash_of(AlignKey value) {
    value ^= value >> 30;
    value *= 0xBF58476D1CE4E5B9U;
    value ^= value >> 27;
    value *= 0x94D049BB133111EBU;
    return value ^ (value >> 31);
}
inline AlignKey hash_with(AlignKey key, AlignKey value) { return hash_of(key * 0x9E3779B97F4A7C15U + value + 1); }
inline AlignKey hash_with(AlignKey key, std::string_view text) {
    return hash_with(key, static_cast<AlignKey>(std::hash<std::string_view>()(text)));
}
inline AlignKey hash_with(AlignKey key, const Shape& shape) {
    key = hash_with(key, static_cast<AlignKey>(shape.size()));
    for (const std::int64_t size : shape) key = hash_with(key, static_cast<AlignKey>(size));
    return key;
}

}  // namespace loupe::session
