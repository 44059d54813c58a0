// SPDX-License-Identifier: Apache-2.0
// loupe_guided_NAME PATH...: tries inputs that were kept, files or folders of them.
// loupe_guided_NAME --seeds FOLDER: writes what a run begins with.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "tests/fuzz/guided/guided.h"
#include "tests/fuzz/guided/own_folder.h"
#include "tests/fuzz/guided/seeds.h"

namespace {

namespace fs = std::filesystem;
using namespace loupe;

std::vector<fs::path> inputs_of(int argc, char** argv) {
    std::vector<fs::path> paths;
    for (int i = 1; i < argc; ++i) {
        if (!fs::is_directory(argv[i])) paths.push_back(fs::absolute(argv[i]));
        if (!fs::is_directory(argv[i])) continue;
        for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
            if (entry.is_regular_file()) paths.push_back(fs::absolute(entry.path()));
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace

int main(int argc, char** argv) {
    if (fuzz::wrote_seeds(argc, argv)) return 0;
    const std::vector<fs::path> paths = inputs_of(argc, argv);
    const fuzz::OwnFolder folder;
    fuzz::begin();
    std::size_t wrong = 0;
    for (const fs::path& path : paths) {
        const std::string input = read_text_file(path);
        std::fprintf(stderr, "%s\n", path.filename().c_str());
        if (fuzz::try_input({reinterpret_cast<const std::uint8_t*>(input.data()), input.size()})) continue;
        std::printf("%s: wrong\n", path.c_str());
        ++wrong;
    }
    std::printf("%zu inputs, %zu wrong\n", paths.size(), wrong);
    return wrong == 0 && !paths.empty() ? 0 : 1;
}
