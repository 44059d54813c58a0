// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which dtype a mix of tensors and numbers computes in: torch.result_type.

#include <optional>

#include "core/dispatch/record.h"

namespace loupe {

// The dtype that Python floats take: float32.
inline constexpr ScalarType kDefaultDtype = ScalarType::Float32;
inline constexpr ScalarType kDefaultComplexDtype = ScalarType::Complex64;

// Collects operands; tensors with dimensions rank above 0-dimensional ones, which rank above Python numbers.
class Promotion {
  public:
    void add(const TensorImpl& t) {
        if (!t.sizes.empty())
            join(dimensioned_, t.dtype);
        else if (t.wrapped_number)
            join(number_, number_dtype(t.dtype));
        else
            join(zero_dimensional_, t.dtype);
    }
    void add(const Tensor& t) { add(*t.impl()); }
    void add(const Scalar& s) { join(number_, number_dtype(s.dtype())); }
    // A tensor or a number; None is passed over.
    void add(const IValue& v);
    ScalarType result() const;

  private:
    using Slot = std::optional<ScalarType>;
    static void join(Slot& slot, ScalarType dtype) { slot = slot ? promote_types(*slot, dtype) : dtype; }
    static ScalarType number_dtype(ScalarType dtype) {
        if (is_complex(dtype)) return kDefaultComplexDtype;
        return is_floating(dtype) ? kDefaultDtype : dtype;
    }

    Slot dimensioned_;
    Slot zero_dimensional_;
    Slot number_;
};

// result_type(a, b, ...): tensors, numbers, or IValues of these.
template <typename... Operands>
ScalarType result_type(const Operands&... operands) {
    Promotion promotion;
    (promotion.add(operands), ...);
    return promotion.result();
}

// Integers and bool become the default floating type.
inline ScalarType floating_type(ScalarType dtype) { return is_integral(dtype) ? kDefaultDtype : dtype; }

// The types that kernels are written for. Smaller ones are widened piece by piece while looping: bool and the integers
// to int64 (arithmetic modulo 2^k agrees), the floating types of 16 and 8 bits to float32, their
// complex numbers to complex64.
inline ScalarType compute_type(ScalarType dtype) {
    if (is_integral(dtype)) return ScalarType::Int64;
    if (is_floating(dtype)) return dtype == ScalarType::Float64 ? dtype : ScalarType::Float32;
    return dtype == ScalarType::Complex32 ? ScalarType::Complex64 : dtype;
}
// For kernels that compare: the order of uint64 is not that of int64.
inline ScalarType ordered_compute_type(ScalarType dtype) {
    return dtype == ScalarType::UInt64 ? dtype : compute_type(dtype);
}

}  // namespace loupe
