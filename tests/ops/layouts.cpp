// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/layouts.h"

#include <algorithm>
#include <set>

#include "core/dispatch/functions.h"

namespace loupe::sweep {

TensorList tensors_in(const std::vector<IValue>& values) {
    TensorList tensors;
    for (const IValue& value : values) visit_tensors(value, [&](const Tensor& t) { tensors.push_back(t); });
    return tensors;
}

IValue changed(const IValue& value, const std::function<Tensor(const Tensor&)>& change) {
    if (value.is_tensor()) return change(value.to_tensor());
    if (!value.is_list()) return value;
    auto list = make_ptr<ListObject>(value.to_list().element_type);
    for (const IValue& element : value.to_list().elements) list->elements.push_back(changed(element, change));
    return list;
}

std::vector<IValue> changed(const std::vector<IValue>& values, const std::function<Tensor(const Tensor&)>& change) {
    std::vector<IValue> out;
    for (const IValue& value : values) out.push_back(changed(value, change));
    return out;
}

Tensor spaced_out(const Tensor& t) {
    Dims sizes = to_dims(t.sizes());
    sizes.push_back(2);
    const Tensor wide = empty(span_of(sizes), t.dtype());
    const Tensor view = fn::select(wide, -1, 1);
    fn::copy_(view, t);
    return view;
}

Tensor turned(const Tensor& t) {
    Dims order;
    for (std::int64_t d = t.dim(); d-- > 0;) order.push_back(d);
    if (order.size() < 2) return fn::clone(t);
    return fn::permute(fn::clone(fn::permute(t, order), 0), order);
}

Tensor expanded_along(const Tensor& t, std::int64_t dim) {
    const std::int64_t d = dim < 0 ? dim + t.dim() : dim;
    if (d < 0 || d >= t.dim() || t.sizes()[static_cast<std::size_t>(d)] < 2) return fn::clone(t);
    Dims strides = to_dims(t.strides());
    strides[static_cast<std::size_t>(d)] = 0;
    const Tensor own = fn::clone(t);
    return own.view_as_strided(own.sizes(), span_of(strides), own.storage_offset());
}

Tensor first_element(const Tensor& t) {
    if (t.numel() == 0) return fn::clone(t);
    return fn::clone(t.view_as_strided({}, {}, t.storage_offset()));
}

std::vector<EmptyCall> emptied(const std::vector<IValue>& arguments) {
    std::set<std::int64_t> sizes;
    for (const Tensor& t : tensors_in(arguments)) sizes.insert(t.sizes().begin(), t.sizes().end());
    std::vector<EmptyCall> calls;
    for (const std::int64_t gone : sizes) {
        if (gone == 0) continue;
        calls.push_back({gone, changed(arguments, [&](const Tensor& t) {
                             Dims left = to_dims(t.sizes());
                             std::replace(left.begin(), left.end(), gone, std::int64_t{0});
                             return left == to_dims(t.sizes()) ? fn::clone(t) : empty(span_of(left), t.dtype());
                         })});
    }
    return calls;
}

}  // namespace loupe::sweep
