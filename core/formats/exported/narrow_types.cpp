// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/narrow_types.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "core/formats/archive/raw_tensor.h"
#include "core/formats/safetensors/safetensors_types.h"

namespace loupe::exported {
namespace {

constexpr std::array kTypes = {NarrowType{23, "float8_e5m2", "F8_E5M2", 1, ScalarType::Float32},
                               NarrowType{24, "float8_e4m3fn", "F8_E4M3", 1, ScalarType::Float32},
                               NarrowType{25, "float8_e5m2fnuz", "F8_E5M2FNUZ", 1, ScalarType::Float32},
                               NarrowType{26, "float8_e4m3fnuz", "F8_E4M3FNUZ", 1, ScalarType::Float32},
                               NarrowType{44, "float8_e8m0fnu", "F8_E8M0", 1, ScalarType::Float32},
                               NarrowType{27, "uint16", {}, 2, ScalarType::Int32},
                               NarrowType{28, "uint32", {}, 4, ScalarType::Int64},
                               NarrowType{29, "uint64", {}, 8, ScalarType::Int64}};

template <typename Narrow, typename Wide>
Ptr<Storage> converted(std::span<const std::byte> payload) {
    const std::size_t count = payload.size() / sizeof(Narrow);
    Ptr<Storage> out = Storage::allocate(count * sizeof(Wide));
    auto* to = static_cast<Wide*>(out->data());
    for (std::size_t i = 0; i < count; ++i) {
        Narrow value{};
        std::memcpy(&value, payload.data() + i * sizeof(Narrow), sizeof(Narrow));
        to[i] = static_cast<Wide>(value);
    }
    return out;
}

bool fits_int64(std::span<const std::byte> payload) {
    for (std::size_t i = 7; i < payload.size(); i += 8) {  // little-endian: the highest byte
        if ((payload[i] & std::byte{0x80}) != std::byte{0}) return false;
    }
    return true;
}

}  // namespace

const NarrowType* find_narrow_type(std::int64_t c10) {
    const auto* found = std::ranges::find(kTypes, c10, &NarrowType::number);
    return found == kTypes.end() ? nullptr : found;
}

std::optional<Ptr<Storage>> widened(const NarrowType& type, const Ptr<Storage>& payload) {
    const std::span<const std::byte> bytes{static_cast<const std::byte*>(payload->data()), payload->bytes()};
    if (!type.eight_bit.empty()) {
        const std::vector<std::int64_t> sizes{static_cast<std::int64_t>(bytes.size())};
        const std::vector<std::int64_t> strides{1};
        const auto floats =
            decode_small_floats(type.eight_bit, tensor_on(payload, ScalarType::UInt8, sizes, strides, 0));
        return floats ? std::optional(floats->storage()) : std::nullopt;
    }
    if (type.bytes == 2) return converted<std::uint16_t, std::int32_t>(bytes);
    if (type.bytes == 4) return converted<std::uint32_t, std::int64_t>(bytes);
    if (!fits_int64(bytes)) return std::nullopt;
    return converted<std::uint64_t, std::int64_t>(bytes);
}

}  // namespace loupe::exported
