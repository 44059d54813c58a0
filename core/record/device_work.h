// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a run did on devices other than the CPU, and what fell back to the CPU.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.h"

namespace loupe::session {

class Recording;

// Of an event, beside its own time.
struct DeviceWork {
    std::string_view device;        // "cuda:0"; empty: the CPU
    double launch = 0;              // seconds that the host took to give the work; the event's duration is the device's
    bool fell_back = false;         // an operator in it has no kernel there, and ran on copies on the CPU
    std::int64_t copied_bytes = 0;  // there and back
    double copy_seconds = 0;

    // "test:0, ran on the CPU: 1.2 KB copied in 31 µs"; empty for the CPU.
    std::string text() const;
};
auto fields(Like<DeviceWork> auto& it) {
    return std::tie(it.device, it.launch, it.fell_back, it.copied_bytes, it.copy_seconds);
}

// The operators of a run without a kernel on their device: those that are still to be written.
struct Fallback {
    std::string op;
    std::string device;
    std::size_t events = 0;
    std::int64_t copied_bytes = 0;
    double copy_seconds = 0;

    std::string text() const;
};
// Those whose copies took longest first.
std::vector<Fallback> fallbacks_of(const Recording& recording);

}  // namespace loupe::session
