// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an event did on a device other than the CPU.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace loupe::session {

// Of an event, beside its own time.
struct DeviceWork {
    std::string_view device;        // "cuda:0"; empty: the CPU
    double launch = 0;              // seconds that the host took to give the work; the event's duration is the device's
    bool fell_back = false;         // an operator in it has no kernel there, and ran on copies on the CPU
    std::int64_t copied_bytes = 0;  // there and back
    double copy_seconds = 0;
    // When the host gave it, seconds since the run began; the event's start is the device's. 0: as the event's start.
    double given = 0;

    // "test:0, ran on the CPU: 1.2 KB copied in 31 µs"; empty for the CPU.
    std::string text() const;
};
auto fields(Like<DeviceWork> auto& it) {
    return std::tie(it.device, it.launch, it.fell_back, it.copied_bytes, it.copy_seconds, it.given);
}

}  // namespace loupe::session
