// SPDX-License-Identifier: Apache-2.0
#include "core/ops/numbers/slice.h"

#include <algorithm>

#include "core/base/error.h"

namespace loupe::numbers {

SliceRange slice_range(std::span<const IValue> bounds, std::int64_t size) {
    SliceRange range;
    range.step = bounds[2].to_int();
    if (range.step == 0) throw Error(ErrorKind::Run, "List slice should have non-zero step");
    const bool forward = range.step > 0;
    const std::int64_t lowest = forward ? 0 : -1;
    const std::int64_t highest = forward ? size : size - 1;
    const auto bound = [&](const IValue& given, std::int64_t otherwise) {
        if (given.is_none()) return otherwise;
        const std::int64_t index = given.to_int();
        return std::clamp(index < 0 ? index + size : index, lowest, highest);
    };
    range.start = bound(bounds[0], forward ? lowest : highest);
    const std::int64_t end = bound(bounds[1], forward ? highest : lowest);
    const std::int64_t distance = forward ? end - range.start : range.start - end;
    // Sizes are small: a step past them all takes one element.
    const std::int64_t stride = forward ? range.step : -std::max(range.step, -size - 1);
    range.length = distance <= 0 ? 0 : (distance - 1) / stride + 1;
    return range;
}

}  // namespace loupe::numbers
