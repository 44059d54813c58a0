// SPDX-License-Identifier: Apache-2.0
#include "core/model/script_output.h"

#include "core/base/strings.h"
#include "core/runtime/interpreter/interpreter.h"

namespace loupe::session {

std::string ScriptWarning::line() const {
    if (source.file.empty()) return text;
    return concat(source.file.substr(source.file.rfind('/') + 1), ":", source.line, ": ", text);
}

WarningScope::WarningScope(std::function<void(const ScriptWarning&)> handler)
    : before_(set_warning_handler([handler = std::move(handler)](std::string_view category, std::string_view message) {
          ScriptWarning warning{concat(category, ": ", message), {}};
          if (const auto place = runtime::current_range().original().position()) {
              warning.source = {place->file, static_cast<int>(place->line), static_cast<int>(place->column)};
          }
          handler(warning);
      })) {}

WarningScope::~WarningScope() { set_warning_handler(std::move(before_)); }

}  // namespace loupe::session
