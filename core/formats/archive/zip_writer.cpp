// SPDX-License-Identifier: Apache-2.0
#include "core/formats/archive/zip_writer.h"

#include <libdeflate.h>

#include <algorithm>
#include <concepts>
#include <future>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kElsewhere = 0xffffffff;
constexpr std::uint64_t kCrcOffset = 14;  // in a local header
constexpr std::uint16_t kUtf8Names = 0x0800;
// 1 January 1980, ZIP's first date: equal contents give equal bytes.
constexpr std::uint16_t kDosDate = 0x0021;

template <std::unsigned_integral T>
void put(std::string& out, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}
void put16(std::string& out, std::size_t value) { put(out, static_cast<std::uint16_t>(value)); }
void put32(std::string& out, std::uint64_t value) { put(out, static_cast<std::uint32_t>(std::min(value, kElsewhere))); }

bool needs_zip64(std::uint64_t value) { return value >= kElsewhere; }

// The zip64 extra field with the values that do not fit.
std::string zip64_extra(std::initializer_list<std::uint64_t> values) {
    std::string fields;
    for (const auto value : values) {
        if (needs_zip64(value)) put(fields, value);
    }
    if (fields.empty()) return {};
    std::string extra;
    put16(extra, 1);
    put16(extra, fields.size());
    return extra + fields;
}

// The common part of local header and directory entry, from "version needed" to the length of the extra field.
void put_common(std::string& out, std::string_view name, std::uint64_t size, std::uint32_t crc, std::size_t extra_size,
                bool zip64) {
    put16(out, zip64 ? 45 : 20);
    put16(out, kUtf8Names);
    put16(out, 0);
    put16(out, 0);
    put16(out, kDosDate);
    put(out, crc);
    put32(out, size);
    put32(out, size);
    put16(out, name.size());
    put16(out, extra_size);
}

}  // namespace

void ZipWriter::add(std::string_view name, std::initializer_list<std::span<const std::byte>> parts) {
    if (name.empty() || name.size() > 0xffff) throw Error(ErrorKind::Usage, "archive entry without a usable name");
    if (!names_.emplace(name).second) {
        throw Error(ErrorKind::Usage, concat("two archive entries are named '", name, "'"));
    }
    Entry entry{std::string(name), file_.size(), 0, 0};
    for (const auto part : parts) entry.size += part.size();
    std::string extra = zip64_extra({entry.size, entry.size});
    const bool zip64 = !extra.empty();
    const std::uint64_t payload = entry.offset + 30 + name.size() + extra.size() + 4;
    const std::uint64_t padding = (kAlignment - payload % kAlignment) % kAlignment;
    extra += "FB";  // the id PyTorch uses
    put16(extra, padding);
    extra.append(padding, 'Z');
    std::string header = "PK\x03\x04";
    put_common(header, name, entry.size, entry.crc, extra.size(), zip64);
    file_.write(header.append(name).append(extra));
    for (const auto part : parts) write_payload(part, entry.crc);
    std::string crc;
    put(crc, entry.crc);
    file_.overwrite(entry.offset + kCrcOffset, crc);
    entries_.push_back(std::move(entry));
}

// The checksum of a large payload is computed while it is written.
void ZipWriter::write_payload(std::span<const std::byte> payload, std::uint32_t& crc) {
    constexpr std::size_t kLarge = std::size_t{1} << 20;
    const auto policy = payload.size() < kLarge ? std::launch::deferred : std::launch::async;
    auto checksum =
        std::async(policy, [payload, crc] { return libdeflate_crc32(crc, payload.data(), payload.size()); });
    while (!payload.empty()) {
        check_cancelled();
        const auto piece = payload.first(std::min(payload.size(), kLarge));
        file_.write(piece);
        payload = payload.subspan(piece.size());
    }
    crc = checksum.get();
}

void ZipWriter::finish() {
    const std::uint64_t start = file_.size();
    for (const auto& entry : entries_) {
        const std::string extra = zip64_extra({entry.size, entry.size, entry.offset});
        std::string header = "PK\x01\x02";
        put16(header, extra.empty() ? 20 : 45);
        put_common(header, entry.name, entry.size, entry.crc, extra.size(), !extra.empty());
        header.append(10, '\0');  // comment length, disk, attributes
        put32(header, entry.offset);
        file_.write(header.append(entry.name).append(extra));
    }
    const std::uint64_t size = file_.size() - start;
    std::string end;
    if (needs_zip64(start) || needs_zip64(size) || entries_.size() >= 0xffff) {
        const std::uint64_t record = file_.size();
        end = "PK\x06\x06";
        put(end, std::uint64_t{44});
        put16(end, 45);
        put16(end, 45);
        put(end, std::uint64_t{0});
        put(end, std::uint64_t{entries_.size()});
        put(end, std::uint64_t{entries_.size()});
        put(end, size);
        put(end, start);
        end += "PK\x06\x07";
        put(end, std::uint32_t{0});
        put(end, record);
        put(end, std::uint32_t{1});
    }
    end += "PK\x05\x06";
    put(end, std::uint32_t{0});
    put16(end, std::min<std::size_t>(entries_.size(), 0xffff));
    put16(end, std::min<std::size_t>(entries_.size(), 0xffff));
    put32(end, size);
    put32(end, start);
    put16(end, 0);
    file_.write(end);
    file_.commit();
}

}  // namespace loupe
