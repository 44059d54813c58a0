// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variables of a model source that runs, as values.

#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/record/recording.h"

namespace loupe::session {

// What a line of a model source gave a name when it ran last: "x" of `x = self.conv(x)`, and of a def its arguments.
struct LineValue {
    int line = 0;
    std::string name;   // "x", "self.hidden"
    std::string text;   // "float32 2x64x8x8, -1.2 to 3.4", "3", "'mean'"
    ValueId value = 0;  // of a tensor that was recorded
};
auto fields(Like<LineValue> auto& it) { return std::tie(it.line, it.name, it.text, it.value); }
// A function of the model source that is under way.
struct FrameValues {
    std::string function;           // "Net.forward"
    SourcePlace source;             // of the statement that is about to run or runs
    std::vector<LineValue> values;  // in the order in which they were given
};
auto fields(Like<FrameValues> auto& it) { return std::tie(it.function, it.source, it.values); }

}  // namespace loupe::session
