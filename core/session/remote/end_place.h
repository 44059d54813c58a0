// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an engine far away computed when it ended, as a line that the command which reaches it says on stderr.

#include <optional>
#include <string>
#include <string_view>

#include "core/record/running_place.h"

namespace loupe::session {

std::string end_place_line(const RunningPlace::Facts& place);
// nullopt: it is another line.
std::optional<RunningPlace::Facts> read_end_place(std::string_view line);

}  // namespace loupe::session
