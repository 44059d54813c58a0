// SPDX-License-Identifier: Apache-2.0
#pragma once
// Handlers of print() in a script.

#include <functional>
#include <string_view>

#include "core/base/scoped_value.h"

namespace loupe::runtime {

using PrintHandler = std::function<void(std::string_view text)>;

// To the handler of this thread; without one, to standard output.
void print_text(std::string_view text);

// The same for sys.stderr: without a handler, to standard error.
void print_error_text(std::string_view text);

class PrintScope {
  public:
    explicit PrintScope(PrintHandler handler);

  private:
    PrintHandler handler_;
    ScopedValue<const PrintHandler*> scope_;
};

}  // namespace loupe::runtime
