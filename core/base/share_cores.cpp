// SPDX-License-Identifier: Apache-2.0
#include "core/base/share_cores.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <system_error>
#include <thread>

namespace loupe {
namespace {

constexpr unsigned kFewCores = 4;
// Spins at a barrier; libgomp's default is 300,000. Below 1,000 short regions pay for waking threads, and many threads
// take longer to wake.
constexpr const char* kTurns = "3000";
constexpr const char* kTurnsOfMany = "30000";

struct Setting {
    const char* name;
    const char* value;
};

// Libraries read the environment when loaded, before main(): the program executes itself again.
void start_with(std::initializer_list<Setting> settings, char** arguments) {
    bool is_new = false;
    for (const Setting& setting : settings) {
        if (std::getenv(setting.name) != nullptr) continue;
        if (setenv(setting.name, setting.value, 0) != 0) return;
        is_new = true;
    }
    if (!is_new) return;
    std::error_code failure;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
    if (!failure) execv(program.c_str(), arguments);  // returns only on failure: then waiting stays as it was
}

constexpr Setting kOneBlasThread{"OPENBLAS_NUM_THREADS", "1"};

}  // namespace

void share_cores(char** arguments) {
    const bool is_said = std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr;
    const bool are_many = std::thread::hardware_concurrency() > kFewCores;
    if (is_said)
        start_with({kOneBlasThread}, arguments);
    else
        start_with({kOneBlasThread, {"GOMP_SPINCOUNT", are_many ? kTurnsOfMany : kTurns}}, arguments);
}

}  // namespace loupe
