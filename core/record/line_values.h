// SPDX-License-Identifier: Apache-2.0
#pragma once
// What lines of a model source gave names, in the functions under way: short texts, no values are held.

#include <functional>
#include <string>
#include <vector>

#include "core/formats/eager_model.h"
#include "core/record/frame_values.h"
#include "core/record/recording.h"

namespace loupe::session {

class LineValues {
  public:
    // find: the recorded value that a tensor is now; 0 when there is none.
    void note(const EagerModel::Statement& statement, const std::function<ValueId(const Tensor&)>& find);
    // The innermost function first; tensors with the statistics that the recording has of them.
    std::vector<FrameValues> frames(const Recording& recording) const;

  private:
    struct Call {
        std::size_t depth = 0;
        FrameValues values;
    };
    std::vector<Call> calls_;
};

// "float32 2x64x8x8, -1.2 to 3.4", "[1, 2, 3]", "Linear": one short line; of a recorded tensor with its statistics.
std::string short_text(const IValue& value);
std::string short_text(const Value& recorded);

}  // namespace loupe::session
