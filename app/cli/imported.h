// SPDX-License-Identifier: Apache-2.0
#pragma once
// Traces of PyTorch's profiler and memory snapshots of its allocator: `info` and `compare`.

#include <string>
#include <vector>

namespace loupe::cli {

// False: the file is neither.
bool print_imported(const std::string& path);

// Two traces, a recorded run and a trace, or two snapshots: prints what they differ in. False: they are none of these.
// Throws Error (Usage) for a trace and a snapshot.
bool compare_imported(const std::string& here, const std::vector<std::string>& others, bool as_json);

}  // namespace loupe::cli
