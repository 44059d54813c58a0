// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs list programs over tensors: in one kernel for all entries on a device that has one, else on the host.

#include <span>
#include <vector>

#include "core/kernels/list_program.h"
#include "core/tensor/tensor.h"

namespace loupe {

// One element of each tensor at a time: all have the first's sizes and strides and are dense. Real floating dtypes.
struct ListEntry {
    TensorList tensors;
    std::vector<double> numbers;
    TensorList scalars;  // of one element each, floating
};

struct ListCall {
    ListProgram program;
    bool in_double = false;  // computed in double, else in float
    std::vector<ListEntry> entries;
    Tensor skip;  // float32, one element: where it is not 0 nothing is written. May be undefined
    Tensor flag;  // float32, one element: becomes 1 at what is not finite. May be undefined
};

// What a device's loops are besides (core/kernels/device_loops.h) where it has a kernel for list programs.
class ListLoops {
  public:
    virtual ~ListLoops();
    // All entries in one kernel, or a few; false when the device has no form of it.
    virtual bool run_lists(const ListCall& call) = 0;
};

// All tensors of a call are on one device; throws Error (Run) otherwise.
void run_lists(const ListCall& call);
// Of memory that the host reads.
void run_lists_on_host(const ListCall& call);

// The tensors of an entry as run_lists() takes them, of any layout: complex ones as pairs, and copies where one is not
// dense or has other strides than the first. put_back() copies what was written.
class DenseEntry {
  public:
    explicit DenseEntry(TensorList tensors);
    const TensorList& tensors() const { return dense_; }
    void put_back(const ListProgram& program) const;

  private:
    TensorList given_, dense_;
};

}  // namespace loupe
