// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a factorisation does not determine: the order of its eigenvalues, the sign or phase of a vector, the basis of a
// subspace. Another processor's kernels choose otherwise. Results are turned into the expected ones by what is free,
// and only by that.

#include <string_view>
#include <vector>

#include "core/dispatch/call.h"

namespace loupe::conformance {

class FreeFactors {
  public:
    // op: the zip's name, or an operator's name without its namespace. Results that are determined, not finite or of
    // other shapes than the expected ones are left as they are.
    FreeFactors(std::string_view op, const TensorList& actual, const TensorList& expected);
    ~FreeFactors();
    FreeFactors(const FreeFactors&) = delete;
    FreeFactors& operator=(const FreeFactors&) = delete;

    // Result i, turned. Detached.
    Tensor turned(std::size_t i, const Tensor& result) const;

    // The cotangent of result i that has the effect of `cotangent` on the turned one: gradients are then the expected
    // ones.
    Tensor turned_cotangent(std::size_t i, const Tensor& cotangent) const;

  private:
    struct Turn;
    std::vector<Turn> turns_;
};

}  // namespace loupe::conformance
