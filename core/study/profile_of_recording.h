// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recorded run as a trace, so that what is asked of a profiler's trace can be asked of it: operators and module calls
// on a track for each phase, memory as a counter; of work on a device its launch there, and what the device did on a
// track of its own.

#include <string_view>

#include "core/formats/profiler/profile_trace.h"
#include "core/record/recording.h"

namespace loupe::session {

inline constexpr std::string_view kOperatorCategory = "operator";
inline constexpr std::string_view kModuleCategory = "module";
// As PyTorch's profiler calls them.
inline constexpr std::string_view kDeviceCategory = "kernel";
inline constexpr std::string_view kLaunchLink = "ac2g";

// The first events of the recording, up to that many. Set-up of kernels is no part of an operator's time.
ProfileTrace profile_of_recording(const Recording& recording, std::size_t event_count);

}  // namespace loupe::session
