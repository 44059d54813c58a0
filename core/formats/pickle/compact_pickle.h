// SPDX-License-Identifier: Apache-2.0
#pragma once
// Python's pickle machine for files of gigabytes, whose values are plain: numbers, texts, lists, tuples, dicts. A value
// takes 8 bytes, and a container becomes at once what a builder makes of it: no tree is kept. Nothing is called or
// imported: names and calls are refused. For smaller files see pickle_reader.h.
//
//     struct Builder {
//         // A text, at the same place as long as the file is mapped.
//         std::uint32_t text(std::string_view text);
//         // Key, value, key, value, ... into a dict; elements into a list. A container is filled in one or several
//         // steps. state: what the builder keeps of the container, 0 before the first.
//         void fill_dict(PickleCell& dict, std::span<const PickleWord> pairs);
//         void fill_list(PickleCell& list, std::span<const PickleWord> elements);
//         void fill_tuple(PickleCell& tuple, std::span<const PickleWord> elements);
//     };

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe {

enum class PickleType : std::uint8_t { None, Bool, Int, LargeInt, Float, Text, List, Tuple, Dict };

// A value: its type, and 60 bits that say which.
class PickleWord {
  public:
    PickleWord() = default;
    PickleWord(PickleType type, std::uint64_t payload) : bits_((payload << 4) | static_cast<std::uint64_t>(type)) {}
    PickleType type() const { return static_cast<PickleType>(bits_ & 15); }
    std::uint64_t payload() const { return bits_ >> 4; }
    std::int64_t small_integer() const { return static_cast<std::int64_t>(bits_) >> 4; }
    bool is_container() const { return type() >= PickleType::List; }

  private:
    std::uint64_t bits_ = 0;
};

// What a builder keeps of a container.
struct PickleCell {
    std::uint32_t kind = 0;
    std::uint32_t number = 0;
};

template <class Builder>
class CompactPickle {
  public:
    CompactPickle(std::span<const std::byte> bytes, Builder& builder) : bytes_(bytes), builder_(builder) {}

    // Runs to the end mark; the value there. Throws Error (File, Cancelled): what was filled until then stays with the
    // builder.
    PickleWord run();

    const PickleCell& cell(PickleWord word) const { return cells_[word.payload()]; }
    // Of an Int or a LargeInt. A LargeInt has more than 60 bits, and may be one of 64 without a sign.
    std::int64_t integer(PickleWord word) const {
        return word.type() == PickleType::Int ? word.small_integer() : large_[word.payload()];
    }
    double number(PickleWord word) const { return std::bit_cast<double>(large_[word.payload()]); }
    bool is_integer(PickleWord word) const {
        return word.type() == PickleType::Int || word.type() == PickleType::LargeInt;
    }
    // What stands on the stack, the innermost last: after an error, the containers that were being filled.
    std::span<const PickleWord> stack() const { return stack_; }
    std::size_t position() const { return at_; }

  private:
    static constexpr std::size_t kMost = 120'000'000;  // of containers, of memorised values, of values on the stack

    [[noreturn]] void fail(std::string_view what) const {
        throw_file_error(concat("pickle: ", what, " at byte ", at_));
    }
    const std::byte* take(std::uint64_t count) {
        if (count > bytes_.size() - at_)
            throw_file_error(concat("cut off: ends at byte ", bytes_.size(), " inside of a value"));
        const std::byte* from = bytes_.data() + at_;
        at_ += static_cast<std::size_t>(count);
        return from;
    }
    template <typename T>
    T little() {
        static_assert(std::endian::native == std::endian::little);
        T value;
        std::memcpy(&value, take(sizeof(T)), sizeof(T));
        return value;
    }
    void push(PickleWord word) {
        if (stack_.size() >= kMost) fail("too many values");
        stack_.push_back(word);
    }
    void push_integer(std::int64_t value) {
        constexpr std::int64_t kLimit = std::int64_t{1} << 59;
        if (value >= -kLimit && value < kLimit) return push({PickleType::Int, static_cast<std::uint64_t>(value)});
        push_large(PickleType::LargeInt, value);
    }
    void push_large(PickleType type, std::int64_t bits) {
        if (large_.size() >= kMost) fail("too many values");
        push({type, large_.size()});
        large_.push_back(bits);
    }
    void push_long(std::uint64_t size);
    void push_text(std::uint64_t size) {
        const auto* from = reinterpret_cast<const char*>(take(size));
        push({PickleType::Text, builder_.text({from, static_cast<std::size_t>(size)})});
    }
    void push_container(PickleType type) {
        if (cells_.size() >= kMost) fail("too many values");
        push({type, cells_.size()});
        cells_.emplace_back();
    }
    PickleWord pop() {
        if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("stack underflow");
        const PickleWord word = stack_.back();
        stack_.pop_back();
        return word;
    }
    PickleWord top() {
        if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("stack underflow");
        return stack_.back();
    }
    std::span<const PickleWord> above_mark() {
        if (marks_.empty()) fail("no mark");
        return std::span<const PickleWord>(stack_).subspan(marks_.back());
    }
    void drop_to_mark() {
        stack_.resize(marks_.back());
        marks_.pop_back();
    }
    void memorise(std::uint64_t number, PickleWord word);
    PickleWord recall(std::uint64_t number) {
        if (number >= memo_.size()) fail("nothing was memorised under a number");
        return memo_[number];
    }
    void fill_below_mark(bool is_dict);
    void fill(PickleWord container, std::span<const PickleWord> elements);
    void make_tuple(std::span<const PickleWord> elements);
    void tuple_of(std::size_t size);
    bool do_value(std::uint8_t op);
    bool do_stack(std::uint8_t op);
    bool do_container(std::uint8_t op);
    void recall_run();

    std::span<const std::byte> bytes_;
    Builder& builder_;
    std::size_t at_ = 0;
    std::vector<PickleWord> stack_;
    std::vector<std::size_t> marks_;
    std::vector<PickleWord> memo_;
    std::vector<PickleCell> cells_;
    std::vector<std::int64_t> large_;
};

template <class Builder>
PickleWord CompactPickle<Builder>::run() {
    std::size_t steps = 0;
    while (true) {
        if (++steps % 65536 == 0) check_cancelled();
        const auto op = std::to_integer<std::uint8_t>(*take(1));
        if (op == 'j') {
            recall_run();
            continue;
        }
        if (op == '.') return pop();
        if (do_value(op) || do_container(op) || do_stack(op)) continue;
        if (op == 'c' || op == 0x93 || op == 'R' || op == 'b' || op == 0x81 || op == 0x92 || op == 'i' || op == 'o')
            fail("holds a name or a call, which plain values have none of,");
        fail(concat("unsupported opcode ", int{op}));
    }
}

// Nine tenths of a snapshot are frames that were seen before.
template <class Builder>
void CompactPickle<Builder>::recall_run() {
    while (true) {
        push(recall(little<std::uint32_t>()));
        if (at_ >= bytes_.size() || bytes_[at_] != std::byte{'j'}) return;
        ++at_;
    }
}

// clang-format off
template <class Builder>
bool CompactPickle<Builder>::do_value(std::uint8_t op) {
    switch (op) {
        case 'N': push({PickleType::None, 0}); return true;
        case 0x88: push({PickleType::Bool, 1}); return true;
        case 0x89: push({PickleType::Bool, 0}); return true;
        case 'K': push_integer(little<std::uint8_t>()); return true;
        case 'M': push_integer(little<std::uint16_t>()); return true;
        case 'J': push_integer(little<std::int32_t>()); return true;
        case 0x8a: push_long(little<std::uint8_t>()); return true;
        case 0x8b: push_long(little<std::uint32_t>()); return true;
        case 'G': push_large(PickleType::Float, static_cast<std::int64_t>(__builtin_bswap64(little<std::uint64_t>()))); return true;
        case 0x8c: case 'U': case 'C': push_text(little<std::uint8_t>()); return true;
        case 'X': case 'T': case 'B': push_text(little<std::uint32_t>()); return true;
        case 0x8d: case 0x8e: push_text(little<std::uint64_t>()); return true;
        default: return false;
    }
}

template <class Builder>
bool CompactPickle<Builder>::do_container(std::uint8_t op) {
    switch (op) {
        case ']': push_container(PickleType::List); return true;
        case '}': push_container(PickleType::Dict); return true;
        case ')': push_container(PickleType::Tuple); return true;
        case 'e': fill_below_mark(false); return true;
        case 'u': fill_below_mark(true); return true;
        case 'a': {
            const PickleWord element = pop();
            fill(top(), {&element, 1});
            return true;
        }
        case 's': {
            const PickleWord value = pop();
            const PickleWord pair[2] = {pop(), value};
            if (top().type() != PickleType::Dict) fail("sets an item of what is no dict");
            fill(top(), pair);
            return true;
        }
        case 't': {
            const auto elements = above_mark();
            const std::vector<PickleWord> copy(elements.begin(), elements.end());
            drop_to_mark();
            make_tuple(copy);
            return true;
        }
        case 0x85: tuple_of(1); return true;
        case 0x86: tuple_of(2); return true;
        case 0x87: tuple_of(3); return true;
        default: return false;
    }
}

template <class Builder>
bool CompactPickle<Builder>::do_stack(std::uint8_t op) {
    switch (op) {
        case '(':
            if (marks_.size() >= kMost) fail("too many marks");
            marks_.push_back(stack_.size());
            return true;
        case '0': pop(); return true;
        case '1': above_mark(); drop_to_mark(); return true;
        case '2': push(top()); return true;
        case 'h': push(recall(little<std::uint8_t>())); return true;
        case 'q': memorise(little<std::uint8_t>(), top()); return true;
        case 'r': memorise(little<std::uint32_t>(), top()); return true;
        case 0x94: memorise(memo_.size(), top()); return true;
        case 0x80: {
            const auto protocol = little<std::uint8_t>();
            if (protocol < 2 || protocol > 5) fail(concat("protocol ", int{protocol}, " is not supported"));
            return true;
        }
        case 0x95: take(8); return true;  // a frame: only its length
        default: return false;
    }
}
// clang-format on

// Two's complement, any length; up to 64 bits with or without a sign.
template <class Builder>
void CompactPickle<Builder>::push_long(std::uint64_t size) {
    const std::byte* from = take(size);
    const bool is_unsigned = size == 9 && from[8] == std::byte{0};
    if (size > 8 && !is_unsigned) return push({PickleType::None, 0});  // no size and no address
    std::uint64_t value = 0;
    std::memcpy(&value, from, static_cast<std::size_t>(std::min<std::uint64_t>(size, 8)));
    if (size > 0 && size < 8 && (from[size - 1] & std::byte{0x80}) != std::byte{0})
        value |= ~std::uint64_t{0} << (8 * size);
    push_integer(static_cast<std::int64_t>(value));
}

// Numbers grow by one.
template <class Builder>
void CompactPickle<Builder>::memorise(std::uint64_t number, PickleWord word) {
    constexpr std::uint64_t kMostSkipped = 1 << 16;
    if (number > memo_.size() + kMostSkipped || number >= kMost) fail("memorises under a number out of order");
    if (number >= memo_.size()) memo_.resize(static_cast<std::size_t>(number) + 1);
    memo_[static_cast<std::size_t>(number)] = word;
}

template <class Builder>
void CompactPickle<Builder>::fill_below_mark(bool is_dict) {
    const auto elements = above_mark();
    const std::size_t mark = marks_.back();
    const std::size_t floor = marks_.size() > 1 ? marks_[marks_.size() - 2] : 0;
    if (mark <= floor) fail("fills nothing");
    const PickleWord container = stack_[mark - 1];
    if ((container.type() == PickleType::Dict) != is_dict) fail("fills a container of another kind");
    fill(container, elements);
    drop_to_mark();
}

template <class Builder>
void CompactPickle<Builder>::fill(PickleWord container, std::span<const PickleWord> elements) {
    if (container.type() == PickleType::Dict) {
        if (elements.size() % 2 != 0) fail("a key without a value");
        builder_.fill_dict(cells_[container.payload()], elements);
    } else if (container.type() == PickleType::List) {
        builder_.fill_list(cells_[container.payload()], elements);
    } else {
        fail("fills what is no container");
    }
}

template <class Builder>
void CompactPickle<Builder>::make_tuple(std::span<const PickleWord> elements) {
    push_container(PickleType::Tuple);
    builder_.fill_tuple(cells_.back(), elements);
}

template <class Builder>
void CompactPickle<Builder>::tuple_of(std::size_t size) {
    PickleWord elements[3];
    for (std::size_t i = size; i > 0; --i) elements[i - 1] = pop();
    make_tuple({elements, size});
}

}  // namespace loupe
