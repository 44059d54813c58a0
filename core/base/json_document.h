// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON that is only read: a tree of plain values over one block of memory, some forty times faster than OrderedJson for
// texts of 100 MB. Objects keep the file's order; of two equal keys the last counts, as in Python.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace loupe {

struct JsonMember;

// A value of a document, at the same place as long as the document lives.
class JsonValue {
  public:
    enum class Kind : std::uint8_t { Null, Boolean, Integer, Unsigned, Number, Text, List, Object };

    JsonValue() = default;

    Kind kind() const { return kind_; }
    bool is_null() const { return kind_ == Kind::Null; }
    bool is_boolean() const { return kind_ == Kind::Boolean; }
    bool is_integer() const { return kind_ == Kind::Integer || kind_ == Kind::Unsigned; }
    bool is_number() const { return is_integer() || kind_ == Kind::Number; }
    bool is_string() const { return kind_ == Kind::Text; }
    bool is_list() const { return kind_ == Kind::List; }
    bool is_object() const { return kind_ == Kind::Object; }

    // Each of its own kind only.
    bool boolean() const { return value_.integer != 0; }
    std::int64_t integer() const { return value_.integer; }  // not of Unsigned
    double number() const;                                   // of integers too
    std::string_view text() const { return {value_.text, size_}; }
    std::span<const JsonValue> elements() const { return {value_.elements, size_}; }
    std::span<const JsonMember> members() const;

    // Of lists and objects.
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    // Null when there is none, or this is no object.
    const JsonValue* find(std::string_view key) const;

    // As JSON, on one line.
    std::string dump() const;
    void append_to(std::string& out) const;

  private:
    friend class JsonBuilder;
    union Payload {
        std::int64_t integer;
        double number;
        const char* text;
        const JsonValue* elements;
        const JsonMember* members;
    };

    // Behind the members of large objects: their places in the order of their keys.
    const std::uint32_t* order() const;

    // 16 bytes, as a large document is mostly these. No text is longer than the 4 GiB that can be parsed.
    Kind kind_ = Kind::Null;
    bool has_order_ = false;
    std::uint32_t size_ = 0;
    Payload value_{.integer = 0};
};

struct JsonMember {
    std::string_view key;
    JsonValue value;
};

inline std::span<const JsonMember> JsonValue::members() const { return {value_.members, size_}; }

// Owns the values and the text that they point into.
class JsonDocument {
  public:
    // Integers that no 64 bits hold, and Python's NaN, Infinity and -Infinity, stand as strings. nullopt for text that
    // is no JSON or nests deeper than `deepest` levels.
    static std::optional<JsonDocument> parse(std::string_view text, std::size_t deepest = 400);
    // The same of a text behind which kPadding bytes, whatever they are, can be read: it is not copied.
    static std::optional<JsonDocument> parse_padded(std::string_view text, std::size_t deepest = 400);
    static constexpr std::size_t kPadding = 64;

    JsonDocument();
    JsonDocument(JsonDocument&&) noexcept;
    JsonDocument& operator=(JsonDocument&&) noexcept;
    ~JsonDocument();

    const JsonValue& root() const;

  private:
    static std::optional<JsonDocument> parse(std::string_view text, std::size_t deepest, bool is_padded);

    struct Memory;
    std::unique_ptr<Memory> memory_;
};

}  // namespace loupe
