// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/piece.h"

#include <libdeflate.h>

#include <algorithm>
#include <memory>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/remote/channel.h"
#include "core/session/wire/wire.h"

namespace loupe::session {
namespace {

constexpr std::uint8_t kBulk = 1;
constexpr std::uint8_t kFirst = 2;
constexpr std::uint8_t kCompressed = 4;
constexpr std::uint8_t kGivenUp = 8;
constexpr std::uint8_t kAllMarks = kBulk | kFirst | kCompressed | kGivenUp;

constexpr std::size_t kWorthCompressing = 512;
// No more than that comes out of a byte of deflate.
constexpr std::size_t kMostExpansion = 1032;

[[noreturn]] void bad_piece(const std::string& what) { throw Error(ErrorKind::File, what); }

// Empty: it does not pay.
std::string compressed(std::string_view bytes) {
    if (bytes.size() < kWorthCompressing) return {};
    const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
        libdeflate_alloc_compressor(3), &libdeflate_free_compressor);
    if (compressor == nullptr) return {};
    std::string out(bytes.size() - bytes.size() / 10, '\0');
    out.resize(libdeflate_deflate_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
    return out;
}

std::string expanded(std::string_view bytes, std::size_t whole) {
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
        libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
    if (decompressor == nullptr) throw Error(ErrorKind::Run, "out of memory");
    std::string out(whole, '\0');
    if (libdeflate_deflate_decompress(decompressor.get(), bytes.data(), bytes.size(), out.data(), out.size(),
                                      nullptr) != LIBDEFLATE_SUCCESS)
        bad_piece("a message that does not expand");
    return out;
}

// Idle says that all before it was sent.
Lane lane_of(MessageKind kind, std::size_t size) {
    const bool is_long = kind == MessageKind::Answer && size > PieceMaker::kBulkBytes;
    return is_long || kind == MessageKind::Idle ? Lane::Bulk : Lane::Ordered;
}

}  // namespace

void PieceMaker::put(MessageKind kind, std::string_view bytes) {
    Waiting waiting;
    waiting.kind = kind;
    add(std::move(waiting), bytes);
}

void PieceMaker::put_last(MessageKind kind, std::string_view bytes, const std::string& key,
                          const Message& instead_of_it) {
    give_up(key);
    Waiting waiting;
    waiting.kind = kind;
    waiting.key = key;
    waiting.instead = instead_of_it;
    add(std::move(waiting), bytes);
}

// Of the bulk lane: short ones are as soon sent.
void PieceMaker::give_up(const std::string& key) {
    std::deque<Waiting>& lane = lanes_[static_cast<std::size_t>(Lane::Bulk)];
    for (auto at = lane.begin(); at != lane.end();) {
        if (at->key != key || at->is_given_up) {
            ++at;
            continue;
        }
        bytes_ -= at->bytes.size() - at->taken;
        put(at->instead.kind, at->instead.bytes);
        if (at->has_begun) {
            at->is_given_up = true;
            at->bytes.clear();
            at->taken = 0;
            ++at;
        } else {
            at = lane.erase(at);
        }
    }
}

void PieceMaker::add(Waiting waiting, std::string_view bytes) {
    waiting.whole = bytes.size();
    waiting.bytes = compressed(bytes);
    waiting.is_compressed = !waiting.bytes.empty();
    if (!waiting.is_compressed) waiting.bytes = bytes;
    bytes_ += waiting.bytes.size();
    const Lane lane = lane_of(waiting.kind, waiting.bytes.size());
    lanes_[static_cast<std::size_t>(lane)].push_back(std::move(waiting));
}

std::string PieceMaker::take() {
    const std::size_t lane = lanes_[0].empty() ? 1 : 0;
    Waiting& next = lanes_[lane].front();
    WireWriter out;
    if (next.is_given_up) {
        out.number(static_cast<std::uint8_t>(kBulk | kGivenUp));
        lanes_[lane].pop_front();
        return out.take();
    }
    const auto marks = static_cast<std::uint8_t>((lane == 1 ? kBulk : 0) | (next.has_begun ? 0 : kFirst) |
                                                 (next.is_compressed ? kCompressed : 0));
    out.number(marks);
    if (!next.has_begun) {
        out.number(static_cast<std::uint32_t>(next.kind));
        out.number(static_cast<std::uint64_t>(next.whole));
        out.number(static_cast<std::uint64_t>(next.bytes.size()));
    }
    const std::size_t size = std::min(kPieceBytes, next.bytes.size() - next.taken);
    out.append(next.bytes.data() + next.taken, size);
    next.has_begun = true;
    next.taken += size;
    bytes_ -= size;
    if (next.taken == next.bytes.size()) lanes_[lane].pop_front();
    return out.take();
}

std::optional<Message> PieceReader::take(std::string_view piece) {
    WireReader in(piece);
    const auto marks = in.number<std::uint8_t>();
    if ((marks & ~kAllMarks) != 0) bad_piece("a piece with unknown marks");
    Begun& lane = lanes_[(marks & kBulk) != 0 ? 1 : 0];
    std::size_t head = 1;
    if ((marks & kGivenUp) != 0) {
        if (!lane.has_begun || piece.size() != head) bad_piece("what is given up had not begun");
        lane = {};
        return std::nullopt;
    }
    if ((marks & kFirst) != 0) {
        if (lane.has_begun) bad_piece("a message begins inside another one");
        const auto kind = in.number<std::uint32_t>();
        const auto whole = in.number<std::uint64_t>();
        const auto size = in.number<std::uint64_t>();
        head += 20;
        if (kind > static_cast<std::uint32_t>(MessageKind::Joined)) bad_piece(concat(kind, " is no kind of message"));
        lane = {true, static_cast<MessageKind>(kind), (marks & kCompressed) != 0, 0, 0, {}};
        if (whole > Channel::kMostBytes || size > whole) bad_piece(concat("a message of ", whole, " bytes"));
        if (lane.is_compressed ? whole > size * kMostExpansion : size != whole)
            bad_piece(concat("a message of ", whole, " bytes in ", size));
        lane.whole = static_cast<std::size_t>(whole);
        lane.size = static_cast<std::size_t>(size);
    } else if (!lane.has_begun) {
        bad_piece("a piece of no message");
    }
    const std::string_view bytes = piece.substr(head);
    if (bytes.size() > lane.size - lane.bytes.size()) bad_piece("a message longer than it says");
    if (bytes.empty() && lane.size != 0) bad_piece("an empty piece");
    lane.bytes += bytes;
    if (lane.bytes.size() < lane.size) return std::nullopt;
    Begun done = std::exchange(lane, {});
    if (done.is_compressed) done.bytes = expanded(done.bytes, done.whole);
    return Message{done.kind, std::move(done.bytes)};
}

}  // namespace loupe::session
