// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "core/session/convert.h"

namespace loupe::cli {

int run_convert(const std::string& model, const std::string& out) {
    session::convert(model, out);
    return 0;
}

}  // namespace loupe::cli
