// SPDX-License-Identifier: Apache-2.0
#pragma once
// A kernel that was readied for its arguments: what it looks up or makes from shapes is made once. For programs that
// call it with the same tensors again and again.

#include "core/dispatch/record.h"

namespace loupe {

class BoundKernel : public RefCounted {
  public:
    // On the arguments and results that it was bound to, which have the shapes of then and may lie elsewhere.
    virtual void run() = 0;
};

// Null: this kernel is called as always. arguments, results: as for the kernel; they outlive what is bound.
using BindFunction = Ptr<BoundKernel> (*)(Arguments arguments, std::span<const IValue> results);

// For plugins, at start.
void register_binding(KernelFunction kernel, BindFunction bind);
BindFunction find_binding(KernelFunction kernel);  // null when there is none

}  // namespace loupe
