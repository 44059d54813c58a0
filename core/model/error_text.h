// SPDX-License-Identifier: Apache-2.0
#pragma once
// An error for who reads it: one line, where it happened, and the whole when it is longer.

#include <string>

#include "core/base/error.h"
#include "core/model/model_info.h"

namespace loupe::session {

// Line 0 when it is not known.
SourcePlace place_of(const Error& error);
// Of source that is rejected: what is said and the lines around, underlined; of a program that failed: its traceback;
// of any other message its lines. Empty when it has only one.
std::string details_of(const Error& error);
// One line: what() with the first line of the message.
std::string headline_of(const Error& error);

}  // namespace loupe::session
