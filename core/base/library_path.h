// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whose a source file is, by its path: the user's, or a library's.

#include <string_view>

namespace loupe {

// Does the path name code that came with Python or a library, as in ".../dist-packages/torch/nn/modules/conv.py",
// "/usr/lib/python3.11/threading.py" or "torch/nn/functional.py"? Other original lines are the user's.
bool is_library_path(std::string_view path);

}  // namespace loupe
