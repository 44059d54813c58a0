// SPDX-License-Identifier: Apache-2.0
#pragma once
// Data in a shared library (ELF), read as bytes of a file: nothing in it is loaded or run.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace loupe::exported {

// The bytes from one symbol to another. nullopt when the library has neither, or is of another kind than ELF of 64 bits
// in little endian. Throws Error (File) when it is damaged.
std::optional<std::span<const std::byte>> bytes_between(std::span<const std::byte> library, std::string_view start,
                                                        std::string_view end);

}  // namespace loupe::exported
