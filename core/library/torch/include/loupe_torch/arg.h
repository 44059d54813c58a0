// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

// In a class of options: `TORCH_ARG(double, alpha) = 1.0;` is a private member alpha_, alpha() that reads it and
// alpha(value) that sets it and returns the options.
#define TORCH_ARG(T, name)                             \
  public:                                              \
    auto name(const T& value)->decltype(*this) {       \
        name##_ = value;                               \
        return *this;                                  \
    }                                                  \
    auto name(T&& value)->decltype(*this) {            \
        name##_ = std::move(value);                    \
        return *this;                                  \
    }                                                  \
    const T& name() const noexcept { return name##_; } \
    T& name() noexcept { return name##_; }             \
                                                       \
  private:                                             \
    T name##_
