// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions that are an operator under another name.

#include "core/dispatch/call.h"
#include "core/dispatch/record.h"

namespace loupe::nn::functional {

template <std::size_t N>
struct OperatorName {
    char text[N];
    constexpr OperatorName(const char (&name)[N]) : text() {
        for (std::size_t i = 0; i < N; ++i) text[i] = name[i];
    }
};

// Trailing arguments that are not given take the operator's defaults; several results become a tuple.
void call_with(const Operator& op, Arguments arguments, IValue* result);

template <OperatorName kName>
void calls(Arguments arguments, IValue* result) {
    static const Operator& op = loupe::detail::operator_or_throw(kName.text);
    call_with(op, arguments, result);
}

// The last argument says whether the operator runs in place.
template <OperatorName kName, OperatorName kInPlaceName>
void calls_either(Arguments arguments, IValue* result) {
    const bool in_place = arguments.back().to_bool();
    arguments = arguments.first(arguments.size() - 1);
    in_place ? calls<kInPlaceName>(arguments, result) : calls<kName>(arguments, result);
}

}  // namespace loupe::nn::functional
