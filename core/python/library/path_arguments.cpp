// SPDX-License-Identifier: Apache-2.0
#include "core/python/library/path_arguments.h"

#include "core/python/language/raise.h"
#include "core/python/language/stream.h"

namespace loupe::python {

std::string path_argument(const CallArguments& a, std::size_t index) {
    if (index >= a.positional.size()) return ".";
    std::string path = path_text(a.positional[index]);
    if (path.find('\0') != std::string::npos) throw_value_error("embedded null byte");
    return path;
}

FileFacts facts_at(const CallArguments& a) {
    return with_files([&](FileSandbox& files) { return files.facts(path_argument(a)); });
}

double modified(const FileFacts& facts) {
    return static_cast<double>(facts.modified_seconds) + static_cast<double>(facts.modified_nanoseconds) * 1e-9;
}

}  // namespace loupe::python
