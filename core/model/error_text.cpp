// SPDX-License-Identifier: Apache-2.0
#include "core/model/error_text.h"

#include <cstdlib>

#include "core/python/language/error.h"
#include "core/python/model_source.h"
#include "core/script/error.h"

namespace loupe::session {
namespace {

// Those that have something to say: PyTorch begins some messages with an empty one.
std::string first_line(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    text.remove_prefix(first);
    text = text.substr(0, text.find('\n'));
    while (!text.empty() && (text.back() == ':' || text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
    return std::string(text);
}

bool has_lines(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return last != std::string_view::npos &&
           text.substr(text.find_first_not_of(" \t\r\n")).find('\n') != std::string_view::npos &&
           text.substr(0, last).find('\n') != std::string_view::npos;
}

}  // namespace

SourcePlace place_of(const Error& error) {
    if (const auto* rejected = dynamic_cast<const script::CompileError*>(&error)) {
        if (const auto place = rejected->range().original().position())
            return {place->file, static_cast<int>(place->line), static_cast<int>(place->column)};
    }
    SourcePlace source;
    const std::string& place = error.context().source;
    const auto colon = place.rfind(':');
    if (colon == std::string::npos) return source;
    source.file = place.substr(0, colon);
    source.line = std::atoi(place.c_str() + colon + 1);
    return source;
}

std::string details_of(const Error& error) {
    if (const auto* rejected = dynamic_cast<const script::CompileError*>(&error)) return rejected->underlined();
    if (const auto* raised = dynamic_cast<const python::PythonError*>(&error)) return raised->traceback();
    if (const auto* failed = dynamic_cast<const python::SourceFailed*>(&error)) return failed->traceback();
    return has_lines(error.message()) ? error.message() : std::string();
}

std::string headline_of(const Error& error) {
    if (!has_lines(error.message())) return error.what();
    return Error(error.kind(), first_line(error.message()), error.context()).what();
}

}  // namespace loupe::session
