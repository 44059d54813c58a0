// SPDX-License-Identifier: Apache-2.0
#pragma once
// Texts near a model source that may show how its classes are used: the source itself, pages of its package, tests.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/source.h"

namespace loupe::python {

struct NearbyText {
    std::string text;   // Python
    std::string place;  // "README.md", "tests/test_vit.py"
};

// Read when first asked for; files are looked at, never run.
class NearbyTexts {
  public:
    // folder: of the package that the source is part of, or the one that it lies in; empty: nothing is read.
    NearbyTexts(const ir::Source& source, std::filesystem::path folder, bool is_package);
    // Texts that contain the name, the nearest first.
    std::vector<NearbyText> with(std::string_view name);

  private:
    void read_all();
    void add_page(const std::filesystem::path& file);
    void add_python(const std::filesystem::path& file);
    void add_blocks(std::string_view page, const std::string& place);
    std::optional<std::string> read(const std::filesystem::path& file);

    const ir::Source& source_;
    std::filesystem::path folder_;
    bool is_package_;
    bool has_read_ = false;
    std::size_t bytes_ = 0;
    std::vector<NearbyText> texts_;
};

}  // namespace loupe::python
