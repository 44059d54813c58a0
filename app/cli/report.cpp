// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::cli {

int run_report(const ReportArguments& options, char** arguments) {
    std::error_code failure;
    const auto own = std::filesystem::read_symlink("/proc/self/exe", failure);
    const auto program = own.parent_path() / "tensorloupe";
    if (failure || !std::filesystem::exists(program, failure))
        throw Error(ErrorKind::Usage, "a report is drawn by the window's program, which is not installed",
                    {.file = options.compared.run.model, .hint = concat("install tensorloupe beside ", own.string())});
    std::string name = program.string();
    arguments[0] = name.data();
    execv(name.c_str(), arguments);  // returns only on failure
    throw Error(ErrorKind::Usage, concat("cannot be started: ", std::strerror(errno)), {.file = name});
}

}  // namespace loupe::cli
