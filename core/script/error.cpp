// SPDX-License-Identifier: Apache-2.0
#include "core/script/error.h"

#include <utility>

#include "core/base/strings.h"

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

std::string CompileError::underlined() const {
    return message() + ":\n" + range_.original().highlight() + callers_ + others_;
}

CompileError CompileError::followed_by(const CompileError& other) const {
    CompileError out = *this;
    out.others_ += concat("\n", other.underlined());
    return out;
}

CompileError CompileError::called_from(std::string_view callee, std::string_view caller,
                                       const ir::SourceRange& place_of_call) const {
    CompileError out = *this;
    out.callers_ +=
        concat("'", callee, "' is being compiled since it was called from '", caller, "'\n", place_of_call.highlight());
    return out;
}

}  // namespace loupe::script
