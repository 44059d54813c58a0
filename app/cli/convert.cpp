// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/written_files.h"
#include "core/model/convert.h"

namespace loupe::cli {

int run_convert(const RunArguments& options, const std::string& out) {
    check_written_files({{"OUT", out}}, read_files(options));
    const auto open = [&] {
        RunArguments opening = options;
        opening.written.push_back(out);
        auto program = open_program(opening);
        if (program) trace_program(*program, options);
        return program;
    };
    const std::string words = session::convert(options.model, out, open, options.pipeline);
    if (!words.empty()) std::printf("%s: %s\n", out.c_str(), words.c_str());
    return 0;
}

}  // namespace loupe::cli
