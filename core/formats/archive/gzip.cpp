// SPDX-License-Identifier: Apache-2.0
#include "core/formats/archive/gzip.h"

#include <algorithm>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/inflate_stream.h"

namespace loupe {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr int kGzip = 16 + MAX_WBITS;

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
    return bytes.size() > 18 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b} && bytes[2] == std::byte{8};
}

Inflated inflate_gzip(std::span<const std::byte> bytes, std::size_t most) {
    InflateStream stream(kGzip);
    Inflated out;
    std::size_t size = 0;
    while (true) {
        check_cancelled();
        if (stream->avail_in == 0) {
            const std::size_t take = std::min(bytes.size(), kPiece);
            stream->next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
            stream->avail_in = static_cast<uInt>(take);
            bytes = bytes.subspan(take);
        }
        if (size >= most) {
            out.is_too_long = true;
            break;
        }
        const std::size_t room = std::min(kPiece, most - size);
        out.bytes.resize(size + room);
        stream->next_out = reinterpret_cast<Bytef*>(out.bytes.data() + size);
        stream->avail_out = static_cast<uInt>(room);
        const int status = stream.inflate();
        size += room - stream->avail_out;
        if (status == Z_STREAM_END) {
            const bool has_more = stream->avail_in > 0 || !bytes.empty();
            // What follows a member and is none is padding.
            if (!has_more || (stream->avail_in > 0 && *stream->next_in != 0x1f) || !stream.reset()) break;
            continue;
        }
        const bool is_starved = stream->avail_in == 0 && bytes.empty();
        if ((status != Z_OK && status != Z_BUF_ERROR) || (is_starved && stream->avail_out > 0)) {
            out.is_cut_off = true;
            break;
        }
    }
    out.bytes.resize(size);
    return out;
}

}  // namespace loupe
