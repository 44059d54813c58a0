// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opens files from an open folder that permits them, where another process may change meanwhile what a path means.

#include <string>

namespace loupe {

// Opens a path of a folder that leads out of it nowhere: relative, without "..", through no link. Returns -1 with
// errno.
int open_beneath(int folder, const std::string& relative, int flags, unsigned mode = 0666);
// The same part by part, for kernels and containers without openat2.
int walk_beneath(int folder, const std::string& relative, int flags, unsigned mode = 0666);

}  // namespace loupe
