// SPDX-License-Identifier: Apache-2.0
#pragma once
// report: what the window's program draws, which stands beside this one.

#include "app/cli/options.h"

namespace loupe::cli {

// Executes `tensorloupe report` with these arguments of the process in place of this program. Throws Error (Usage)
// where there is no such program.
int run_report(const ReportArguments& options, char** arguments);

}  // namespace loupe::cli
