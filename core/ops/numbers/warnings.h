// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where warnings.warn() of a running program goes.

#include <functional>
#include <string_view>

namespace loupe {

// category: "UserWarning".
using WarningHandler = std::function<void(std::string_view category, std::string_view message)>;

// Of this thread; null drops warnings, which is the default. Returns the one before.
WarningHandler set_warning_handler(WarningHandler handler);
// Asked before the handler, on every thread: the evaluator of programs. False when it does not take the warning.
void set_warning_taker(bool (*taker)(std::string_view category, std::string_view message));
// Gives it to the taker or the handler.
void warn(std::string_view message, std::string_view category = "UserWarning");

}  // namespace loupe
