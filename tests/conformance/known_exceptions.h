// SPDX-License-Identifier: Apache-2.0
#pragma once
// The table of cases that may fail, each with its reason.

#include <filesystem>
#include <string>
#include <vector>

namespace loupe::conformance {

struct KnownException {
    std::string op;     // the zip's name
    std::string which;  // a case's number, a dtype, or "*"
    std::string reason;
    bool was_needed = false;
};

// Lines "op which reason"; "#" begins a comment. Throws Error (File) for a line without a reason.
std::vector<KnownException> read_known_exceptions(const std::filesystem::path& file);

// Null when the case has no excuse.
KnownException* find_exception(std::vector<KnownException>& table, const std::string& op, int k,
                               const std::string& dtype);

}  // namespace loupe::conformance
