// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "core/record/chrome_trace.h"

namespace loupe::cli {

void write_trace(const session::Recording& recording, const std::string& file) {
    session::write_chrome_trace(recording, file);
}

}  // namespace loupe::cli
