// SPDX-License-Identifier: Apache-2.0
#pragma once
// One handle an operator that is called from C++. A handle has the operator's name; overloads add theirs.

#include "core/ops/call.h"

namespace loupe::fn {

using TwoTensors = std::tuple<Tensor, Tensor>;
using ThreeTensors = std::tuple<Tensor, Tensor, Tensor>;

// pointwise
inline const OperatorHandle<> add("aten::add.Tensor");
inline const OperatorHandle<> conj_physical("aten::conj_physical");
inline const OperatorHandle<> eq("aten::eq.Tensor");
inline const OperatorHandle<> lt("aten::lt.Tensor");
inline const OperatorHandle<> mul("aten::mul.Tensor");
inline const OperatorHandle<> mul_scalar("aten::mul.Scalar");

// reduction
inline const OperatorHandle<> sum_dim("aten::sum.dim_IntList");

// view
inline const OperatorHandle<> diagonal("aten::diagonal");
inline const OperatorHandle<> expand("aten::expand");
inline const OperatorHandle<> movedim("aten::movedim.int");
inline const OperatorHandle<> permute("aten::permute");
inline const OperatorHandle<> reshape("aten::reshape");
inline const OperatorHandle<> squeeze("aten::squeeze.dim");
inline const OperatorHandle<> t("aten::t");
inline const OperatorHandle<> transpose("aten::transpose.int");
inline const OperatorHandle<> unsqueeze("aten::unsqueeze");
inline const OperatorHandle<> view("aten::view");

// matrix
inline const OperatorHandle<> addmm("aten::addmm");
inline const OperatorHandle<> baddbmm("aten::baddbmm");
inline const OperatorHandle<> bmm("aten::bmm");
inline const OperatorHandle<> dot("aten::dot");
inline const OperatorHandle<> linear("aten::linear");
inline const OperatorHandle<> matmul("aten::matmul");
inline const OperatorHandle<> mm("aten::mm");
inline const OperatorHandle<> mv("aten::mv");
inline const OperatorHandle<> outer("aten::outer");
inline const OperatorHandle<> tensordot("aten::tensordot");

// numbers
inline const OperatorHandle<bool> is_nonzero("aten::is_nonzero");

}  // namespace loupe::fn
