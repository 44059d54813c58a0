// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compiled kernels of all backends as files, in $XDG_CACHE_HOME/tensorloupe/kernels, by content: at most 64 MB, or
// TENSORLOUPE_KERNEL_CACHE_MB; the least recently used are removed first. Files are created atomically, so several
// processes may share the folder. A file that is damaged, or another's, is ignored with a warning.

#include <optional>
#include <string>

namespace loupe::runtime {

// key: all that the code hangs on: source, compiler, options, machine.
std::optional<std::string> read_kernel_file(const std::string& key);
// Without a writable folder kernels are compiled each time.
void write_kernel_file(const std::string& key, const std::string& object);

}  // namespace loupe::runtime
