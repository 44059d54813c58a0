// SPDX-License-Identifier: Apache-2.0
#include "core/formats/sources/csv_table.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe::data {
namespace {

constexpr std::size_t kLargestRecord = std::size_t{1} << 28;

char guess_delimiter(std::string_view first_line) {
    constexpr std::array<char, 4> kKnown{',', ';', '\t', '|'};
    return *std::ranges::max_element(kKnown, {}, [&](char c) { return std::ranges::count(first_line, c); });
}

}  // namespace

CsvTable::CsvTable(const std::filesystem::path& path, char delimiter)
    : file_(make_ptr<FileBytes>(path)), delimiter_(delimiter) {
    if (file_->is_truncated()) throw_file_error("truncated gzip stream", path.string());
    if (delimiter_ == '\0')
        delimiter_ = guess_delimiter(text().substr(0, std::min(text().find('\n'), std::size_t{1} << 16)));
    find_records();
    if (records_.empty()) throw_file_error("an empty table", path.string());
}

std::string_view CsvTable::text() const {
    const std::string_view all = as_text(file_->bytes());
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    return all.starts_with(kByteOrderMark) ? all.substr(kByteOrderMark.size()) : all;
}

void CsvTable::fail(std::int64_t line, const std::string& what) const {
    throw_file_error(concat("line ", line, ": ", what), path().string());
}

// Line ends in quotes belong to the record.
void CsvTable::find_records() {
    const std::string_view all = text();
    std::uint32_t line = 1;
    for (std::size_t at = 0; at < all.size();) {
        if (records_.size() % 4096 == 0) check_cancelled();
        const std::size_t begin = at;
        const std::uint32_t first_line = line;
        bool is_quoted = false;
        while (at < all.size() && (is_quoted || all[at] != '\n')) {
            if (all[at] == '"') is_quoted = !is_quoted;
            if (all[at] == '\n') ++line;
            if (at - begin > kLargestRecord)
                fail(first_line, is_quoted ? "a quote is not closed" : "a record of more than 256 MiB");
            ++at;
        }
        std::size_t end = at;
        if (end > begin && all[end - 1] == '\r') --end;
        if (end > begin) records_.push_back({begin, static_cast<std::uint32_t>(end - begin), first_line});
        if (line == std::numeric_limits<std::uint32_t>::max()) fail(line, "too many lines");
        ++line;
        ++at;
    }
}

std::string CsvTable::place(std::int64_t index) const {
    return concat(path().filename().string(), ", line ", records_[static_cast<std::size_t>(index)].line);
}

CsvRecord CsvTable::record(std::int64_t index) const {
    const Span& span = records_[static_cast<std::size_t>(index)];
    const std::string_view all = text().substr(span.begin, span.size);
    CsvRecord record{span.line, {}};
    std::size_t at = 0;
    while (true) {
        std::string field;
        if (at < all.size() && all[at] == '"') {
            for (++at;; ++at) {
                if (at >= all.size()) fail(span.line, "a quote is not closed");
                if (all[at] == '"' && (at + 1 >= all.size() || all[at + 1] != '"')) break;
                if (all[at] == '"') ++at;
                field += all[at];
            }
            if (++at < all.size() && all[at] != delimiter_) {
                fail(span.line, concat("field ", record.fields.size() + 1, " goes on after its closing quote"));
            }
        } else {
            const std::size_t end = std::min(all.find(delimiter_, at), all.size());
            field = all.substr(at, end - at);
            at = end;
        }
        record.fields.push_back(std::move(field));
        if (at >= all.size()) return record;
        ++at;
    }
}

}  // namespace loupe::data
