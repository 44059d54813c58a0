// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dense tensors for kernels that walk over memory in order.

#include "core/kernels/elementwise.h"
#include "core/tensor/tensor.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

inline Element element_of(ScalarType dtype) { return static_cast<Element>(dtype); }
// Has the dtype a name among the loops' elements, and is it real?
bool is_known(ScalarType dtype);
// Is it a complex dtype that loops which are made for complex numbers take?
inline bool is_complex_element(ScalarType dtype) {
    return dtype == ScalarType::Complex64 || dtype == ScalarType::Complex128;
}

// A contiguous tensor of the same elements on the same device, itself where it is one; undefined stays undefined.
Tensor dense(const Tensor& t);
// The same, in a dtype.
Tensor dense(const Tensor& t, ScalarType dtype);

// Room for a result: the tensor itself where it is contiguous and of the dtype, else another that put_back() copies.
class Room {
  public:
    explicit Room(const Tensor& out) : Room(out, out.dtype()) {}
    Room(const Tensor& out, ScalarType dtype);
    const Tensor& tensor() const { return room_; }
    void put_back() const;

  private:
    Tensor out_, room_;
};

}  // namespace loupe::cuda
