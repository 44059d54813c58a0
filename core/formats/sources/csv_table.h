// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tables as comma-separated text (RFC 4180): fields may be in double quotes, with commas, line ends and doubled quotes
// in them. Records are indexed once; their fields are parsed on request.

#include <cstdint>
#include <string>
#include <vector>

#include "core/formats/sources/file_bytes.h"

namespace loupe::data {

struct CsvRecord {
    std::int64_t line = 0;  // from 1, of its first field
    std::vector<std::string> fields;
};

class CsvTable : public RefCounted {
  public:
    // delimiter: '\0' guesses among , ; tab and | from the first record. Throws Error as FileBytes, and Error (File)
    // for an empty file.
    CsvTable(const std::filesystem::path& path, char delimiter);

    // Without empty lines.
    std::int64_t size() const { return static_cast<std::int64_t>(records_.size()); }
    // Throws Error (File) "line 12: ..." for a quote that is not closed or is followed by more text.
    CsvRecord record(std::int64_t index) const;
    // "data.csv, line 12"
    std::string place(std::int64_t index) const;
    char delimiter() const { return delimiter_; }
    const std::filesystem::path& path() const { return file_->path(); }
    [[noreturn]] void fail(std::int64_t line, const std::string& what) const;

  private:
    struct Span {
        std::uint64_t begin;
        std::uint32_t size;
        std::uint32_t line;
    };
    void find_records();
    std::string_view text() const;

    Ptr<FileBytes> file_;
    char delimiter_;
    std::vector<Span> records_;
};

}  // namespace loupe::data
