// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/guided/seeds.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/strings.h"
#include "tests/fuzz/guided/guided.h"

namespace loupe::fuzz {

bool wrote_seeds(int argc, char** argv) {
    if (argc != 3 || std::string_view(argv[1]) != "--seeds") return false;
    const std::filesystem::path folder = argv[2];
    std::filesystem::create_directories(folder);
    std::size_t count = 0;
    visit_seeds([&](const std::string& input) { write_file_atomically(folder / concat("seed", count++), input); });
    std::printf("%zu seeds\n", count);
    return true;
}

}  // namespace loupe::fuzz
