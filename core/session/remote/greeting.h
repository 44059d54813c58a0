// SPDX-License-Identifier: Apache-2.0
#pragma once
// The first line that an engine says.

#include <string>

namespace loupe::session {

// "tensorloupe-engine 0.1.0 BUILD"
std::string engine_greeting();
// Why an engine that says this is not taken, one line; empty: it is.
std::string why_not_taken(const std::string& greeting);

}  // namespace loupe::session
