// SPDX-License-Identifier: Apache-2.0
#pragma once
// Source text to syntax tree.

#include <memory>

#include "core/ir/source.h"
#include "core/script/ast.h"
#include "core/script/lexer.h"

namespace loupe::script {

// Deeper trees of expressions and statements are rejected, so that recursion over them cannot overflow the stack.
inline constexpr int kMaxDepth = 400;
// Chains (a + b + ..., elif after elif) are trees too, but recursion needs less stack per level than for nesting.
inline constexpr std::size_t kMaxChain = 1500;

// Parses a whole file. Throws CompileError, with PyTorch's message where PyTorch's compiler rejects it too.
std::shared_ptr<const SyntaxTree> parse_source(const std::shared_ptr<const ir::Source>& source,
                                               Dialect dialect = Dialect::TorchScript);
// Parses a part that is whole statements, as TorchScript: what a Def's or Class's full_range covers in a source that
// was parsed as Python, for its compilation. Ranges are of the whole source.
std::shared_ptr<const SyntaxTree> parse_part(const std::shared_ptr<const ir::Source>& source, Range part);
// Parses one expression that fills the source; it is tree.body's only statement.
std::shared_ptr<const SyntaxTree> parse_expression(const std::shared_ptr<const ir::Source>& source);

}  // namespace loupe::script
