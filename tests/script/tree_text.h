// SPDX-License-Identifier: Apache-2.0
#pragma once
// Syntax trees as S-expressions, to compare in tests.

#include <string>

#include "core/script/ast.h"

namespace loupe::script {

std::string tree_text(const Expr* expression);
std::string tree_text(const Stmt* statement);
std::string tree_text(Body body);

}  // namespace loupe::script
