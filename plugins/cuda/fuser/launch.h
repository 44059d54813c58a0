// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arguments and the number of blocks of a fused kernel's launches.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugins/cuda/fuser/source.h"

namespace loupe::cuda {

struct FusedLaunch {
    std::string function;  // "fused_loop", "add_sums0"
    std::vector<std::int64_t> words;
    unsigned blocks = 1;
    unsigned threads = 256;  // along x
    unsigned lanes = 1;      // along y
};

// Do the arrays begin where the source's widest reads and writes may?
bool fits_width(const FusedSource& source, const runtime::FusedSpace& space, std::span<std::byte* const> arrays);
// Memory of the device for what teams add up.
std::size_t scratch_bytes(const FusedSource& source, const runtime::FusedSpace& space);
// In the order in which they run.
std::vector<FusedLaunch> launches_of(const FusedSource& source, const runtime::FusedSpace& space,
                                     std::span<std::byte* const> arrays, std::byte* scratch);

}  // namespace loupe::cuda
