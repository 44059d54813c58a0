// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where warnings.warn() of a running program goes.

#include <functional>
#include <string_view>

namespace loupe {

using WarningHandler = std::function<void(std::string_view message)>;

// Of this thread; null drops warnings, which is the default. Returns the one before.
WarningHandler set_warning_handler(WarningHandler handler);

}  // namespace loupe
