// SPDX-License-Identifier: Apache-2.0
#pragma once
// Each operator of a run computed again on another device, alone and from the same inputs: a kernel that is wrong is
// found where it is, and what it passes on is held against nobody.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/said.h"
#include "core/study/difference.h"
#include "core/study/recorded_call.h"

namespace loupe::session {

struct OperatorOnDevice {
    EventId event = 0;
    std::string_view op;  // the recording's
    std::string_view scope;
    std::optional<Difference> output;    // of the output that differs most
    std::optional<Difference> gradient;  // of the input's gradient that differs most, for cotangents of ones
    std::string gradient_of;             // "weight"
    std::string why;                     // why it was not computed, or how it failed
    bool fell_back = false;              // it has no kernel there: the CPU computed it
    bool differs = false;

    // "max abs 2.5e-01, relative 3.1e+00, 12.1 dB"; with the gradient where that is what differs.
    Said text() const;
};

struct DeviceCheck {
    std::string device;  // "cuda:0"
    std::vector<OperatorOnDevice> operators;
    std::size_t compared = 0, differing = 0, fallbacks = 0;

    const OperatorOnDevice* first() const;  // that differs
    // "each of 12 operators gives on cuda:0 what it gives on the CPU", or the first that does not.
    Said headline() const;
};

// The forward events of a run on the CPU whose values were kept. Two results differ where they are further apart than
// their dtype allows and the device's is also further from what float64 gives than four times the CPU's: sums in
// another order are not errors. Throws Error (Cancelled).
DeviceCheck check_device(const Recording& recording, const ElementsOf& elements, Device device);

}  // namespace loupe::session
