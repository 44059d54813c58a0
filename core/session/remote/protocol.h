// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a session and its engine must agree on to understand each other, as one number.

#include <string>

namespace loupe::session {

// 16 hexadecimal digits, made of every message, order, question and answer: the names, and the types of all fields in
// their order. Builds for other machines, with other plugins or by other compilers have the same one as long as these
// are the same.
const std::string& protocol_id();

}  // namespace loupe::session
