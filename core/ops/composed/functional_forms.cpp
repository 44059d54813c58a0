// SPDX-License-Identifier: Apache-2.0
// What operators that write into their argument, or view it, give as a new tensor; and views under another name.

#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

const OperatorHandle<> kRenorm_("aten::embedding_renorm_");
const OperatorHandle<> kViewDtype("aten::view.dtype");

Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
    return kRenorm_(fn::clone(self), indices, max_norm, norm_type);
}

Tensor copied(const Tensor& self, const Tensor& src, bool) { return fn::copy_(fn::clone(fn::detach(self)), src); }

Tensor resized(const Tensor& self, const Dims& size, const IValue& format) {
    static const OperatorHandle<> resize_("aten::resize_");
    return resize_(fn::clone(self), size, format);
}

Tensor resized_as(const Tensor& self, const Tensor& other, const IValue& format) {
    return resized(self, to_dims(other.sizes()), format);
}

Tensor set_to_nothing(const Tensor& self) { return empty(span_of(Dims{0}), self.dtype(), self.device()); }

Tensor set_to(const Tensor&, const Tensor& source) { return fn::clone(source); }

Tensor view_copy_dtype(const Tensor& self, std::int64_t dtype) { return fn::clone(kViewDtype(self, dtype)); }

constexpr OperatorRecord kRecords[] = {
    composite("aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)",
              "The same as diagonal.", forward<"aten::diagonal">),
    composite("aten::embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor",
              "embedding_renorm_ on a copy.", boxed<embedding_renorm>)
        .with_out({}),
    composite("aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
              "src in the shape and dtype of self.", boxed<copied>)
        .with_out({}),
    composite("aten::resize(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor",
              "resize_ on a copy.", boxed<resized>)
        .with_out({}),
    composite("aten::resize_as(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor",
              "resize_as_ on a copy.", boxed<resized_as>)
        .with_out({}),
    composite("aten::set(Tensor self) -> Tensor", "A tensor without elements.", boxed<set_to_nothing>).with_out({}),
    composite("aten::set.source_Tensor(Tensor self, Tensor source) -> Tensor", "A copy of source.", boxed<set_to>)
        .with_out({.overload = "source_Tensor_out"}),
    composite("aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor", "A copy of the view that view gives.",
              boxed<view_copy_dtype>)
        .with_out({.overload = "dtype_out"}),
};

}  // namespace

std::span<const OperatorRecord> functional_form_records() { return kRecords; }

}  // namespace loupe::composed
