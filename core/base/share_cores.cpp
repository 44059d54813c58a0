// SPDX-License-Identifier: Apache-2.0
#include "core/base/share_cores.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

namespace loupe {
namespace {

// With more there is one for the window whatever the engine does.
constexpr unsigned kFewCores = 4;
// Turns at a barrier; libgomp's own are 300,000. Fewer than 1,000 and short regions pay for waking threads.
constexpr const char* kTurns = "3000";

}  // namespace

void share_cores(char** arguments) {
    const bool is_said = std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr;
    if (is_said || std::thread::hardware_concurrency() > kFewCores) return;
    std::error_code failure;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
    if (failure || setenv("GOMP_SPINCOUNT", kTurns, 0) != 0) return;
    execv(program.c_str(), arguments);  // comes back only when it fails: then waiting is as it was
}

}  // namespace loupe
