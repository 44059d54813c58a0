// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sizes that layers compute with: numbers, and in a traced run also their origin, so that the trace is valid for other
// sizes.

#include <initializer_list>

#include "core/dispatch/functions.h"

namespace loupe::nn {

struct TiedSize {
    std::int64_t value = 0;
    Tensor tied = {};  // the traced number; undefined without a tracer
    TiedSize(std::int64_t number, Tensor from = {}) : value(number), tied(std::move(from)) {}
};

// t.size(dim).
TiedSize size_of(const Tensor& t, std::int64_t dim);
TiedSize operator*(const TiedSize& a, const TiedSize& b);
// The sizes for that argument of the operator's next call: to be called last before it.
Dims tied_dims(const OperatorHandle<>& op, std::size_t argument, std::initializer_list<TiedSize> sizes);

}  // namespace loupe::nn
