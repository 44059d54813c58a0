// SPDX-License-Identifier: Apache-2.0
#include "core/base/json_document.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <memory_resource>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "core/base/huge_pages.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

using Kind = JsonValue::Kind;
namespace dom = simdjson::dom;

constexpr std::size_t kFewMembers = 32;  // up to here keys are compared one by one
constexpr std::size_t kLongestInteger = 18;

// Numbers that Python writes and JSON or 64 bits do not have, as strings.
std::string with_quoted_numbers(std::string_view text) {
    constexpr std::array<std::string_view, 3> kNames{"-Infinity", "Infinity", "NaN"};
    constexpr std::string_view kInNumbers = "+-.eE0123456789";
    std::string out;
    out.reserve(text.size() + 64);
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            out += c;
            if (c == '\\' && i + 1 < text.size()) out += text[++i];
            in_string = c != '"';
            continue;
        }
        in_string = c == '"';
        const std::string_view rest = text.substr(i);
        const auto name = std::ranges::find_if(kNames, [&](std::string_view each) { return rest.starts_with(each); });
        std::size_t length = name == kNames.end() ? 0 : name->size();
        if (length == 0 && (c == '-' || (c >= '0' && c <= '9'))) {
            length = std::min(rest.find_first_not_of(kInNumbers), rest.size());
            const bool is_whole = rest.substr(0, length).find_first_of(".eE") == std::string_view::npos;
            if (!is_whole || length <= kLongestInteger) {
                out += rest.substr(0, length);
                i += length - 1;
                continue;
            }
        }
        if (length == 0) {
            out += c;
            continue;
        }
        out += concat("\"", rest.substr(0, length), "\"");
        i += length - 1;
    }
    return out;
}

}  // namespace

struct JsonDocument::Memory {
    dom::parser parser;  // owns the texts of strings
    std::pmr::monotonic_buffer_resource block{huge_page_resource()};
    JsonValue root;
};

// Copies simdjson's tape into values of fixed size, which can be pointed to.
class JsonBuilder {
  public:
    explicit JsonBuilder(std::pmr::monotonic_buffer_resource& block) : block_(block) {}

    JsonValue value_of(dom::element element) {
        JsonValue value;
        switch (element.type()) {
            case dom::element_type::NULL_VALUE:
                break;
            case dom::element_type::BOOL:
                value.kind_ = Kind::Boolean;
                value.value_.integer = bool(element) ? 1 : 0;
                break;
            case dom::element_type::INT64:
                value.kind_ = Kind::Integer;
                value.value_.integer = std::int64_t(element);
                break;
            case dom::element_type::UINT64:
                value.kind_ = Kind::Unsigned;
                value.value_.integer = static_cast<std::int64_t>(std::uint64_t(element));
                break;
            case dom::element_type::DOUBLE:
                value.kind_ = Kind::Number;
                value.value_.number = double(element);
                break;
            case dom::element_type::STRING: {
                const std::string_view text(element);
                value.kind_ = Kind::Text;
                value.size_ = static_cast<std::uint32_t>(text.size());
                value.value_.text = text.data();
                break;
            }
            case dom::element_type::ARRAY:
                fill_list(dom::array(element), value);
                break;
            case dom::element_type::OBJECT:
                fill_object(dom::object(element), value);
                break;
        }
        return value;
    }

  private:
    // simdjson counts no further than 2^24 - 1.
    template <class Container>
    static std::size_t count_of(const Container& container) {
        constexpr std::size_t kMostCounted = 0xFFFFFF;
        if (container.size() < kMostCounted) return container.size();
        return static_cast<std::size_t>(std::distance(container.begin(), container.end()));
    }

    // With room for an order behind it.
    template <class T>
    T* allocate(std::size_t count, bool has_order = false) {
        const std::size_t behind = has_order ? count * sizeof(std::uint32_t) : 0;
        return static_cast<T*>(block_.allocate(count * sizeof(T) + behind, alignof(T)));
    }

    void fill_list(dom::array list, JsonValue& value) {
        const std::size_t count = count_of(list);
        auto* elements = allocate<JsonValue>(count);
        std::size_t next = 0;
        for (const dom::element each : list) new (&elements[next++]) JsonValue(value_of(each));
        value.kind_ = Kind::List;
        value.size_ = static_cast<std::uint32_t>(count);
        value.value_.elements = elements;
    }

    void fill_object(dom::object object, JsonValue& value) {
        const std::size_t count = count_of(object);
        value.has_order_ = count > kFewMembers;
        auto* members = allocate<JsonMember>(count, value.has_order_);
        std::size_t next = 0;
        for (const dom::key_value_pair each : object) new (&members[next++]) JsonMember{each.key, value_of(each.value)};
        value.kind_ = Kind::Object;
        value.size_ = static_cast<std::uint32_t>(count);
        value.value_.members = members;
        if (!value.has_order_) return;
        auto* order = const_cast<std::uint32_t*>(value.order());
        std::iota(order, order + count, std::uint32_t{0});
        std::stable_sort(order, order + count,
                         [&](std::uint32_t a, std::uint32_t b) { return members[a].key < members[b].key; });
    }

    std::pmr::monotonic_buffer_resource& block_;
};

const std::uint32_t* JsonValue::order() const { return reinterpret_cast<const std::uint32_t*>(value_.members + size_); }

double JsonValue::number() const {
    if (kind_ == Kind::Number) return value_.number;
    return kind_ == Kind::Unsigned ? static_cast<double>(static_cast<std::uint64_t>(value_.integer))
                                   : static_cast<double>(value_.integer);
}

const JsonValue* JsonValue::find(std::string_view key) const {
    if (!is_object()) return nullptr;
    const auto all = members();
    if (!has_order_) {
        // Most keys differ in length or in an end, which is seen without a call.
        const auto is_it = [key](std::string_view other) {
            return other.size() == key.size() &&
                   (key.empty() || (other.front() == key.front() && other.back() == key.back() && other == key));
        };
        for (std::size_t i = all.size(); i > 0; --i) {
            if (is_it(all[i - 1].key)) return &all[i - 1].value;
        }
        return nullptr;
    }
    const std::uint32_t* first = order();
    const std::uint32_t* after = std::upper_bound(first, first + size_, key,
                                                  [&](std::string_view a, std::uint32_t b) { return a < all[b].key; });
    return after != first && all[*(after - 1)].key == key ? &all[*(after - 1)].value : nullptr;
}

namespace {

void append_quoted(std::string& out, std::string_view text) {
    const auto is_plain = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; };
    if (!std::ranges::all_of(text, is_plain)) {
        out += nlohmann::json(text).dump();
        return;
    }
    out += '"';
    out += text;
    out += '"';
}

}  // namespace

std::string JsonValue::dump() const {
    std::string out;
    append_to(out);
    return out;
}

void JsonValue::append_to(std::string& out) const {
    const char* separator = "";
    switch (kind_) {
        case Kind::Null:
            out += "null";
            break;
        case Kind::Boolean:
            out += boolean() ? "true" : "false";
            break;
        case Kind::Integer:
            append(out, integer());
            break;
        case Kind::Unsigned:
            append(out, static_cast<std::uint64_t>(value_.integer));
            break;
        case Kind::Number:
            out += nlohmann::json(value_.number).dump();
            break;
        case Kind::Text:
            append_quoted(out, text());
            break;
        case Kind::List:
            out += '[';
            for (const JsonValue& each : elements()) {
                out += separator;
                each.append_to(out);
                separator = ",";
            }
            out += ']';
            break;
        case Kind::Object:
            out += '{';
            for (const auto& [key, each] : members()) {
                out += separator;
                append_quoted(out, key);
                out += ':';
                each.append_to(out);
                separator = ",";
            }
            out += '}';
            break;
    }
}

JsonDocument::JsonDocument() : memory_(std::make_unique<Memory>()) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

const JsonValue& JsonDocument::root() const { return memory_->root; }

std::optional<JsonDocument> JsonDocument::parse(std::string_view text, std::size_t deepest) {
    return parse(text, deepest, false);
}

std::optional<JsonDocument> JsonDocument::parse_padded(std::string_view text, std::size_t deepest) {
    static_assert(kPadding >= simdjson::SIMDJSON_PADDING);
    return parse(text, deepest, true);
}

std::optional<JsonDocument> JsonDocument::parse(std::string_view text, std::size_t deepest, bool is_padded) {
    JsonDocument document;
    dom::parser& parser = document.memory_->parser;
    if (parser.allocate(std::max<std::size_t>(text.size(), 64), deepest) != simdjson::SUCCESS) throw std::bad_alloc();
    if (parser.doc.allocate(text.size()) != simdjson::SUCCESS) throw std::bad_alloc();
    // Eight bytes a value and as long as the text in the worst case; what is not written takes no memory.
    advise_huge_pages(parser.doc.tape.get(), text.size() * sizeof(std::uint64_t));
    advise_huge_pages(parser.doc.string_buf.get(), text.size());
    advise_huge_pages(parser.implementation->structural_indexes.get(), text.size() * sizeof(std::uint32_t));
    dom::element root;
    auto failed = parser.parse(text.data(), text.size(), !is_padded).get(root);
    if (failed == simdjson::DEPTH_ERROR) return std::nullopt;
    if (failed != simdjson::SUCCESS) failed = parser.parse(with_quoted_numbers(text)).get(root);
    if (failed != simdjson::SUCCESS) return std::nullopt;
    document.memory_->root = JsonBuilder(document.memory_->block).value_of(root);
    return document;
}

}  // namespace loupe
