// SPDX-License-Identifier: Apache-2.0
#pragma once
// The .debug_pkl beside each source file of an archive: which stretch of the generated code came from which place in
// the user's own source.

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/source.h"

namespace loupe {

// Both forms, the one with a table of lines (from PyTorch 1.10 on) and the one before it. Ranges of one source share
// it. Throws Error (File) when damaged.
std::vector<ir::GeneratedFrom> parse_debug_records(std::string_view pickle);
// The form with a table of lines, for a file with these places, which are by offset.
std::string write_debug_records(const std::vector<ir::GeneratedFrom>& places);

}  // namespace loupe
