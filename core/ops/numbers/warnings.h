// SPDX-License-Identifier: Apache-2.0
#pragma once
// Handlers of warnings.warn() in a running program.

#include <functional>
#include <string_view>

namespace loupe {

// category: "UserWarning".
using WarningHandler = std::function<void(std::string_view category, std::string_view message)>;

// Of this thread; null, the default, drops warnings. Returns the previous one.
WarningHandler set_warning_handler(WarningHandler handler);
// Called before the handler, on every thread: the evaluator of programs. False when it does not handle the warning.
void set_warning_taker(bool (*taker)(std::string_view category, std::string_view message));
// Passes the warning to the taker or the handler.
void warn(std::string_view message, std::string_view category = "UserWarning");

}  // namespace loupe
