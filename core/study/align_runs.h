// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which events, modules and parameters of two runs are the same: by name, structure and shape.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/aligned_side.h"

namespace loupe::session {

struct RunAlignment {
    std::vector<EventId> there;                     // by own event, the first at 0: its partner; 0: it has none
    std::vector<EventId> here;                      // by the other's event likewise
    std::map<std::string, std::string> modules;     // own path -> the other's
    std::map<std::string, std::string> parameters;  // own name -> the other's; buffers too

    EventId partner(EventId own) const { return own != 0 && own <= there.size() ? there[own - 1] : 0; }
    EventId own_of(EventId other) const { return other != 0 && other <= here.size() ? here[other - 1] : 0; }
};

// Operator + module + shape first, then what the gaps between allow: module + shape (an operator that was converted
// or fused), operator + shape (a module that was renamed), operator + module (another shape). Backward events follow
// their forward events. An event of arrays_recording() stands for the last operator of its module's call.
RunAlignment align_runs(const AlignedSide& own, const AlignedSide& other, const std::vector<AlignmentMend>& mends = {});

// Of operators that PyTorch calls "aten::relu_", "relu" and "Relu".
bool is_same_operator(std::string_view a, std::string_view b);

// "forward layer1.0.relu aten::relu_ 2": the second of that operator in that module; the same in every run of a model.
std::string event_place(const Recording& recording, EventId event);
// Places of all events, by event, the first at 0.
std::vector<std::string> event_places(const Recording& recording);

// What an event of arrays_recording() is called.
inline constexpr std::string_view kReferenceArray = "reference";

}  // namespace loupe::session
