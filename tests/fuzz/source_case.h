// SPDX-License-Identifier: Apache-2.0
#pragma once
// Program text, as it is or damaged, and what reads it.

#include <string>
#include <vector>

namespace loupe::fuzz {

struct Program {
    std::string name;
    std::string text;
};

// Of the tests' fixtures, by name.
std::vector<Program> fixture_programs();

// Runs the text, which scripts what it scripts, and compiles it as TorchScript, for a second each. What it throws must
// be ours and say where, if it is about text. Empty, or what is wrong.
std::string try_source(const std::string& text);

}  // namespace loupe::fuzz
