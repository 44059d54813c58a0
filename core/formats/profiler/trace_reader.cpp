// SPDX-License-Identifier: Apache-2.0
#include "core/formats/profiler/trace_reader.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/gzip.h"
#include "core/formats/profiler/trace_events.h"

namespace loupe {
namespace {

constexpr std::size_t kHead = 64 << 10;                  // devices are listed before the events
constexpr std::size_t kMostText = std::size_t{8} << 30;  // of a compressed file
constexpr std::size_t kLeastInflated = std::size_t{64} << 20;
constexpr std::size_t kMostRatio = 300;
constexpr std::string_view kEvents = "\"traceEvents\"";

bool looks_like_trace(std::string_view head) {
    const auto first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return false;
    if (head[first] == '{') return head.find(kEvents) != std::string_view::npos;
    return head[first] == '[' && head.substr(0, 4096).find("\"ph\"") != std::string_view::npos;
}

// Behind the bracket that opens the list of events; npos: there is none.
std::size_t find_events(std::string_view text) {
    std::size_t at = text.find_first_not_of(" \t\r\n");
    if (at == std::string_view::npos) return at;
    if (text[at] == '{') {
        at = text.find(kEvents);
        if (at != std::string_view::npos) at = text.find_first_not_of(" \t\r\n:", at + kEvents.size());
    }
    return at == std::string_view::npos || text[at] != '[' ? std::string_view::npos : at + 1;
}

// Walks over the elements of a list without reading them.
class Elements {
  public:
    Elements(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

    // The next element, which may be no JSON; nullopt: there is no whole one any more.
    std::optional<std::string_view> next() {
        at_ = text_.find_first_not_of(" \t\r\n,", at_);
        if (at_ == std::string_view::npos || text_[at_] == ']' || text_[at_] == '}') return std::nullopt;
        const std::size_t begin = at_;
        std::size_t depth = 0;
        for (; at_ < text_.size(); ++at_) {
            switch (text_[at_]) {
                case '"':
                    skip_text();
                    break;
                case '{':
                case '[':
                    ++depth;
                    break;
                case '}':
                case ']':
                    if (depth == 0) return text_.substr(begin, at_ - begin);
                    if (--depth == 0) return text_.substr(begin, ++at_ - begin);
                    break;
                case ',':
                    if (depth == 0) return text_.substr(begin, at_ - begin);
                    break;
                default:
                    break;
            }
        }
        at_ = begin;
        return std::nullopt;
    }
    bool is_at_end() const { return at_ < text_.size() && text_[at_] == ']'; }
    std::size_t position() const { return std::min(at_, text_.size()); }

  private:
    // To the quote at its end.
    void skip_text() {
        while (true) {
            const void* quote =
                at_ + 1 < text_.size() ? std::memchr(text_.data() + at_ + 1, '"', text_.size() - at_ - 1) : nullptr;
            if (quote == nullptr) {
                at_ = text_.size();
                return;
            }
            const auto end = static_cast<std::size_t>(static_cast<const char*>(quote) - text_.data());
            std::size_t escapes = 0;
            while (escapes < end - at_ - 1 && text_[end - 1 - escapes] == '\\') ++escapes;
            at_ = end;
            if (escapes % 2 == 0) return;
        }
    }

    std::string_view text_;
    std::size_t at_;
};

// Reads elements in batches, so that the memory it takes does not grow with the file.
class BatchReader {
  public:
    explicit BatchReader(TraceEvents& out) : out_(out) {}

    void add(std::string_view element) {
        batch_ += batch_.empty() ? "[" : ",";
        batch_ += element;
        elements_.push_back(element);
        if (batch_.size() >= kBatch) finish();
    }
    void finish() {
        if (elements_.empty()) return;
        batch_ += ']';
        const std::size_t size = batch_.size();
        batch_.append(JsonDocument::kPadding, ' ');
        if (const auto all = JsonDocument::parse_padded(std::string_view(batch_).substr(0, size), kDeepest)) {
            for (const JsonValue& event : all->root().elements()) out_.add(event);
        } else {
            add_each();
        }
        batch_.clear();
        elements_.clear();
    }

  private:
    static constexpr std::size_t kBatch = std::size_t{1} << 20;
    static constexpr std::size_t kDeepest = 400;

    // One of them is damaged.
    void add_each() {
        for (const std::string_view element : elements_) {
            const auto event = JsonDocument::parse(element, kDeepest);
            event ? out_.add(event->root()) : out_.add_damaged();
        }
    }

    TraceEvents& out_;
    std::string batch_;
    std::vector<std::string_view> elements_;
};

ProfileTrace read_text(std::string_view text) {
    const std::size_t begin = find_events(text);
    if (begin == std::string_view::npos) throw_file_error("a trace whose traceEvents are no list");
    TraceEvents out;
    BatchReader reader(out);
    Elements elements(text, begin);
    while (const auto element = elements.next()) reader.add(*element);
    reader.finish();
    ProfileTrace trace = out.finish();
    const std::string_view head = text.substr(0, begin);
    const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
    trace.source = has("\"schemaVersion\"") || has("\"baseTimeNanoseconds\"") ? "PyTorch's profiler"
                                                                              : "a trace in Chrome's format";
    if (!elements.is_at_end())
        trace.notes.insert(trace.notes.begin(), concat("cut off behind byte ", elements.position(), " of ", text.size(),
                                                       ": the rest is not shown"));
    if (trace.zones.empty() && trace.counters.empty())
        throw_file_error(concat("a trace without events", trace.notes.empty() ? "" : concat(": ", trace.notes.back())));
    return trace;
}

}  // namespace

bool is_profile_trace(std::span<const std::byte> bytes) {
    if (!is_gzip(bytes)) return looks_like_trace(as_text(bytes).substr(0, kHead));
    try {
        return looks_like_trace(inflate_gzip(bytes, kHead).bytes);
    } catch (const Error&) {
        return false;
    }
}

ProfileTrace read_profile_trace(const Ptr<MappedFile>& file) {
    const auto bytes = std::span<const std::byte>(file->bytes());
    ProfileTrace trace;
    if (is_gzip(bytes)) {
        // Events of a profiler are some 20 times as long as compressed; a bomb is a thousand times.
        const std::size_t most = std::min(kMostText, std::max(kLeastInflated, bytes.size() * kMostRatio));
        const Inflated inflated = inflate_gzip(bytes, most);
        if (inflated.is_too_long)
            throw_file_error(
                concat("a compressed trace that inflates to more than ", format_bytes(static_cast<double>(most))));
        trace = read_text(inflated.bytes);
    } else {
        trace = read_text(as_text(bytes));
    }
    trace.path = file->path().string();
    return trace;
}

}  // namespace loupe
