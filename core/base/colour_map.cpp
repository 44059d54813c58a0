// SPDX-License-Identifier: Apache-2.0
#include "core/base/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace loupe {
namespace {

constexpr std::array<std::uint32_t, 11> kViridis{0xff440154, 0xff482475, 0xff414487, 0xff355f8d, 0xff2a788e, 0xff21918c,
                                                 0xff22a884, 0xff44bf70, 0xff7ad151, 0xffbddf26, 0xfffde725};
constexpr std::array<std::uint32_t, 10> kCividis{0xff00224e, 0xff123570, 0xff3b496c, 0xff575d6d, 0xff707173,
                                                 0xff8a8678, 0xffa59c74, 0xffc3b369, 0xffe1cc55, 0xfffee838};
constexpr std::array<std::uint32_t, 9> kDiverging{0xff2166ac, 0xff4393c3, 0xff92c5de, 0xffd1e5f0, 0xfff7f7f7,
                                                  0xfffddbc7, 0xfff4a582, 0xffd6604d, 0xffb2182b};
constexpr std::array<std::uint32_t, 2> kGrey{0xff000000, 0xffffffff};

std::span<const std::uint32_t> stops(ColourMap map) {
    switch (map) {
        case ColourMap::Viridis:
            return kViridis;
        case ColourMap::Cividis:
            return kCividis;
        case ColourMap::Diverging:
            return kDiverging;
        case ColourMap::Grey:
            break;
    }
    return kGrey;
}

}  // namespace

std::uint32_t colour_at(ColourMap map, double t) {
    if (std::isnan(t)) return 0xffff00ff;
    const auto colours = stops(map);
    const double place = std::clamp(t, 0.0, 1.0) * static_cast<double>(colours.size() - 1);
    const auto index = std::min(static_cast<std::size_t>(place), colours.size() - 2);
    const double part = place - static_cast<double>(index);
    std::uint32_t out = 0xff000000;
    for (const int shift : {0, 8, 16}) {
        const auto a = static_cast<double>(colours[index] >> shift & 0xff);
        const auto b = static_cast<double>(colours[index + 1] >> shift & 0xff);
        out |= static_cast<std::uint32_t>(std::lround(a + (b - a) * part)) << shift;
    }
    return out;
}

}  // namespace loupe
