// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace loupe {

// Sets a variable, usually thread-local, for a scope and restores it. Scopes derive from it and name the variable.
template <typename T>
class ScopedValue {
  public:
    ScopedValue(T& variable, T value) : variable_(variable), before_(std::exchange(variable, std::move(value))) {}
    ScopedValue(const ScopedValue&) = delete;
    ScopedValue& operator=(const ScopedValue&) = delete;
    ~ScopedValue() { variable_ = std::move(before_); }

  private:
    T& variable_;
    T before_;
};

}  // namespace loupe
