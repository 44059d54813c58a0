// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "app/cli/commands.h"
#include "core/session/convert.h"

namespace loupe::cli {

int run_convert(const RunArguments& options, const std::string& out) {
    const auto open = [&] {
        auto program = open_program(options);
        if (program) trace_program(*program, options);
        return program;
    };
    const std::string words = session::convert(options.model, out, open, options.pipeline);
    if (!words.empty()) std::printf("%s: %s\n", out.c_str(), words.c_str());
    return 0;
}

}  // namespace loupe::cli
