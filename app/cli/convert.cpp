// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "core/session/convert.h"

namespace loupe::cli {

int run_convert(const RunArguments& options, const std::string& out) {
    session::convert(options.model, out, [&] {
        auto program = open_program(options);
        if (program) trace_program(*program, options);
        return program;
    });
    return 0;
}

}  // namespace loupe::cli
