// SPDX-License-Identifier: Apache-2.0
#include "core/ir/parse_constant.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::ir::detail {

void TextCursor::skip_spaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
}

void TextCursor::skip_whitespace() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n') ++at_;
}

bool TextCursor::accept(std::string_view token) {
    skip_spaces();
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
}

void TextCursor::expect(std::string_view token) {
    if (!accept(token)) fail(concat("'", token, "'"));
}

void TextCursor::fail(std::string_view expected) const {
    std::size_t line = 1;
    std::size_t line_start = 0;
    for (std::size_t i = 0; i < at_ && i < text_.size(); ++i) {
        if (text_[i] == '\n') {
            ++line;
            line_start = i + 1;
        }
    }
    throw Error(ErrorKind::Compile, concat("graph text, line ", line, ", column ", at_ - line_start + 1, ": expected ",
                                           expected, at_end() ? " before the end" : ""));
}

std::string_view TextCursor::until(std::string_view stops) {
    const std::size_t begin = at_;
    int depth = 0;
    while (!at_end()) {
        const char c = peek();
        if (depth == 0 && stops.find(c) != std::string_view::npos) return text_.substr(begin, at_ - begin);
        if (c == '"') {
            quoted();
            continue;
        }
        if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
        if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
        if (depth < 0 || c == '\n') break;
        ++at_;
    }
    fail(concat("one of \"", stops, "\""));
}

namespace {

// PyTorch counts the octal digits of bytes from 0x80 on downwards from '0': "0)+" is -(7 * 8 + 5), 0xc3. nullopt for
// digits that count upwards.
std::optional<char> negative_byte(std::string_view digits) {
    if (digits.size() != 3 || !std::ranges::all_of(digits, [](char c) { return c >= ')' && c <= '0'; }))
        return std::nullopt;
    const int value = (digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0');
    if (value == 0 || value < -128) return std::nullopt;
    return static_cast<char>(value);
}

}  // namespace

std::string TextCursor::quoted() {
    expect("\"");
    std::string out;
    while (peek() != '"') {
        if (at_end()) fail("'\"'");
        char c = text_[at_++];
        if (c == '\\' && !at_end()) {
            c = text_[at_++];
            static constexpr std::string_view kNames = "abfnrtv";
            static constexpr std::string_view kCodes = "\a\b\f\n\r\t\v";
            if (const auto index = kNames.find(c); index != std::string_view::npos) {
                c = kCodes[index];
            } else if (const auto byte = negative_byte(text_.substr(at_ - 1, 3))) {
                c = *byte;
                at_ += 2;
            } else if (c >= '0' && c <= '7') {
                unsigned code = static_cast<unsigned>(c - '0');
                for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i) {
                    code = code * 8 + static_cast<unsigned>(text_[at_++] - '0');
                }
                c = static_cast<char>(code);
            }
        }
        out += c;
    }
    ++at_;
    return out;
}

std::string_view TextCursor::word(std::string_view also) {
    skip_spaces();
    const std::size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 ||
           (peek() != '\0' && also.find(peek()) != std::string_view::npos)) {
        ++at_;
    }
    return text_.substr(begin, at_ - begin);
}

namespace {

// "1", "-2.", "1e-05", "inf", "nan"
double parse_number(TextCursor& cursor) {
    cursor.skip_spaces();
    const std::string text(cursor.rest().substr(0, 40));
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str()) cursor.fail("a number");
    cursor.seek(cursor.position() + static_cast<std::size_t>(end - text.c_str()));
    return value;
}

bool is_real_text(std::string_view text) { return text.find_first_of(".einEIN") != std::string_view::npos; }

// An int, float or complex, by its form.
IValue parse_any_number(TextCursor& cursor) {
    cursor.skip_spaces();
    const std::size_t begin = cursor.position();
    const double value = parse_number(cursor);
    if (cursor.peek() == '+' || cursor.peek() == '-') {
        const double imaginary = parse_number(cursor);
        cursor.expect("j");
        return IValue(std::complex<double>(value, imaginary));
    }
    const std::string text(cursor.text().substr(begin, cursor.position() - begin));
    if (is_real_text(text)) return IValue(value);
    return IValue(static_cast<std::int64_t>(std::strtoll(text.c_str(), nullptr, 10)));
}

Tensor parse_one_element(TextCursor& cursor, const TypePtr& type) {
    cursor.expect("{");
    Scalar value;
    if (cursor.accept("(")) {
        const double real = parse_number(cursor);
        cursor.expect(",");
        value = std::complex<double>(real, parse_number(cursor));
        cursor.expect(")");
    } else {
        const IValue number = parse_any_number(cursor);
        value = number.to_scalar();
    }
    cursor.expect("}");
    const auto* tensor_type = type->as<TensorType>();
    ScalarType dtype =
        value.is_complex() ? ScalarType::Complex64 : (value.is_integral() ? ScalarType::Int64 : ScalarType::Float32);
    if (tensor_type != nullptr && tensor_type->dtype) dtype = *tensor_type->dtype;
    const Tensor scalar = scalar_tensor(value, dtype);
    if (tensor_type == nullptr || !tensor_type->sizes) return scalar;
    const Dims ones(tensor_type->sizes->size(), 1);
    return scalar.view_as_strided(span_of(ones), span_of(ones), 0);
}

struct Shape {
    ScalarType dtype = ScalarType::Float32;
    Dims sizes;
};

Shape parse_shape(std::string_view text) {
    TextCursor cursor(text);
    Shape shape;
    std::string_view name = cursor.word();  // "CPUFloatType"
    if (name.starts_with("CPU") && name.ends_with("Type")) {
        name = name.substr(3, name.size() - 7);
        shape.dtype = dtype_from_graph_name(name).value_or(ScalarType::Float32);
    }
    cursor.expect("{");
    while (!cursor.accept("}")) {
        shape.sizes.push_back(static_cast<std::int64_t>(parse_number(cursor)));
        cursor.accept(",");
    }
    return shape;
}

Tensor parse_complex_elements(const TextCursor& whole, TextCursor& numbers, const Shape& shape) {
    std::vector<std::complex<double>> values;
    for (numbers.skip_spaces(); !numbers.at_end(); numbers.skip_spaces()) {
        const std::size_t end = std::min(numbers.rest().find(' '), numbers.rest().size());
        if (numbers.rest()[end - 1] != 'j') return {};
        values.push_back(parse_any_number(numbers).to_complex());
    }
    if (static_cast<std::int64_t>(values.size()) != checked_numel(span_of(shape.sizes)))
        whole.fail("as many elements as sizes say");
    const Tensor tensor = empty(span_of(shape.sizes), shape.dtype);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Tensor element = scalar_tensor(Scalar(values[i]), shape.dtype);
        const auto bytes = static_cast<std::size_t>(element.element_size());
        std::copy_n(static_cast<const std::byte*>(element.raw_data()), bytes,
                    static_cast<std::byte*>(tensor.raw_data()) + i * bytes);
    }
    return tensor;
}

// " 1.5000 -3.0000 [ CPUFloatType{2} ]", a scale before it, "(1,.,.) =" before each matrix. Of complex ones
// "1.+2.j 3.-4.j"; PyTorch's text has their real parts only: an undefined tensor.
Tensor parse_small_tensor(TextCursor& cursor) {
    const std::size_t bracket = cursor.rest().find("[ CPU");
    if (bracket == std::string_view::npos) cursor.fail("a tensor");
    TextCursor numbers(cursor.rest().substr(0, bracket));
    const std::size_t end = cursor.rest().find('}', bracket);
    if (end == std::string_view::npos) cursor.fail("'}'");
    const Shape shape = parse_shape(cursor.rest().substr(bracket + 2, end - bracket - 1));
    cursor.seek(cursor.position() + end + 1);
    cursor.expect("]");
    if (is_complex(shape.dtype)) return parse_complex_elements(cursor, numbers, shape);
    std::vector<double> values;
    double scale = 1;
    for (numbers.skip_spaces(); !numbers.at_end(); numbers.skip_spaces()) {
        if (numbers.accept("(")) {
            numbers.until(")");
            numbers.expect(") =");
            continue;
        }
        const double value = parse_number(numbers);
        if (numbers.rest().starts_with(" *")) {
            numbers.expect("*");
            scale = value;
        } else {
            values.push_back(value * scale);
        }
    }
    if (static_cast<std::int64_t>(values.size()) != checked_numel(span_of(shape.sizes)))
        cursor.fail("as many elements as sizes say");
    const Tensor tensor = empty(span_of(shape.sizes), shape.dtype);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Tensor element = scalar_tensor(values[i], shape.dtype);
        const auto bytes = static_cast<std::size_t>(element.element_size());
        std::copy_n(static_cast<const std::byte*>(element.raw_data()), bytes,
                    static_cast<std::byte*>(tensor.raw_data()) + i * bytes);
    }
    return tensor;
}

IValue parse_tensor(TextCursor& cursor, const TypePtr& type) {
    cursor.skip_spaces();
    if (cursor.accept("<Tensor>")) return {};
    if (cursor.peek() == '{') return IValue(parse_one_element(cursor, type));
    const Tensor small = parse_small_tensor(cursor);
    return small.defined() ? IValue(small) : IValue();
}

IValue parse_enum(TextCursor& cursor, const TypePtr& type) {
    const std::string_view whole = cursor.word();
    const auto dot = whole.rfind('.');
    if (dot == std::string_view::npos) cursor.fail("the name of an enum's value");
    const std::string name(whole.substr(dot + 1));
    const auto* enum_type = static_cast<const EnumType*>(type.get());
    IValue value;
    for (const auto& [known, known_value] : enum_type->values) {
        if (known == name) value = known_value;
    }
    return IValue(make_ptr<EnumValue>(Ptr<const EnumType>(enum_type), name, value));
}

std::vector<IValue> parse_elements(TextCursor& cursor, std::string_view end,
                                   const std::function<TypePtr(std::size_t)>& type_of_element) {
    std::vector<IValue> elements;
    while (!cursor.accept(end)) {
        elements.push_back(parse_constant(cursor, type_of_element(elements.size())));
        if (!cursor.accept(",")) {
            cursor.expect(end);
            break;
        }
    }
    return elements;
}

IValue parse_dict(TextCursor& cursor, const TypePtr& type) {
    cursor.expect("{");
    auto dict = make_ptr<DictObject>(type->contained()[0], type->contained()[1]);
    while (!cursor.accept("}")) {
        IValue key = parse_constant(cursor, dict->key_type);
        cursor.expect(":");
        dict->set(std::move(key), parse_constant(cursor, dict->value_type));
        cursor.accept(",");
    }
    return IValue(dict);
}

IValue parse_bool(TextCursor& cursor) {
    if (cursor.accept("True") || cursor.accept("1")) return IValue(true);
    if (cursor.accept("False") || cursor.accept("0")) return IValue(false);
    cursor.fail("a bool");
}

}  // namespace

IValue parse_constant(TextCursor& cursor, const TypePtr& type) {
    if (cursor.accept("None")) return {};
    if (cursor.accept("annotate(")) {  // empty, or ambiguous from its elements: the type is given
        cursor.until(",");
        cursor.expect(",");
        IValue value = parse_constant(cursor, type);
        cursor.expect(")");
        return value;
    }
    switch (type->kind()) {
        case TypeKind::Optional:
            return parse_constant(cursor, type->element());
        case TypeKind::Tensor:
            return parse_tensor(cursor, type);
        case TypeKind::Int:
            return IValue(parse_any_number(cursor).to_int());
        case TypeKind::Float:
            return IValue(parse_any_number(cursor).to_double());
        case TypeKind::Complex:
            return IValue(parse_any_number(cursor).to_complex());
        case TypeKind::Bool:
            return parse_bool(cursor);
        case TypeKind::String:
            return IValue(cursor.quoted());
        case TypeKind::Device:
            return IValue(parse_device(cursor.quoted()));
        case TypeKind::Enum:
            return parse_enum(cursor, type);
        case TypeKind::Dict:
            return parse_dict(cursor, type);
        case TypeKind::List: {
            if (cursor.accept("[<Tensors>]")) return {};
            cursor.expect("[");
            auto elements = parse_elements(cursor, "]", [&type](std::size_t) { return type->element(); });
            return IValue(make_ptr<ListObject>(type->element(), std::move(elements)));
        }
        case TypeKind::Tuple: {
            cursor.expect("(");
            auto elements = parse_elements(cursor, ")", [&](std::size_t i) {
                if (i >= type->contained().size()) cursor.fail("fewer elements");
                return type->contained()[i];
            });
            return IValue(make_ptr<TupleObject>(std::move(elements), type->name().empty() ? nullptr : type));
        }
        case TypeKind::Capsule:
        case TypeKind::Class:  // "object(0x3a9d5110)"
            cursor.until("]");
            return {};
        default:
            return parse_any_number(cursor);
    }
}

}  // namespace loupe::ir::detail
