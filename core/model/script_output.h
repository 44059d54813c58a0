// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a running program says: warnings.warn() and print().

#include <functional>
#include <string>

#include "core/model/model_info.h"
#include "core/ops/numbers/warnings.h"
#include "core/runtime/interpreter/print.h"

namespace loupe::session {

struct ScriptWarning {
    std::string text;    // "UserWarning: careful", as Python shows it
    SourcePlace source;  // of the line that warns
    // Both in one line: "net.py:4: UserWarning: careful".
    std::string line() const;
};

// As long as it lives warnings of this thread's programs go to the handler.
class WarningScope {
  public:
    explicit WarningScope(std::function<void(const ScriptWarning&)> handler);
    WarningScope(const WarningScope&) = delete;
    WarningScope& operator=(const WarningScope&) = delete;
    ~WarningScope();

  private:
    WarningHandler before_;
};

}  // namespace loupe::session
