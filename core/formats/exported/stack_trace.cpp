// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/stack_trace.h"

#include <charconv>

#include "core/base/library_path.h"
#include "core/base/strings.h"
#include "core/base/trimmed.h"

namespace loupe::exported {
namespace {

// A damaged trace may name any line; no model's files have more together.
constexpr std::size_t kMostLines = 1'000'000;

}  // namespace

std::vector<TraceFrame> parse_stack_trace(std::string_view trace) {
    std::vector<TraceFrame> frames;
    bool expects_text = false;
    for (const std::string_view full : split(trace, '\n')) {
        const std::string_view line = trimmed(full);
        if (line.starts_with("File \"")) {
            const auto end = line.find("\", line ");
            if (end == std::string_view::npos) continue;
            TraceFrame frame;
            frame.file = line.substr(6, end - 6);
            const std::string_view rest = line.substr(end + 8);
            const auto [stop, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), frame.line);
            if (failure != std::errc{} || frame.line == 0 || frame.line > kMostLines) continue;
            const std::string_view in = rest.substr(static_cast<std::size_t>(stop - rest.data()));
            if (in.starts_with(", in ")) frame.function = in.substr(5);
            frames.push_back(frame);
            expects_text = true;
        } else if (expects_text && !line.empty()) {
            // Traces indent text by four spaces; the line's own indentation is not known.
            frames.back().text = full.substr(std::min<std::size_t>(full.find_first_not_of(' '), full.size()));
            expects_text = false;
        }
    }
    return frames;
}

void TraceSources::note(const std::vector<TraceFrame>& frames) {
    for (const TraceFrame& frame : frames) {
        auto& lines = lines_[std::string(frame.file)];
        const std::size_t before = lines.empty() ? 0 : lines.rbegin()->first;
        const std::size_t more = frame.line > before ? frame.line - before : 0;
        if (total_ + more > kMostLines) continue;
        total_ += more;
        lines.emplace(frame.line, frame.text);
    }
}

void TraceSources::finish() {
    for (const auto& [file, lines] : lines_) {
        std::string text;
        std::size_t at = 1;
        for (const auto& [number, line] : lines) {
            text.append(number - at, '\n');
            text += line;
            at = number;
        }
        sources_[file] = std::make_shared<const ir::Source>(std::move(text), file);
    }
}

ir::SourceRange TraceSources::range_of(const TraceFrame& frame) const {
    const auto found = sources_.find(frame.file);
    if (found == sources_.end() || frame.line > found->second->line_count()) return {};
    const std::size_t start = found->second->line_start(frame.line - 1);
    return {found->second, start, start + found->second->line(frame.line - 1).size()};
}

std::vector<std::shared_ptr<const ir::Source>> TraceSources::sources() const {
    std::vector<std::shared_ptr<const ir::Source>> out;
    for (const bool is_library : {false, true}) {
        for (const auto& [file, source] : sources_) {
            if (is_library_path(file) == is_library) out.push_back(source);
        }
    }
    return out;
}

}  // namespace loupe::exported
