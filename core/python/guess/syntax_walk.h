// SPDX-License-Identifier: Apache-2.0
#pragma once
// Looking through a syntax tree: the expressions in an expression, the statements and expressions in a statement.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/script/ast.h"

namespace loupe::python {

// Calls visit with each expression directly in e.
void for_each_part(const script::Expr& e, const std::function<void(const script::Expr&)>& visit);
// Calls visit with e and every expression in it, outermost first.
void for_each_expression(const script::Expr& e, const std::function<void(const script::Expr&)>& visit);
// Calls visit with each expression that stands directly in the statement, in the order of evaluation.
void for_each_expression_of(const script::Stmt& s, const std::function<void(const script::Expr&)>& visit);
// The blocks of statements in a statement: of a Def or Class its body.
std::vector<script::Body> blocks_of(const script::Stmt& s);
// Every expression below the statements, with what they are part of left out.
void for_each_expression_below(script::Body body, const std::function<void(const script::Expr&)>& visit);

// The text of an expression. Ranges end before the parenthesis that closes a tuple: it is added.
std::string text_of(std::string_view source, const script::Expr& e);
// "torch.nn.Conv2d" of names and attributes; empty for another expression.
std::string dotted_name(const script::Expr& e);

}  // namespace loupe::python
