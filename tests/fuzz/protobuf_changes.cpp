// SPDX-License-Identifier: Apache-2.0
// Protobuf messages changed field by field, without their definition: what reads as a message is one.
#include <array>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "tests/fuzz/fuzz_cases.h"

namespace loupe::fuzz {
namespace {

using Random = std::mt19937_64;

constexpr int kDeepest = 24;

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

enum class Wire : std::uint8_t { Varint = 0, Eight = 1, Bytes = 2, Four = 5 };

struct Field {
    std::uint64_t number = 0;
    Wire wire = Wire::Varint;
    std::uint64_t value = 0;  // of numbers
    std::string bytes;        // of those of bytes that are no message
    std::vector<Field> fields;
    bool is_message = false;
};
using Message = std::vector<Field>;

std::optional<std::uint64_t> take_varint(std::string_view& text) {
    std::uint64_t out = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (text.empty()) return std::nullopt;
        const auto byte = static_cast<unsigned char>(text[0]);
        text.remove_prefix(1);
        out |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return out;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> take_fixed(std::string_view& text, std::size_t size) {
    if (text.size() < size) return std::nullopt;
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < size; ++i)
        out |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
    text.remove_prefix(size);
    return out;
}

std::optional<Message> parse(std::string_view text, int depth);

bool take_bytes(std::string_view& text, int depth, Field& field) {
    const auto size = take_varint(text);
    if (!size || *size > text.size()) return false;
    const std::string_view bytes = text.substr(0, static_cast<std::size_t>(*size));
    text.remove_prefix(bytes.size());
    bool is_text = true;
    for (const char c : bytes) is_text = is_text && c >= ' ' && c <= '~';
    if (!is_text) {
        if (auto inner = parse(bytes, depth + 1)) {
            field.is_message = true;
            field.fields = std::move(*inner);
            return true;
        }
    }
    field.bytes = bytes;
    return true;
}

std::optional<Message> parse(std::string_view text, int depth) {
    if (depth > kDeepest) return std::nullopt;
    Message out;
    while (!text.empty()) {
        const auto tag = take_varint(text);
        if (!tag || *tag >> 3 == 0) return std::nullopt;
        Field field{.number = *tag >> 3, .wire = static_cast<Wire>(*tag & 7), .bytes = {}, .fields = {}};
        std::optional<std::uint64_t> value = 0;
        switch (field.wire) {
            case Wire::Varint:
                value = take_varint(text);
                break;
            case Wire::Eight:
                value = take_fixed(text, 8);
                break;
            case Wire::Four:
                value = take_fixed(text, 4);
                break;
            case Wire::Bytes:
                if (!take_bytes(text, depth, field)) return std::nullopt;
                break;
            default:
                return std::nullopt;
        }
        if (!value) return std::nullopt;
        field.value = *value;
        out.push_back(std::move(field));
    }
    return out;
}

void put_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7f));
    out += static_cast<char>(value);
}

std::string written(const Message& message) {
    std::string out;
    for (const Field& field : message) {
        put_varint(out, field.number << 3 | static_cast<std::uint64_t>(field.wire));
        const std::size_t width = field.wire == Wire::Eight ? 8 : 4;
        if (field.wire == Wire::Varint) {
            put_varint(out, field.value);
        } else if (field.wire == Wire::Bytes) {
            const std::string bytes = field.is_message ? written(field.fields) : field.bytes;
            put_varint(out, bytes.size());
            out += bytes;
        } else {
            for (std::size_t i = 0; i < width; ++i) out += static_cast<char>((field.value >> (8 * i)) & 0xff);
        }
    }
    return out;
}

struct Place {
    Message* message;
    std::size_t at;
};

// At any depth; the root has a field at least.
Place some_place(Message& root, Random& random) {
    std::vector<Place> path;
    for (Message* now = &root; !now->empty();) {
        path.push_back({now, below(random, now->size())});
        Field& field = (*now)[path.back().at];
        if (!field.is_message) break;
        now = &field.fields;
    }
    return path[below(random, path.size())];
}

std::uint64_t some_number(Random& random) {
    constexpr std::array<std::uint64_t, 15> kNumbers{0,
                                                     1,
                                                     2,
                                                     3,
                                                     7,
                                                     16,
                                                     64,
                                                     ~std::uint64_t{0},
                                                     ~std::uint64_t{1},
                                                     0x7fffffff,
                                                     0x80000000,
                                                     std::uint64_t{1} << 40,
                                                     std::uint64_t{1} << 62,
                                                     std::numeric_limits<std::int64_t>::max(),
                                                     std::uint64_t{1} << 63};
    return kNumbers[below(random, kNumbers.size())];
}

// Operators with graphs inside or many forms, attributes and names that mean something to a reader.
std::string some_text(Random& random) {
    static constexpr std::array kTexts{"",
                                       "x",
                                       "If",
                                       "Loop",
                                       "Scan",
                                       "SequenceMap",
                                       "Constant",
                                       "Optional",
                                       "Split",
                                       "Concat",
                                       "Reshape",
                                       "Slice",
                                       "Pad",
                                       "Resize",
                                       "Conv",
                                       "LSTM",
                                       "Einsum",
                                       "Loop",
                                       "Identity",
                                       "ai.onnx",
                                       "ai.onnx.ml",
                                       "body",
                                       "axis",
                                       "axes",
                                       "pads",
                                       "perm",
                                       "to",
                                       "value",
                                       "location",
                                       "offset",
                                       "length",
                                       "then_branch",
                                       "-1",
                                       "9223372036854775807",
                                       "../x",
                                       "/etc/passwd",
                                       "external.data",
                                       "a.b.c",
                                       "a..b",
                                       ".",
                                       "\xff\xfe"};
    return kTexts[below(random, kTexts.size())];
}

void change(Message& root, Random& random) {
    if (root.empty()) return;
    const auto [message, at] = some_place(root, random);
    Field& field = (*message)[at];
    switch (below(random, 9)) {
        case 0:
        case 1:
        case 2:
            if (field.wire != Wire::Bytes) {
                field.value = some_number(random);
            } else {
                field.is_message = false;
                field.bytes = some_text(random);
            }
            break;
        case 3: {
            const auto [other, where] = some_place(root, random);
            Field copy = (*other)[where];  // which may hold the field
            copy.number = field.number;
            field = std::move(copy);
            break;
        }
        case 4:
            message->erase(message->begin() + static_cast<std::ptrdiff_t>(at));
            break;
        case 5: {
            Field copy = field;
            message->push_back(std::move(copy));
            break;
        }
        case 6:
            field.number = 1 + below(random, 30);
            break;
        case 7: {
            const std::size_t other = below(random, message->size());
            if (other != at) std::swap(field, (*message)[other]);
            break;
        }
        default:
            if (field.wire != Wire::Bytes)
                field.value += below(random, 2) == 0 ? 1 : ~std::uint64_t{0};
            else if (!field.is_message && !field.bytes.empty())
                field.bytes.resize(below(random, field.bytes.size()));
    }
}

}  // namespace

void visit_message_changes(const std::string& name, const std::string& extension, const std::string& bytes,
                           std::size_t count, const Visit& visit, std::uint64_t seed) {
    const auto original = parse(bytes, 0);
    if (!original || original->empty()) return;
    Random random(17 + seed);
    for (std::size_t n = 0; n < count; ++n) {
        Message message = *original;
        for (std::size_t changes = 1 + below(random, 3); changes > 0; --changes) change(message, random);
        visit(name + " message change " + std::to_string(n), extension, written(message));
    }
}

}  // namespace loupe::fuzz
