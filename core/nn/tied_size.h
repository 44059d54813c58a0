// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sizes that layers compute with: numbers, and while a run is recorded also where they come from, so that what is
// written takes other sizes too.

#include <initializer_list>

#include "core/dispatch/functions.h"

namespace loupe::nn {

struct TiedSize {
    std::int64_t value = 0;
    Tensor tied = {};  // the number as the run has it; undefined: nobody writes it down
    TiedSize(std::int64_t number, Tensor from = {}) : value(number), tied(std::move(from)) {}
};

// t.size(dim).
TiedSize size_of(const Tensor& t, std::int64_t dim);
TiedSize operator*(const TiedSize& a, const TiedSize& b);
// The sizes as the next call of this operator takes them for that argument: to be the last thing before the call.
Dims tied_dims(const OperatorHandle<>& op, std::size_t argument, std::initializer_list<TiedSize> sizes);

}  // namespace loupe::nn
