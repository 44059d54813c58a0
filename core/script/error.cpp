// SPDX-License-Identifier: Apache-2.0
#include "core/script/error.h"

#include <utility>

namespace loupe::script {
namespace {

ErrorContext context_of(const ir::SourceRange& range) {
    ErrorContext context;
    context.source = range.short_text();
    return context;
}

}  // namespace

CompileError::CompileError(const std::string& message, ir::SourceRange range, ErrorKind kind)
    : Error(kind, message, context_of(range)), range_(std::move(range)) {}

std::string CompileError::underlined() const { return message() + ":\n" + range_.original().highlight(); }

}  // namespace loupe::script
