// SPDX-License-Identifier: Apache-2.0
#pragma once
// Errors in source text.

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/ir/source.h"
#include "core/script/ast.h"

namespace loupe::script {

// Rejected source, and its range. what() is one line; underlined() shows the lines around, as PyTorch does.
class CompileError final : public Error {
  public:
    CompileError(const std::string& message, ir::SourceRange range, ErrorKind kind = ErrorKind::Compile);

    const ir::SourceRange& range() const { return range_; }
    // "message:\n  File "x.py", line 3 ... ~~~ <--- HERE", and the chain of callers that led to compiling it.
    std::string underlined() const;
    // The same error of `callee`, which was compiled because `caller` calls it at the place.
    CompileError called_from(std::string_view callee, std::string_view caller,
                             const ir::SourceRange& place_of_call) const;

    // The same error, and another one found after it.
    CompileError followed_by(const CompileError& other) const;

  private:
    ir::SourceRange range_;
    std::string callers_;
    std::string others_;
};

inline ir::SourceRange place(const std::shared_ptr<const ir::Source>& source, Range range) {
    return {source, range.begin, range.end};
}

}  // namespace loupe::script
