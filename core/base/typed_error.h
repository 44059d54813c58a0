// SPDX-License-Identifier: Apache-2.0
#pragma once
// An error that a program catches as a given Python exception.

#include <string_view>

#include "core/base/error.h"

namespace loupe {

class TypedError final : public Error {
  public:
    // exception: "ValueError"; must outlive the error.
    TypedError(std::string_view exception, std::string message)
        : Error(ErrorKind::Run, std::move(message)), exception_(exception) {}
    std::string_view exception() const { return exception_; }

  private:
    std::string_view exception_;
};

[[noreturn]] inline void fail_with_value(std::string message) { throw TypedError("ValueError", std::move(message)); }
[[noreturn]] inline void fail_with_type(std::string message) { throw TypedError("TypeError", std::move(message)); }
[[noreturn]] inline void fail_with_index(std::string message) { throw TypedError("IndexError", std::move(message)); }
[[noreturn]] inline void fail_assertion(std::string message) { throw TypedError("AssertionError", std::move(message)); }

}  // namespace loupe
