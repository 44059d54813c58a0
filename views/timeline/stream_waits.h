// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a device's stream waited for where it did nothing.

#include <string_view>

#include "core/record/recording.h"

namespace loupe::views {

struct StreamWait {
    enum class For {
        Host,     // had not given it more; the event is what the host did meanwhile
        Copy,     // of another stream
        Stream,   // an event of another stream
        Unknown,  // it had work, and nothing that is recorded held it
    };
    double from = 0;  // seconds
    double to = 0;
    For what = For::Unknown;
    session::EventId event = 0;  // 0: none

    double seconds() const { return to - from; }
};

// Does the operator move memory, rather than compute?
bool isCopy(std::string_view op);

}  // namespace loupe::views
