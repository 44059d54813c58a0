// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options of a parameter group and the state of a parameter, both dicts as in Python, so that a program may read
// and change them between steps.

#include <functional>
#include <string_view>

#include "core/value/ivalue.h"

namespace loupe::optim {

// Reads a dict by name. Every function throws Error (Run) when the name is missing or its value is of another type.
class Options {
  public:
    explicit Options(const DictObject& dict) : dict_(dict) {}

    const IValue& operator[](std::string_view name) const;
    double number(std::string_view name) const { return (*this)[name].to_scalar().to_double(); }
    bool flag(std::string_view name) const;  // None and names that are missing are false
    // Of a tuple or list of numbers: betas.
    double number(std::string_view name, std::size_t index) const;

  private:
    const DictObject& dict_;
};

// The tensor of that name in a state; made by `make` when there is none.
Tensor state_tensor(DictObject& state, std::string_view name, const std::function<Tensor()>& make);
// Of the parameter's shape, dtype and strides, full of zeros at first.
Tensor zero_state(DictObject& state, std::string_view name, const Tensor& parameter);
// Adds one to the counter "step", a float32 tensor without dimensions, and returns it.
double next_step(DictObject& state);
Tensor number_tensor(double value);  // float32 without dimensions

// Throw Error (Run) "Invalid learning rate: -1" for numbers outside of the range; NaN is outside.
void require_not_negative(const Options& options, std::string_view name, std::string_view what);
void require_positive(const Options& options, std::string_view name, std::string_view what);
// Both betas in [0, 1).
void require_betas(const Options& options);
// The options of Adam and its variants: betas, which become (0.9, 0.999) where they are None, lr, eps, weight_decay.
void complete_moments(DictObject& options);

}  // namespace loupe::optim
