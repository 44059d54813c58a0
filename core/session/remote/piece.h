// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages in pieces, as a link sends them: a long one does not keep short ones waiting, and what compresses is
// compressed. A piece is a byte of marks, before the first of a message its kind and the sizes, then bytes of it. A
// long message that nobody wants any more ends in a piece that says so.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "core/session/remote/message_port.h"

namespace loupe::session {

// Messages of a lane stay in their order. Bulk: long answers, and what must not come before them.
enum class Lane : std::uint8_t { Ordered, Bulk };

class PieceMaker {
  public:
    static constexpr std::size_t kPieceBytes = 16 << 10;
    // Answers beyond that are bulk.
    static constexpr std::size_t kBulkBytes = 24 << 10;

    void put(MessageKind kind, std::string_view bytes);
    // See MessagePort::write_last().
    void put_last(MessageKind kind, std::string_view bytes, const std::string& key, const Message& instead_of_it);
    bool is_empty() const { return lanes_[0].empty() && lanes_[1].empty(); }
    // What waits.
    std::size_t bytes() const { return bytes_; }
    // The next piece, of the ordered lane where there is one. Not when it is empty.
    std::string take();
    void clear() { *this = {}; }

  private:
    struct Waiting {
        MessageKind kind{};
        bool is_compressed = false;
        std::size_t whole = 0;  // bytes of the message
        std::string bytes;
        std::size_t taken = 0;
        bool has_begun = false;
        bool is_given_up = false;
        std::string key = {};  // empty: it has none
        Message instead = {};  // of one that has
    };
    void add(Waiting waiting, std::string_view bytes);
    void give_up(const std::string& key);

    std::array<std::deque<Waiting>, 2> lanes_;
    std::size_t bytes_ = 0;
};

// The other side: nothing that it is given is trusted, and memory grows with what really comes.
class PieceReader {
  public:
    // The message that this one completes; nullopt also when it was given up. Throws Error (File) for what is no piece.
    std::optional<Message> take(std::string_view piece);

  private:
    struct Begun {
        bool has_begun = false;
        MessageKind kind{};
        bool is_compressed = false;
        std::size_t whole = 0;
        std::size_t size = 0;  // of what is sent
        std::string bytes;
    };
    std::array<Begun, 2> lanes_;
};

}  // namespace loupe::session
