// SPDX-License-Identifier: Apache-2.0
#pragma once
// What of a run fell back to the CPU.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace loupe::session {

class Recording;

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
