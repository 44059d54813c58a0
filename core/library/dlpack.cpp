// SPDX-License-Identifier: Apache-2.0
#include "core/library/dlpack.h"

namespace loupe::dlpack {
namespace {

std::uint8_t code_of(ScalarType dtype) {
    if (dtype == ScalarType::Bool) return 6;
    if (dtype == ScalarType::BFloat16) return 4;
    if (is_complex(dtype)) return 5;
    if (is_float8(dtype)) return 255;
    if (is_floating(dtype)) return 2;
    return is_unsigned(dtype) ? 1 : 0;
}

}  // namespace

DeviceField field_of(Device device) {
    switch (device.type) {
        case DeviceType::Cpu:
            return {1, 0};
        case DeviceType::Cuda:
            return {2, device.index};
        case DeviceType::PrivateUse1:
            break;
    }
    return {12, device.index};
}

TypeField field_of(ScalarType dtype) { return {code_of(dtype), static_cast<std::uint8_t>(8 * element_size(dtype)), 1}; }

std::optional<ScalarType> dtype_of(TypeField field) {
    if (field.lanes != 1) return std::nullopt;
    for (int number = 0; number < detail::kDtypeNumbers; ++number) {
        const std::optional<ScalarType> dtype = dtype_from_number(number);
        if (!dtype) continue;
        const TypeField known = field_of(*dtype);
        if (known.code != 255 && known.code == field.code && known.bits == field.bits) return dtype;
    }
    return std::nullopt;
}

}  // namespace loupe::dlpack
