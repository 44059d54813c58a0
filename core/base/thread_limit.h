// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// More threads for kernels than this are refused: they only wait for each other. At least 64, and four a core.
int most_threads();

}  // namespace loupe
