// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"

#include "core/base/cut_text.h"

#include <utility>

namespace loupe {

Error::Error(ErrorKind kind, std::string message, ErrorContext context)
    : kind_(kind), message_(std::move(message)), context_(std::move(context)) {
    render();
}

void Error::add_context(const ErrorContext& outer) {
    auto fill = [](auto& mine, const auto& theirs) {
        if (mine.empty()) mine = theirs;
    };
    fill(context_.file, outer.file);
    fill(context_.op, outer.op);
    fill(context_.scope, outer.scope);
    fill(context_.source, outer.source);
    fill(context_.inputs, outer.inputs);
    fill(context_.hint, outer.hint);
    render();
}

void Error::render() {
    line_.clear();
    if (!context_.file.empty()) line_ += context_.file + ": ";
    line_ += message_;
    if (!context_.op.empty()) line_ += ", in " + context_.op;
    const bool is_missing = kind_ == ErrorKind::Unsupported;
    if (!context_.scope.empty()) line_ += (is_missing ? ", used in " : ", at ") + context_.scope;
    if (!context_.source.empty()) line_ += " (" + context_.source.substr(context_.source.rfind('/') + 1) + ")";
    if (!context_.inputs.empty()) {
        line_ += ", inputs:";
        for (const auto& input : context_.inputs) line_ += " [" + input + "]";
    }
    if (!context_.hint.empty()) line_ += "; " + context_.hint;
    // That a terminal shows, whatever names a file has.
    constexpr std::size_t kLongest = 2000;
    line_ = cut_middle(std::move(line_), kLongest);
    // One line, also for messages and file names with line breaks.
    for (char& c : line_) {
        if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    }
}

std::string_view error_kind_name(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::Usage:
            return "usage";
        case ErrorKind::File:
            return "file";
        case ErrorKind::Unsupported:
            return "unsupported";
        case ErrorKind::Compile:
            return "compile";
        case ErrorKind::Run:
            return "run";
        case ErrorKind::Plugin:
            return "plugin";
        case ErrorKind::Cancelled:
            return "cancelled";
        case ErrorKind::Internal:
            return "internal";
    }
    return "internal";
}

}  // namespace loupe
