// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/record/recording.h"

namespace loupe::session {

// The events as Chrome's trace format, which Perfetto reads too: frames and operators on the engine's thread, pieces
// of parallel loops on others, work of devices on a row each with links from its launches, a memory counter.
// Written whole or not at all; throws Error (File).
void write_chrome_trace(const Recording& recording, const std::filesystem::path& file);

}  // namespace loupe::session
