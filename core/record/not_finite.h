// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where NaN and Inf come from: what each event has to do with those in its outputs, and the way back from one to the
// event that made it, over both phases.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/said.h"
#include "core/record/recording.h"

namespace loupe::session {

// What tensors hold besides finite numbers.
struct Holding {
    bool has_nan = false;
    bool has_inf = false;
    bool is_meant = true;  // all Inf among it are constants of the program

    bool is_finite() const { return !has_nan && !has_inf; }
    void add(const Holding& other);
};

// Of an element-wise operator.
struct ElementFlow {
    bool makes = false;  // some element is not finite though all that it is computed from are
    bool turns = false;  // some NaN is computed from an Inf and from no NaN
};

// What went into an event and what came out.
struct NumberFlow {
    Holding in = {};  // of all tensors read, in backward with those saved in forward
    Holding out = {};
    bool has_infinite_constant = false;  // among the arguments that are no tensors
    bool has_nan_constant = false;
    std::optional<ElementFlow> elements = {};  // where the elements were looked at
};
NotFinite classify(const NumberFlow& flow);
// The same from what a recording has of an event, for those that were written without it: as good as its statistics.
NotFinite classify_recorded(const Recording& recording, const Event& event);
// "-inf" and "[0, inf]" of "value=-inf" and "size=[0, inf]", for `word` "inf".
bool names_constant(const Event& event, std::string_view word);

// A step on the way back: the event, and the value that is not finite which it made. Event 0: the value was there
// before the run.
struct OriginStep {
    EventId event = 0;
    ValueId value = 0;
};
// The value that the way begins with: of the event's outputs, of an event without outputs of what it reads; 0 when all
// are finite.
ValueId first_of_way(const Recording& recording, EventId from);
// The way from an event whose outputs are not finite (or, where it has none, what it reads) to the one that made them.
// The first step is `from`, the last the origin. From a turned event it leads on to where its Inf was made. Empty when
// all is finite.
std::vector<OriginStep> trace_origin(const Recording& recording, EventId from);
// "#14 AddmmBackward0 in head <- #12 SqrtBackward0 in length (made here)".
Said origin_text(const Recording& recording, const std::vector<OriginStep>& way);

// Made before turned, passed on, meant.
inline bool is_graver(NotFinite a, NotFinite b) { return a != NotFinite::None && (b == NotFinite::None || a < b); }

// "conv2d" of "aten::conv2d".
std::string_view short_operator_name(std::string_view op);
// The first output of an event that is not finite; 0.
ValueId bad_output(const Recording& recording, const Event& event);
bool is_bad(const Value& value);

}  // namespace loupe::session
