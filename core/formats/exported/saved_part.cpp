// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/saved_part.h"

#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/checkpoint/checkpoint.h"

namespace loupe::exported {

IValue read_saved_part(const ZipReader& archive, const ZipEntry& entry, PickledClasses& classes) {
    const std::size_t size = archive.checked_size(entry, std::numeric_limits<std::uint64_t>::max());
    const FileHandle memory = memory_file();
    std::string bytes(size, '\0');
    archive.read_into(entry, std::as_writable_bytes(std::span(bytes)));
    write_at(memory, 0, bytes, entry.name);
    try {
        return read_checkpoint(MappedFile::map(memory, entry.name), classes);
    } catch (const Error& error) {
        if (error.context().file != entry.name) throw;
        // The file is the archive; the message names its part.
        ErrorContext context = error.context();
        context.file.clear();
        throw Error(error.kind(), concat(entry.name, ": ", error.message()), std::move(context));
    }
}

std::vector<std::int64_t> sizes_of(const JsonValue& list, const std::string& what) {
    std::vector<std::int64_t> sizes;
    for (const JsonValue& each : list_of(list, what)) {
        sizes.push_back(size_of(each, what));
        if (sizes.back() < 0) throw_file_error(concat(what, " has a negative size or stride"));
    }
    if (sizes.size() > 64) throw_file_error(concat(what, " has ", sizes.size(), " dimensions"));
    return sizes;
}

std::uint64_t storage_extent(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides,
                             std::int64_t offset, std::int64_t width, const std::string& what) {
    if (sizes.size() != strides.size() || offset < 0) throw_file_error(concat(what, " has no sizes and strides"));
    std::int64_t last = offset;
    std::int64_t numel = 1;
    bool is_too_large = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 0) return 0;
        std::int64_t reach = 0;
        is_too_large = is_too_large || __builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
                       __builtin_add_overflow(last, reach, &last) || __builtin_mul_overflow(numel, sizes[i], &numel);
    }
    std::int64_t bytes = 0;
    is_too_large = is_too_large || __builtin_add_overflow(last, 1, &last) ||
                   __builtin_mul_overflow(last, width, &bytes) || __builtin_mul_overflow(numel, width, &numel);
    if (is_too_large) throw_file_error(concat(what, " is too large"));
    return static_cast<std::uint64_t>(bytes);
}

}  // namespace loupe::exported
