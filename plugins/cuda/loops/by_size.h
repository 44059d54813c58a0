// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements of any dtype, moved by their bits.

#include <cstdint>

namespace loupe::cuda {

struct Sixteen {
    std::int64_t a, b;
};

// visit(E()) with a type of so many bytes: 1, 2, 4, 8 or 16.
template <typename Visit>
void visit_size(int bytes, Visit&& visit) {
    switch (bytes) {
        case 1:
            return visit(std::uint8_t());
        case 2:
            return visit(std::uint16_t());
        case 4:
            return visit(std::uint32_t());
        case 8:
            return visit(std::uint64_t());
        default:
            return visit(Sixteen());
    }
}

}  // namespace loupe::cuda
