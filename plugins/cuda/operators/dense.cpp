// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/operators/dense.h"

namespace loupe::cuda {

bool is_known(ScalarType dtype) {
    switch (element_of(dtype)) {
        case Element::UInt8:
        case Element::Int8:
        case Element::Int16:
        case Element::Int32:
        case Element::Int64:
        case Element::Float16:
        case Element::Float32:
        case Element::Float64:
        case Element::Bool:
        case Element::BFloat16:
            return true;
        default:
            return false;
    }
}

Tensor dense(const Tensor& t) { return t.defined() ? dense(t, t.dtype()) : t; }

Tensor dense(const Tensor& t, ScalarType dtype) {
    if (!t.defined() || (t.is_contiguous() && t.dtype() == dtype)) return t;
    const Tensor copy = empty(t.sizes(), dtype, t.device());
    copy_into(copy, t);
    return copy;
}

Room::Room(const Tensor& out, ScalarType dtype)
    : out_(out), room_(out.is_contiguous() && out.dtype() == dtype ? out : empty(out.sizes(), dtype, out.device())) {}

void Room::put_back() const {
    if (!room_.is_same(out_)) copy_into(out_, room_);
}

}  // namespace loupe::cuda
