// SPDX-License-Identifier: Apache-2.0
#include "core/python/library/path_arguments.h"

#include "core/python/language/stream.h"

namespace loupe::python {

std::string path_argument(const CallArguments& a, std::size_t index) {
    if (index >= a.positional.size()) return ".";
    return path_text(a.positional[index]);
}

FileFacts facts_at(const CallArguments& a) {
    return with_files([&](FileSandbox& files) { return files.facts(path_argument(a)); });
}

double modified(const FileFacts& facts) {
    return static_cast<double>(facts.modified_seconds) + static_cast<double>(facts.modified_nanoseconds) * 1e-9;
}

}  // namespace loupe::python
