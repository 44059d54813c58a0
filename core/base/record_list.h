// SPDX-License-Identifier: Apache-2.0
#pragma once
// A list of records that stand in several files: each file gives its own by one function, and the list joins them.

#include <initializer_list>
#include <span>
#include <vector>

namespace loupe {

template <typename Record>
std::vector<const Record*> records_of_files(std::initializer_list<std::span<const Record>> files) {
    std::vector<const Record*> all;
    for (const auto file : files) {
        for (const Record& record : file) all.push_back(&record);
    }
    return all;
}

}  // namespace loupe
