// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/study_picture.h"

#include <algorithm>
#include <cmath>

#include "core/base/colour_map.h"

namespace loupe::session {
namespace {

constexpr double kPercentile = 0.995;
constexpr std::int64_t kLeastSide = 224;  // of a picture in a file
constexpr std::int64_t kLeastTile = 64;
constexpr std::int64_t kGap = 2;
constexpr std::uint8_t kPaper = 255;

void set(StudyPicture& picture, std::int64_t place, std::uint32_t colour) {
    std::uint8_t* to = picture.rgb.data() + place * 3;
    for (int c = 0; c < 3; ++c) to[c] = static_cast<std::uint8_t>(colour >> (16 - 8 * c) & 0xff);
}

StudyPicture blank(std::int64_t rows, std::int64_t columns) {
    return {rows, columns, std::vector<std::uint8_t>(static_cast<std::size_t>(rows * columns * 3), kPaper)};
}

void copy(const StudyPicture& from, StudyPicture& to, std::int64_t row, std::int64_t column) {
    for (std::int64_t i = 0; i < from.rows; ++i)
        std::copy_n(from.rgb.data() + i * from.columns * 3, from.columns * 3,
                    to.rgb.data() + ((row + i) * to.columns + column) * 3);
}

// Its own colours would be taken for the map's. share: 1: no colour is left.
StudyPicture greyed(const StudyPicture& picture, double share) {
    StudyPicture out = picture;
    for (std::size_t i = 0; i + 2 < out.rgb.size(); i += 3) {
        const double grey = 0.299 * picture.rgb[i] + 0.587 * picture.rgb[i + 1] + 0.114 * picture.rgb[i + 2];
        for (std::size_t c = 0; c < 3; ++c)
            out.rgb[i + c] = static_cast<std::uint8_t>(
                std::lround(picture.rgb[i + c] + (grey - static_cast<double>(picture.rgb[i + c])) * share));
    }
    return out;
}

StudyPicture contact_sheet(const StudyTiles& tiles) {
    const auto count = std::ssize(tiles.tiles);
    const auto across = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    const std::int64_t down = (count + across - 1) / across;
    const StudyPicture first = enlarged(picture_of(tiles, tiles.tiles.front()), kLeastTile);
    StudyPicture sheet = blank(down * (first.rows + kGap) - kGap, across * (first.columns + kGap) - kGap);
    for (std::int64_t i = 0; i < count; ++i)
        copy(enlarged(picture_of(tiles, tiles.tiles[static_cast<std::size_t>(i)]), kLeastTile), sheet,
             i / across * (first.rows + kGap), i % across * (first.columns + kGap));
    return sheet;
}

}  // namespace

double full_colour_of(const StudyMap& map) {
    std::vector<float> sizes;
    for (const float value : map.values)
        if (std::isfinite(value)) sizes.push_back(std::abs(value));
    if (sizes.empty()) return 0;
    const auto place = static_cast<std::ptrdiff_t>(kPercentile * static_cast<double>(sizes.size() - 1));
    std::nth_element(sizes.begin(), sizes.begin() + place, sizes.end());
    const float full = sizes[static_cast<std::size_t>(place)];
    return static_cast<double>(full > 0 ? full : *std::max_element(sizes.begin(), sizes.end()));
}

StudyPicture picture_of(const StudyMap& map, double strength) {
    const double full = full_colour_of(map);
    const bool has_under = map.under.rgb.size() == map.values.size() * 3;
    StudyPicture out = has_under ? greyed(map.under, std::min(1.0, 2 * strength)) : blank(map.rows, map.columns);
    for (std::size_t i = 0; i < map.values.size(); ++i) {
        const double share = full > 0 ? static_cast<double>(map.values[i]) / full : static_cast<double>(map.values[i]);
        const std::uint32_t colour =
            map.is_signed ? colour_at(ColourMap::Diverging, (share + 1) / 2) : colour_at(ColourMap::Viridis, share);
        // What is near zero lets the picture through.
        const double seen = std::isnan(share) ? 1 : std::sqrt(std::clamp(std::abs(share), 0.0, 1.0));
        const double part = !has_under || strength >= 1 ? 1 : strength * (0.25 + 0.75 * seen);
        for (std::size_t c = 0; c < 3; ++c) {
            const auto over = static_cast<double>(colour >> (16 - 8 * c) & 0xff);
            const auto below = static_cast<double>(out.rgb[i * 3 + c]);
            out.rgb[i * 3 + c] = static_cast<std::uint8_t>(std::lround(below + (over - below) * part));
        }
    }
    return out;
}

StudyPicture picture_of(const StudyTiles& tiles, const StudyTiles::Tile& tile) {
    StudyPicture out = blank(tiles.rows, tiles.columns);
    const double range = tile.high - tile.low;
    for (std::size_t i = 0; i < tile.values.size(); ++i) {
        const double share = range > 0 ? (static_cast<double>(tile.values[i]) - tile.low) / range
                                       : static_cast<double>(tile.values[i]) * 0;
        set(out, static_cast<std::int64_t>(i),
            colour_at(tiles.is_signed ? ColourMap::Diverging : ColourMap::Viridis, share));
    }
    return out;
}

StudyPicture enlarged(const StudyPicture& picture, std::int64_t least) {
    const std::int64_t shorter = std::min(picture.rows, picture.columns);
    const std::int64_t longer = std::max(picture.rows, picture.columns);
    if (shorter <= 0 || shorter >= least || longer >= least * 4) return picture;
    const std::int64_t factor =
        std::max<std::int64_t>(1, std::min((least + shorter - 1) / shorter, least * 4 / longer));
    StudyPicture out = blank(picture.rows * factor, picture.columns * factor);
    for (std::int64_t i = 0; i < out.rows; ++i)
        for (std::int64_t j = 0; j < out.columns; ++j)
            std::copy_n(picture.rgb.data() + (i / factor * picture.columns + j / factor) * 3, 3,
                        out.rgb.data() + (i * out.columns + j) * 3);
    return out;
}

std::optional<StudyPicture> picture_of(const StudyResult& result) {
    if (!result.maps.empty() && !result.maps.front().values.empty())
        return enlarged(picture_of(result.maps.front()), kLeastSide);
    if (!result.tiles.empty() && !result.tiles.front().tiles.empty()) return contact_sheet(result.tiles.front());
    return std::nullopt;
}

}  // namespace loupe::session
