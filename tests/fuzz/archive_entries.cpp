// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/archive_entries.h"

#include <unistd.h>

#include <cstdint>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/archive/zip_writer.h"

namespace loupe::fuzz {
namespace {

// Of this process alone: several may run at a time.
std::filesystem::path scratch(std::string_view name) {
    return std::filesystem::temp_directory_path() / concat("loupe_fuzz_", name, "_", ::getpid());
}

}  // namespace

bool is_archive(const std::string& bytes) {
    if (!bytes.starts_with("PK\x03\x04")) return false;
    const auto path = scratch("original");
    write_file_atomically(path, bytes);
    try {
        const ZipReader archive(MappedFile::open(path));
        return true;
    } catch (const Error&) {  // a file of several, one behind the other
        return false;
    }
}

std::vector<Entry> entries_of(const std::string& bytes) {
    const auto path = scratch("original");
    write_file_atomically(path, bytes);
    const ZipReader archive(MappedFile::open(path));
    std::vector<Entry> entries;
    for (const auto& entry : archive.entries())
        entries.push_back({entry.name, archive.read(entry, std::uint64_t{1} << 30)});
    std::filesystem::remove(path);
    return entries;
}

std::string archive_of(const std::vector<Entry>& entries) {
    const auto path = scratch("rewritten");
    ZipWriter writer(path);
    for (const auto& entry : entries) writer.add(entry.name, entry.text);
    writer.finish();
    std::string bytes = read_text_file(path);
    std::filesystem::remove(path);
    return bytes;
}

}  // namespace loupe::fuzz
