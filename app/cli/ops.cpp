// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "app/cli/commands.h"
#include "core/session/operator_info.h"
#include "core/session/session.h"

namespace loupe::cli {

int run_ops(const std::string& missing_in) {
    if (missing_in.empty()) {
        for (const auto& op : session::list_operators()) std::printf("%s\n", op.schema.c_str());
        return 0;
    }
    const auto program = session::Program::open(missing_in);
    for (const std::string& line : program->missing_operators()) std::printf("%s\n", line.c_str());
    return 0;
}

}  // namespace loupe::cli
