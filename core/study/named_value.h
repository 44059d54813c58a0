// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of a recording by what a user calls them: "fc.weight", "%x.3", "layer1.0.conv1.out", "fc.weight.grad".

#include <optional>
#include <string>
#include <string_view>

#include "core/record/recording.h"

namespace loupe::session {

struct NamedValue {
    std::string subject;  // of a value, or a module's path
    bool is_input = false;
    bool is_output = false;
    bool is_gradient = false;
    std::size_t index = 0;  // of a module's outputs or inputs
};
// Takes ".grad", ".out" and ".in" off the end.
NamedValue parse_named_value(std::string text);
// The last of that name, or of the module's last call, that was there at the event.
std::optional<ValueId> find_value(const Recording& recording, const NamedValue& named, EventId at);

// "fc.out[0, 3]": a value and an index into it.
struct NamedElement {
    std::string value;
    Shape index;
};
// Throws Error (Usage).
NamedElement parse_named_element(std::string_view text);

}  // namespace loupe::session
