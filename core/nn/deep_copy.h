// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deep copies of modules that are part of a larger one.

#include <functional>
#include <unordered_map>

#include "core/base/scoped_value.h"
#include "core/nn/module.h"

namespace loupe::nn {

// Why a tensor that is no leaf of the graph is not copied.
std::string non_leaf_copy_message();

// In this scope all Module::deep_copy() on this thread are one copy: sharing among them is preserved.
class DeepCopyScope final : ScopedValue<DeepCopyScope*> {
  public:
    // copy_other: of values that are neither modules nor tensors; it may copy modules in them.
    explicit DeepCopyScope(std::function<IValue(const IValue&)> copy_other);

    static DeepCopyScope* current();

    const std::function<IValue(const IValue&)> copy_other;
    std::unordered_map<const Module*, ModulePtr> modules;
    std::unordered_map<const TensorImpl*, Tensor> tensors;
};

}  // namespace loupe::nn
