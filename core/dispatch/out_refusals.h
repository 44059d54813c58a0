// SPDX-License-Identifier: Apache-2.0
#pragma once
// How out= forms of several operators refuse a tensor of another dtype, in PyTorch's words. See OutRefusal.

#include "core/dispatch/record.h"

namespace loupe::out_refusal {

inline constexpr OutRefusal kStructured{"Expected out tensor to have dtype {t}, but got {o} instead"};
inline constexpr OutRefusal kFound{"Found dtype {O} but expected {T}"};
inline constexpr OutRefusal kScalarType{"expected scalar type {T} but found {O}"};
inline constexpr OutRefusal kScalarTypeWord{"expected scalar_type {T} but found {O}"};
inline constexpr OutRefusal kMatch{
    "Expected the dtype for input and out to match, but got {T} for input's dtype and {O} for out's dtype."};
inline constexpr OutRefusal kSameScalarType{"{n}(): self and result must have the same scalar type"};
inline constexpr OutRefusal kBoolResult{"{n} only supports bool tensor for result, got: {O}"};
inline constexpr OutRefusal kNonBoolean{"{n} does not support non-boolean outputs."};
inline constexpr OutRefusal kQuantile{"quantile() out tensor must be same dtype as the input tensor"};
inline constexpr OutRefusal kDot{"result dtype {O} does not match input dtype {T}"};
inline constexpr OutRefusal kObjectOut{"Expected object of scalar type {T} but got scalar type {O} for argument 'out'"};
inline constexpr OutRefusal kMultiDot{"multi_dot(): expected out tensor to have dtype {t} but got {o}"};
inline constexpr OutRefusal kTensordot{
    "tensordot: Expected the output tensor to have dtype {T}, but got an output tensor with dtype {O}"};
inline constexpr OutRefusal kAdaptive{"expected dtype {t} for `output` but got dtype {o}"};
inline constexpr OutRefusal kMedian{
    "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type torch.{O}Tensor "
    "does not equal "
    "torch.{T}Tensor (while checking arguments for median)",
    "Expected tensor for argument #1 'indices' to have scalar type {T}; but got torch.{O}Tensor instead (while "
    "checking arguments "
    "for median)"};

}  // namespace loupe::out_refusal
