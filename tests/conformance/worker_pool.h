// SPDX-License-Identifier: Apache-2.0
#pragma once
// Work in child processes, so that a crash or a hang costs one piece of it and not the run.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace loupe::conformance {

// Runs job(0) ... job(count - 1) in `workers` forked processes; each result is one text. A job that kills its process
// or takes longer than the limit gives the text of `lost` for its reason ("crashed: Segmentation fault", "took over 60
// s"). Call it before the program starts threads.
std::vector<std::string> run_in_workers(std::size_t count, std::size_t workers, int limit_seconds,
                                        const std::function<std::string(std::size_t)>& job,
                                        const std::function<std::string(std::size_t, const std::string&)>& lost);

}  // namespace loupe::conformance
