// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that are other names of an operator: .composite = forward<"aten::mul.Tensor">.

#include <algorithm>

#include "core/dispatch/dispatch.h"

namespace loupe {
namespace detail {

template <std::size_t N>
struct OperatorName {
    constexpr OperatorName(const char (&name)[N]) { std::copy_n(name, N, text); }
    char text[N];
};

const Operator& operator_or_throw(const char* full_name);

}  // namespace detail

// Calls the operator of that name, which takes the same arguments.
template <detail::OperatorName kName>
void forward(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw(kName.text);
    call_operator(target, arguments, results);
}

}  // namespace loupe
