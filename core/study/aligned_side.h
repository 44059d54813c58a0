// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is aligned, and what the user says of it.

#include <string>

#include "core/base/fields.h"
#include "core/model/model_info.h"
#include "core/record/recording.h"

namespace loupe::session {

// What the user says of the alignment. Names are those of event_place() or module paths.
struct AlignmentMend {
    // Module: with all below it. Apart: the event `here` (or, where it is empty, `there`) has no partner.
    enum class Kind : std::uint8_t { Event, Module, Apart } kind = Kind::Event;
    std::string here;
    std::string there;
    bool operator==(const AlignmentMend&) const = default;
};
constexpr AlignmentMend::Kind last_of(AlignmentMend::Kind) { return AlignmentMend::Kind::Apart; }
auto fields(Like<AlignmentMend> auto& it) { return std::tie(it.kind, it.here, it.there); }

// Two runs with what is known of their models; model may be null.
struct AlignedSide {
    const Recording& recording;
    const ModelInfo* model = nullptr;
};

}  // namespace loupe::session
