// SPDX-License-Identifier: Apache-2.0
#pragma once
// The first line that an engine says.

#include <string>

namespace loupe::session {

// "tensorloupe-engine 0.1.0 BUILD PROTOCOL"
std::string engine_greeting();
// Is it one, of whatever engine?
bool is_greeting(const std::string& line);
// Why an engine that says this is not taken, one line; empty: it is. Of this machine: of the very build.
std::string why_not_taken(const std::string& greeting);
// Of another machine, which its line names: of the same version and protocol (protocol.h); the build may be another,
// for another system, with other libraries.
std::string why_not_taken_from(const std::string& host, const std::string& greeting);

}  // namespace loupe::session
