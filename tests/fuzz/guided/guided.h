// SPDX-License-Identifier: Apache-2.0
#pragma once
// What each fuzzer that is guided by coverage brings: files.cpp, sources.cpp, messages.cpp, operators.cpp. Compiled
// with clang and its libFuzzer they look for inputs that reach new code (guided/run); compiled by anything they try the
// inputs that were kept (replay.cpp).

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace loupe::fuzz {

// Once, before the first input. The working directory is a folder of this process, which may write nowhere else.
void begin();
// False: something is wrong, and was said.
bool try_input(std::span<const std::uint8_t> input);

// libFuzzer's own change of bytes.
using ChangeBytes = std::function<std::string(const std::string& bytes)>;
// The input with a change that depends on the seed.
std::string change(const std::string& input, std::uint64_t seed, const ChangeBytes& change_bytes);

using VisitSeed = std::function<void(const std::string& input)>;
// What to begin with.
void visit_seeds(const VisitSeed& visit);

}  // namespace loupe::fuzz
