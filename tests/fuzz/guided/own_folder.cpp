// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/guided/own_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/restricted_thread.h"

namespace loupe::fuzz {

namespace fs = std::filesystem;

OwnFolder::OwnFolder(const fs::path& also) {
    std::string name = (fs::temp_directory_path() / "loupe-guided-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
    std::vector<fs::path> writable{path_, "/dev"};
    if (!also.empty()) writable.push_back(also);
    fs::current_path(path_);
    ::setenv("TMPDIR", path_.c_str(), 1);
    restrict_writes(writable);
}

OwnFolder::~OwnFolder() {
    std::error_code ignored;
    fs::current_path("/", ignored);
    fs::remove_all(path_, ignored);
}

}  // namespace loupe::fuzz
