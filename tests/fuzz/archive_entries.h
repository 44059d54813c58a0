// SPDX-License-Identifier: Apache-2.0
#pragma once
// ZIP archives as lists, to be written again with other contents.

#include <string>
#include <vector>

namespace loupe::fuzz {

struct Entry {
    std::string name;
    std::string text;
};

bool is_archive(const std::string& bytes);
std::vector<Entry> entries_of(const std::string& bytes);
std::string archive_of(const std::vector<Entry>& entries);

}  // namespace loupe::fuzz
