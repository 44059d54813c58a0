// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe::cli {

// From now on what stdout and stderr are given reaches the terminal without characters that command it: names in files
// and texts of programs may hold any. They are shown as '?'; line ends, tabs and carriage returns stay.
void keep_output_plain();

}  // namespace loupe::cli
