// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/formats/exported/symbols.h"

namespace loupe::exported {

// sympy's srepr: "Mul(Integer(2), Symbol('s0', positive=True, integer=True))". Symbols u0, u1, ... are integers of any
// sign, zuf0, ... reals; others are sizes.
std::string srepr(const SymbolExpression& expression);

}  // namespace loupe::exported
