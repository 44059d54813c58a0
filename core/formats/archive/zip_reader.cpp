// SPDX-License-Identifier: Apache-2.0
#include "core/formats/archive/zip_reader.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/inflate_stream.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kZip64EndSignature = 0x06064b50;
constexpr std::uint32_t kZip64LocatorSignature = 0x07064b50;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kCentralSize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kZip64LocatorSize = 20;
constexpr std::size_t kLongestComment = 0xffff;
constexpr std::uint16_t kZip64Extra = 1;
constexpr std::uint16_t kEncryptedFlags = 0x0001 | 0x0040;
// Deflate's greatest ratio.
constexpr std::uint64_t kDeflateRatio = 1032;
// An inflated payload this large with this ratio is rejected as a bomb.
constexpr std::uint64_t kSuspiciousSize = std::uint64_t{1} << 30;
constexpr std::uint64_t kSuspiciousRatio = 100;

bool is_safe_name(std::string_view name) {
    if (name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos ||
        name.find('\0') != std::string_view::npos) {
        return false;
    }
    return std::ranges::none_of(split(name, '/'), [](std::string_view part) { return part == ".." || part == "."; });
}

// Replaces the fields that refer to the zip64 record by its values, in its fixed order.
void apply_zip64(std::span<const std::byte> extra, std::initializer_list<std::uint64_t*> fields) {
    constexpr std::uint64_t kElsewhere = 0xffffffff;
    ByteReader reader(extra, "extra field");
    while (reader.remaining() >= 4) {
        const auto id = reader.little<std::uint16_t>();
        const auto part = reader.take(reader.little<std::uint16_t>());
        if (id != kZip64Extra) continue;
        ByteReader values(part, "zip64 extra field");
        for (auto* field : fields) {
            if (*field == kElsewhere) *field = values.little<std::uint64_t>();
        }
        return;
    }
}

class Inflater {
  public:
    // Fills `out`; true when the stream ends exactly there.
    bool run(std::span<const std::byte> in, std::span<std::byte> out) {
        std::byte beyond{};
        int status = Z_OK;
        while (status == Z_OK) {
            check_cancelled();
            refill(in);
            const bool full = out.empty();
            const std::size_t room = full ? 1 : std::min<std::size_t>(out.size(), kPiece);
            stream_->next_out = reinterpret_cast<Bytef*>(full ? &beyond : out.data());
            stream_->avail_out = static_cast<uInt>(room);
            status = stream_.inflate();
            const std::size_t made = room - stream_->avail_out;
            if (full && made > 0) return false;
            if (!full) out = out.subspan(made);
            if (status == Z_BUF_ERROR && stream_->avail_in == 0 && !in.empty()) status = Z_OK;
        }
        return status == Z_STREAM_END && out.empty();
    }

  private:
    static constexpr std::size_t kPiece = std::size_t{1} << 24;

    void refill(std::span<const std::byte>& in) {
        if (stream_->avail_in > 0 || in.empty()) return;
        const std::size_t size = std::min(in.size(), kPiece);
        stream_->next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
        stream_->avail_in = static_cast<uInt>(size);
        in = in.subspan(size);
    }

    // Negative: raw deflate, as ZIP stores it.
    InflateStream stream_{-MAX_WBITS};
};

std::uint32_t crc_of(std::span<const std::byte> bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

}  // namespace

bool is_zip(std::span<const std::byte> bytes) {
    const auto text = as_text(bytes.first(std::min<std::size_t>(bytes.size(), 4)));
    return text == "PK\x03\x04" || text == "PK\x05\x06";
}

ZipReader::ZipReader(Ptr<MappedFile> file) : file_(std::move(file)) {
    try {
        const Directory directory = find_directory();
        read_entries(directory);
        locate_payloads(directory.offset);
    } catch (Error& error) {
        error.add_context({.file = file_name()});
        throw;
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (!index_.emplace(entries_[i].name, i).second)
            fail(concat("two entries are named ", quote_name(entries_[i].name)));
    }
}

void ZipReader::fail(std::string message) const { throw_file_error(std::move(message), file_name()); }

ZipReader::Directory ZipReader::find_directory() const {
    const auto bytes = std::span<const std::byte>(file_->bytes());
    const std::size_t longest = std::min(bytes.size(), kEndSize + kLongestComment);
    for (std::size_t size = kEndSize; size <= longest; ++size) {
        const std::size_t at = bytes.size() - size;
        ByteReader reader(bytes.subspan(at), "end of central directory");
        if (reader.little<std::uint32_t>() != kEndSignature) continue;
        const auto disk = reader.little<std::uint16_t>();
        reader.skip(4);
        Directory directory{.count = reader.little<std::uint16_t>()};
        directory.size = reader.little<std::uint32_t>();
        directory.offset = reader.little<std::uint32_t>();
        if (reader.little<std::uint16_t>() != reader.remaining()) continue;
        if (directory.count == 0xffff || directory.size == 0xffffffff || directory.offset == 0xffffffff) {
            directory = read_zip64_directory(at);
        } else if (disk != 0) {
            fail("archive in several parts");
        }
        if (directory.offset > at || directory.size > at - directory.offset) {
            fail(concat("truncated: central directory of ", directory.size, " bytes at byte ", directory.offset,
                        " ends after byte ", at, " of ", bytes.size()));
        }
        if (directory.count > directory.size / kCentralSize) {
            fail(concat("central directory of ", directory.size, " bytes cannot hold ", directory.count, " entries"));
        }
        return directory;
    }
    fail(concat("truncated: no central directory at the end of ", bytes.size(), " bytes"));
}

ZipReader::Directory ZipReader::read_zip64_directory(std::size_t end_record) const {
    const auto bytes = std::span<const std::byte>(file_->bytes());
    if (end_record < kZip64LocatorSize) fail("truncated: no zip64 directory locator");
    ByteReader locator(bytes.subspan(end_record - kZip64LocatorSize, kZip64LocatorSize), "zip64 directory locator");
    if (locator.little<std::uint32_t>() != kZip64LocatorSignature) fail("no zip64 directory locator");
    locator.skip(4);
    const auto at = locator.little<std::uint64_t>();
    if (at > end_record) fail(concat("zip64 directory record at byte ", at, " of ", bytes.size()));
    ByteReader record(bytes.subspan(static_cast<std::size_t>(at)), "zip64 directory record");
    if (record.little<std::uint32_t>() != kZip64EndSignature) fail("no zip64 directory record");
    record.skip(20);
    record.skip(8);
    Directory directory;
    directory.count = record.little<std::uint64_t>();
    directory.size = record.little<std::uint64_t>();
    directory.offset = record.little<std::uint64_t>();
    return directory;
}

void ZipReader::read_entries(const Directory& directory) {
    const auto bytes = std::span<const std::byte>(file_->bytes());
    ByteReader reader(
        bytes.subspan(static_cast<std::size_t>(directory.offset), static_cast<std::size_t>(directory.size)),
        "central directory");
    entries_.reserve(static_cast<std::size_t>(directory.count));
    for (std::uint64_t i = 0; i < directory.count; ++i) {
        if (reader.little<std::uint32_t>() != kCentralSignature) {
            fail(concat("central directory: entry ", i, " of ", directory.count, " has no signature"));
        }
        ZipEntry entry;
        reader.skip(4);
        const auto flags = reader.little<std::uint16_t>();
        entry.method = reader.little<std::uint16_t>();
        reader.skip(4);
        entry.crc = reader.little<std::uint32_t>();
        entry.stored_size = reader.little<std::uint32_t>();
        entry.size = reader.little<std::uint32_t>();
        const auto name_size = reader.little<std::uint16_t>();
        const auto extra_size = reader.little<std::uint16_t>();
        const auto comment_size = reader.little<std::uint16_t>();
        reader.skip(8);
        entry.data_offset = reader.little<std::uint32_t>();  // of the local header, until it is read
        entry.name = reader.take_text(name_size);
        apply_zip64(reader.take(extra_size), {&entry.size, &entry.stored_size, &entry.data_offset});
        reader.skip(comment_size);
        if (!is_safe_name(entry.name)) fail(concat("bad entry name ", quote_name(entry.name)));
        if ((flags & kEncryptedFlags) != 0) fail(concat("entry ", quote_name(entry.name), " is encrypted"));
        if (entry.is_stored() && entry.stored_size != entry.size) {
            fail(concat("entry ", quote_name(entry.name), " has two sizes: ", entry.stored_size, " and ", entry.size));
        }
        if (entry.name.ends_with('/') && entry.size == 0) continue;
        entries_.push_back(std::move(entry));
    }
}

void ZipReader::locate_payloads(std::uint64_t directory_offset) {
    const auto bytes = std::span<const std::byte>(file_->bytes());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    ranges.reserve(entries_.size());
    for (auto& entry : entries_) {
        const std::uint64_t start = entry.data_offset;
        if (start > directory_offset || directory_offset - start < kLocalSize) {
            fail(concat("entry ", quote_name(entry.name), " starts at byte ", start, " of ", bytes.size()));
        }
        ByteReader local(bytes.subspan(static_cast<std::size_t>(start), kLocalSize), "local header");
        if (local.little<std::uint32_t>() != kLocalSignature)
            fail(concat("entry ", quote_name(entry.name), " has no header"));
        local.skip(22);
        const auto name_size = local.little<std::uint16_t>();
        const auto extra_size = local.little<std::uint16_t>();
        entry.data_offset = start + kLocalSize + name_size + extra_size;
        if (entry.data_offset > directory_offset || entry.stored_size > directory_offset - entry.data_offset) {
            fail(concat("truncated: entry ", quote_name(entry.name), " of ", entry.stored_size, " bytes at byte ",
                        entry.data_offset, " reaches over the central directory at byte ", directory_offset));
        }
        ranges.emplace_back(start, entry.data_offset + entry.stored_size);
    }
    std::ranges::sort(ranges);
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i].first < ranges[i - 1].second) fail(concat("entries overlap at byte ", ranges[i].first));
    }
}

const ZipEntry* ZipReader::find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &entries_[found->second];
}

std::span<std::byte> ZipReader::stored_bytes(const ZipEntry& entry) const {
    if (!entry.is_stored()) fail(concat("entry ", quote_name(entry.name), " is compressed"));
    return file_->bytes().subspan(static_cast<std::size_t>(entry.data_offset), static_cast<std::size_t>(entry.size));
}

std::size_t ZipReader::checked_size(const ZipEntry& entry, std::uint64_t limit) const {
    if (entry.size > limit) {
        fail(concat("entry ", quote_name(entry.name), " of ", entry.size, " bytes is over the limit of ", limit));
    }
    const std::uint64_t ratio = entry.size > kSuspiciousSize ? kSuspiciousRatio : kDeflateRatio;
    if (!entry.is_stored() && entry.size / ratio > entry.stored_size) {
        fail(concat("entry ", quote_name(entry.name), " claims to inflate from ", entry.stored_size, " to ", entry.size,
                    " bytes"));
    }
    return static_cast<std::size_t>(entry.size);
}

void ZipReader::read_into(const ZipEntry& entry, std::span<std::byte> out) const {
    const auto stored =
        std::span<const std::byte>(file_->bytes())
            .subspan(static_cast<std::size_t>(entry.data_offset), static_cast<std::size_t>(entry.stored_size));
    if (out.size() != entry.size) throw Error(ErrorKind::Internal, "read_into: wrong size of the target");
    if (entry.is_stored()) {
        if (!out.empty()) std::memcpy(out.data(), stored.data(), out.size());
    } else if (entry.method != 8) {
        fail(concat("entry ", quote_name(entry.name), " has compression method ", entry.method,
                    ", which is not supported"));
    } else if (!Inflater().run(stored, out)) {
        fail(concat("damaged: entry ", quote_name(entry.name), " does not inflate to its ", entry.size, " bytes"));
    }
    check_crc(entry, out);
}

void ZipReader::check_crc(const ZipEntry& entry, std::span<const std::byte> payload) const {
    if (crc_of(payload) != entry.crc) fail(concat("damaged: entry ", quote_name(entry.name), " has another checksum"));
}

std::string ZipReader::read(const ZipEntry& entry, std::uint64_t limit) const {
    std::string text(checked_size(entry, limit), '\0');
    read_into(entry, std::as_writable_bytes(std::span(text)));
    return text;
}

std::string_view ZipReader::view(const ZipEntry& entry, std::uint64_t limit, std::string& inflated,
                                 std::size_t padding) const {
    const std::size_t size = checked_size(entry, limit);
    // Behind a stored entry the directory follows: what it is short of is seen in damaged archives only.
    const bool is_padded = file_->bytes().size() - (entry.data_offset + entry.stored_size) >= padding;
    if (!entry.is_stored() || !is_padded) {
        inflated = read(entry, limit);
        inflated.append(padding, '\0');
        return std::string_view(inflated).substr(0, size);
    }
    const std::span<const std::byte> payload = stored_bytes(entry);
    check_crc(entry, payload);
    return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

}  // namespace loupe
