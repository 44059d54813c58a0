// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of gzip.

#include <cstddef>
#include <span>
#include <string>

namespace loupe {

bool is_gzip(std::span<const std::byte> bytes);

struct Inflated {
    std::string bytes;
    bool is_cut_off = false;   // the stream ended early or is damaged there; bytes are those before
    bool is_too_long = false;  // there is more than was wanted
};
// Several members behind each other are one, as gzip has it. At most that many bytes. Throws Error (Cancelled).
Inflated inflate_gzip(std::span<const std::byte> bytes, std::size_t most);

}  // namespace loupe
