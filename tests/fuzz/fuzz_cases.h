// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files that no honest program writes.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace loupe::fuzz {

// A name that says how to make the case again, and the file's bytes.
using Visit = std::function<void(const std::string& name, const std::string& extension, const std::string& bytes)>;

struct Effort {
    std::size_t truncations = 200;  // a file
    std::size_t flips = 2000;
    std::size_t inner_flips = 2000;  // in an archive's entries, with sizes and checksums made right again
    std::size_t extremes = 200;
};

// The file cut short, with bits turned, with 32-bit numbers at extremes. Seeds are fixed.
void visit_damaged(const std::string& name, const std::string& extension, const std::string& bytes,
                   const Effort& effort, const Visit& visit);
// Made by hand: pickles that call, nest and loop; bombs; classes that contain themselves; code without end.
void visit_hostile(const Visit& visit);

}  // namespace loupe::fuzz
