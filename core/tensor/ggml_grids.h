// SPDX-License-Identifier: Apache-2.0
#pragma once
// The points of ggml's lattice quantisations (IQ1 to IQ3): constants of the format. Each entry is one point of eight
// coordinates of 2 bits, or of four of 3 bits, the first in the lowest bits.

#include <cstdint>
#include <span>

namespace loupe {

// Coordinates 0..2 are 8, 25, 43.
std::span<const std::uint16_t> grid_iq2_xxs();  // 256
std::span<const std::uint16_t> grid_iq2_xs();   // 512
std::span<const std::uint16_t> grid_iq2_s();    // 1024
// Coordinates 0..7 are 4, 12, ..., 52, 62.
std::span<const std::uint16_t> grid_iq3_xxs();  // 256
// Coordinates 0..7 are 1, 3, ..., 15.
std::span<const std::uint16_t> grid_iq3_s();  // 512
// Coordinates 0..2 are -1, 0, 1.
std::span<const std::uint16_t> grid_iq1();  // 2048

}  // namespace loupe
