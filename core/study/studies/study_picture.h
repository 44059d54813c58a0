// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results of studies as pictures: the same in the window and in files.

#include <optional>

#include "core/study/studies/study.h"

namespace loupe::session {

// The magnitude that has the strongest colour: the 99.5th percentile, so that a few elements do not hide the others.
double full_colour_of(const StudyMap& map);
// strength: of the colours over what lies under; 0: only that, 1: only the map.
StudyPicture picture_of(const StudyMap& map, double strength = 0.65);
StudyPicture picture_of(const StudyTiles& tiles, const StudyTiles::Tile& tile);
// Whole pixels as squares, so that no side is shorter than that.
StudyPicture enlarged(const StudyPicture& picture, std::int64_t least);
// Of the first map, else of all tiles side by side; nothing where a result has neither.
std::optional<StudyPicture> picture_of(const StudyResult& result);

}  // namespace loupe::session
