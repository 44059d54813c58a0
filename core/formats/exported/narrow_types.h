// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors of dtypes that programs have and the engine lacks, in a wider dtype that holds their numbers exactly.

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/tensor/tensor.h"

namespace loupe::exported {

struct NarrowType {
    std::int64_t number;         // c10's
    std::string_view name;       // "float8_e4m3fn"
    std::string_view eight_bit;  // its name in safetensors files; empty: no float of eight bits
    std::int64_t bytes;          // of an element
    ScalarType wide;
};

// Null for other dtypes.
const NarrowType* find_narrow_type(std::int64_t c10);
// A storage of the wide dtype with an element for each of the payload; nullopt when a number does not fit.
std::optional<Ptr<Storage>> widened(const NarrowType& type, const Ptr<Storage>& payload);

}  // namespace loupe::exported
