// SPDX-License-Identifier: Apache-2.0
// Casts of autocast, and tensors from and to what is none.

#include <algorithm>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

// The cast that autocast puts before an operator; on the CPU only.
Tensor to_full_precision(const Tensor& self, bool, bool cpu_enabled) {
    const bool narrow = self.dtype() == ScalarType::Float16 || self.dtype() == ScalarType::BFloat16;
    return cpu_enabled && narrow ? fn::to_dtype(self, static_cast<std::int64_t>(ScalarType::Float32)) : self;
}

Tensor to_reduced_precision(const Tensor& self, bool, bool cpu_enabled, ScalarType, ScalarType cpu_dtype) {
    return cpu_enabled && self.dtype() == ScalarType::Float32 ? fn::to_dtype(self, static_cast<std::int64_t>(cpu_dtype))
                                                              : self;
}

Tensor dim_arange(const Tensor& like, std::int64_t dim) { return fn::arange(Scalar(like.size(dim))); }

// Conversions between tensors of integers and lists.
Tensor list_to_tensor(const Dims& values) {
    const Tensor out = empty(span_of(Dims{static_cast<std::int64_t>(values.size())}), ScalarType::Int32);
    std::transform(values.begin(), values.end(), out.data<std::int32_t>(),
                   [](std::int64_t v) { return static_cast<std::int32_t>(v); });
    return out;
}

Dims tensor_to_list(const Tensor& self) {
    const Tensor flat = fn::contiguous(fn::to_dtype(self, static_cast<std::int64_t>(ScalarType::Int64)), 0);
    return {flat.data<std::int64_t>(), flat.data<std::int64_t>() + flat.numel()};
}

void given_back(Arguments arguments, IValue* results) { std::copy(arguments.begin(), arguments.end(), results); }

template <ScalarType kDtype>
Tensor cast(const Tensor& self, bool non_blocking) {
    return fn::to_dtype(self, static_cast<std::int64_t>(kDtype), non_blocking);
}

constexpr OperatorRecord kRecords[] = {
    composite("aten::_autocast_to_full_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled) -> Tensor(a)",
              "float32 for 16-bit types under autocast.", boxed<to_full_precision>),
    composite("aten::_autocast_to_reduced_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled, ScalarType "
              "cuda_dtype, ScalarType "
              "cpu_dtype) -> Tensor(a)",
              "A 16-bit type for float32 under autocast.", boxed<to_reduced_precision>),
    composite("aten::_dim_arange(Tensor like, int dim) -> Tensor", "Indices of a dimension.", boxed<dim_arange>),
    composite("aten::_list_to_tensor(int[] self) -> Tensor", "A tensor of int32.", boxed<list_to_tensor>),
    composite("aten::_tensor_to_list(Tensor self) -> int[]", "The elements as int.", boxed<tensor_to_list>),
    composite("aten::_to_cpu(Tensor[] tensors) -> Tensor[]", "The tensors on the CPU.", given_back),
    composite("aten::_pack_sequence(Tensor output, Tensor batch_sizes, Tensor? sorted_indices, Tensor? "
              "unsorted_indices) -> (Tensor, Tensor, "
              "Tensor?, Tensor?)",
              "The parts of a packed sequence.", given_back),
    {.schema = "aten::_cast_Byte(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to uint8.",
     .composite = boxed<cast<ScalarType::UInt8>>},
    {.schema = "aten::_cast_Char(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to int8.",
     .composite = boxed<cast<ScalarType::Int8>>},
    {.schema = "aten::_cast_Short(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to int16.",
     .composite = boxed<cast<ScalarType::Int16>>},
    {.schema = "aten::_cast_Int(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to int32.",
     .composite = boxed<cast<ScalarType::Int32>>},
    {.schema = "aten::_cast_Long(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to int64.",
     .composite = boxed<cast<ScalarType::Int64>>},
    {.schema = "aten::_cast_Half(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to float16.",
     .composite = boxed<cast<ScalarType::Float16>>},
    {.schema = "aten::_cast_Float(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to float32.",
     .composite = boxed<cast<ScalarType::Float32>>},
    {.schema = "aten::_cast_Double(Tensor self, bool non_blocking=False) -> Tensor",
     .summary = "The tensor converted to float64.",
     .composite = boxed<cast<ScalarType::Float64>>},
};

}  // namespace

std::span<const OperatorRecord> conversion_records() { return kRecords; }

}  // namespace loupe::composed
