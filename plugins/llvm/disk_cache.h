// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compiled kernels as files, in $XDG_CACHE_HOME/tensorloupe/kernels, by what they were made of. A file that is damaged,
// or another's, is as good as none.

#include <optional>
#include <string>

namespace loupe::llvm_fuser {

std::optional<std::string> read_cached(const std::string& key);
// A folder that cannot be written costs nothing but the time that the file would save.
void write_cached(const std::string& key, const std::string& object);

}  // namespace loupe::llvm_fuser
