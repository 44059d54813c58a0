// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/promotion.h"

namespace loupe {
namespace {

using Slot = std::optional<ScalarType>;

Slot combine(Slot higher, Slot lower) {
    if (!higher) return lower;
    if (!lower) return higher;
    if (is_complex(*higher)) return higher;
    if (is_complex(*lower) && has_dtype(kUnsignedDtypes, *higher)) return lower;
    if (is_floating(*higher)) return is_complex(*lower) ? to_complex_type(*higher) : *higher;
    if (*higher == ScalarType::Bool || is_floating(*lower) || is_complex(*lower)) return promote_types(*higher, *lower);
    return higher;
}

}  // namespace

void Promotion::add(const IValue& v) {
    if (v.is_tensor())
        add(*v.tensor_impl());
    else if (!v.is_none())
        add(v.to_scalar());
}

ScalarType Promotion::result() const {
    return combine(dimensioned_, combine(zero_dimensional_, number_)).value_or(kDefaultDtype);
}

}  // namespace loupe
