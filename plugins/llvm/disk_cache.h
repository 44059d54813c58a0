// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compiled kernels as files, in $XDG_CACHE_HOME/tensorloupe/kernels, by what they were made of: at most 64 MB, or as
// many as TENSORLOUPE_KERNEL_CACHE_MB says; those used longest ago go first. Files come into being whole, so several
// processes may share the folder. A file that is damaged, or another's, is as good as none, and a warning is given.

#include <optional>
#include <string>

namespace loupe::llvm_fuser {

std::optional<std::string> read_cached(const std::string& key);
// A folder that cannot be written costs nothing but the time that the file would save.
void write_cached(const std::string& key, const std::string& object);

}  // namespace loupe::llvm_fuser
