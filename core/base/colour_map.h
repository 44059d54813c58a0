// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a number to a colour. All maps are colour-blind safe, and monotonous in grey, except for the diverging one,
// whose middle is lightest.

#include <cstdint>

namespace loupe {

enum class ColourMap { Viridis, Cividis, Diverging, Grey };
inline constexpr int kColourMaps = 4;

// 0xffrrggbb. t in [0, 1]; outside is clamped. A NaN gives magenta.
std::uint32_t colour_at(ColourMap map, double t);

}  // namespace loupe
