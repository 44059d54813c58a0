// SPDX-License-Identifier: Apache-2.0
#pragma once
// Traces of PyTorch's profiler (torch.profiler, export_chrome_trace): Chrome's trace events as JSON, also compressed
// with gzip. Other programs' traces of that format are read too.

#include <span>

#include "core/base/file.h"
#include "core/formats/profiler/profile_trace.h"

namespace loupe {

// By its first bytes only; of a compressed file, by what they hold.
bool is_profile_trace(std::span<const std::byte> bytes);

// Events that are none are left out, and counted in the notes; so is what a file that was cut off lacks. Throws Error
// (File) for a file without events, Error (Cancelled).
ProfileTrace read_profile_trace(const Ptr<MappedFile>& file);

}  // namespace loupe
