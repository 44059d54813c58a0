// SPDX-License-Identifier: Apache-2.0
#pragma once
// Errors of wrong arguments, with the exception that PyTorch raises for them.

#include <string>
#include <utility>

#include "core/base/error.h"

namespace loupe::data {

class ArgumentError final : public Error {
  public:
    ArgumentError(const char* python_class, std::string message)
        : Error(ErrorKind::Run, std::move(message)), python_class_(python_class) {}
    // "ValueError"
    const char* python_class() const { return python_class_; }

  private:
    const char* python_class_;
};

[[noreturn]] inline void throw_value_error(std::string message) {
    throw ArgumentError("ValueError", std::move(message));
}
[[noreturn]] inline void throw_type_error(std::string message) { throw ArgumentError("TypeError", std::move(message)); }
[[noreturn]] inline void throw_index_error(std::string message) {
    throw ArgumentError("IndexError", std::move(message));
}

}  // namespace loupe::data
