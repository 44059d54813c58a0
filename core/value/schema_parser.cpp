// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <limits>

#include "core/base/strings.h"
#include "core/value/schema.h"
#include "core/value/type_parser.h"

namespace loupe {
namespace {

using detail::TypeParser;
using detail::WrittenType;

const Type& without_optional(const Type& type) { return type.kind() == TypeKind::Optional ? *type.element() : type; }

// A literal number: int, float, or complex with a j; converted where the type is float or complex.
IValue parse_number(TypeParser& parser, TypeKind wanted) {
    std::string text = parser.number_text();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    const bool is_imaginary = text.back() == 'j';
    if (is_imaginary) text.pop_back();
    const char* end = text.data() + text.size();
    std::int64_t integer = 0;
    const auto as_int = std::from_chars(text.data(), end, integer);
    if (!is_imaginary && as_int.ec == std::errc{} && as_int.ptr == end) {
        if (wanted == TypeKind::Float) return static_cast<double>(integer);
        return integer;
    }
    double real = 0;
    const auto as_real = std::from_chars(text.data(), end, real);
    if (as_real.ec != std::errc{} || as_real.ptr != end) parser.fail("a default value");
    if (is_imaginary) return std::complex<double>(0, real);
    return real;
}

IValue parse_default(TypeParser& parser, const Type& type, std::optional<std::int64_t> list_size);

IValue parse_list_default(TypeParser& parser, const TypePtr& element, std::optional<std::int64_t> list_size) {
    auto list = make_ptr<ListObject>(element);
    if (parser.accept("[")) {
        while (!parser.accept("]")) {
            if (!list->elements.empty()) parser.expect(",");
            list->elements.push_back(parse_default(parser, *element, std::nullopt));
        }
        return list;
    }
    if (!list_size || *list_size < 0 || *list_size > 64) parser.fail("a list");
    // "int[2] stride=1": one for all.
    list->elements.assign(static_cast<std::size_t>(*list_size), parse_default(parser, *element, std::nullopt));
    return list;
}

IValue parse_default(TypeParser& parser, const Type& type, std::optional<std::int64_t> list_size) {
    if (parser.accept("None")) return {};
    const bool is_optional = type.kind() == TypeKind::Optional;
    const Type& inner = without_optional(type);
    // PyTorch keeps the one int of an optional list as it is.
    if (inner.kind() == TypeKind::List && (!is_optional || parser.peek() == '[')) {
        return parse_list_default(parser, inner.element(), list_size);
    }
    if (parser.accept("True")) return true;
    if (parser.accept("False")) return false;
    if (parser.peek() == '"' || parser.peek() == '\'') {
        const std::string text = parser.quoted_text();
        if (inner.kind() == TypeKind::Device) return parse_device(text);
        return text;
    }
    if (inner.kind() == TypeKind::Device) return parse_device(parser.identifier());
    if (parser.accept("Mean")) return 1;  // the reduction, as native_functions.yaml names it
    if (parser.accept("contiguous_format")) return 0;
    return parse_number(parser, inner.kind());
}

Argument parse_argument(TypeParser& parser, bool kwarg_only) {
    WrittenType written = parser.parse_written();
    Argument argument;
    argument.type = std::move(written.type);
    argument.list_size = written.list_size;
    if (written.text != argument.type->schema_str()) argument.type_text = std::move(written.text);
    argument.alias = std::move(written.alias);
    argument.element_alias = std::move(written.element_alias);
    argument.kwarg_only = kwarg_only;
    const char next = parser.peek();
    if (next != ',' && next != ')' && next != '\0') argument.name = parser.identifier();
    if (parser.accept("=")) argument.default_value = parse_default(parser, *argument.type, argument.list_size);
    return argument;
}

void parse_arguments(TypeParser& parser, FunctionSchema& schema) {
    parser.expect("(");
    bool kwarg_only = false;
    for (bool first = true; !parser.accept(")"); first = false) {
        if (!first) parser.expect(",");
        if (parser.accept("...")) {
            schema.is_vararg = true;
        } else if (parser.accept("*")) {
            kwarg_only = true;
        } else {
            schema.arguments.push_back(parse_argument(parser, kwarg_only));
        }
    }
}

void parse_returns(TypeParser& parser, FunctionSchema& schema) {
    if (parser.accept("...")) {
        schema.is_varret = true;
        return;
    }
    if (!parser.accept("(")) {
        schema.returns.push_back(parse_argument(parser, false));
        return;
    }
    for (bool first = true; !parser.accept(")"); first = false) {
        if (!first) parser.expect(",");
        if (parser.accept("...")) {
            schema.is_varret = true;
        } else {
            schema.returns.push_back(parse_argument(parser, false));
        }
    }
}

}  // namespace

FunctionSchema parse_schema(std::string_view text) {
    static const TypeResolver no_resolver;
    TypeParser parser(text, no_resolver, true);
    FunctionSchema schema;
    const std::string_view full = parser.qualified_name();
    const std::size_t colons = full.find("::");
    const std::size_t dot = full.find('.', colons == std::string_view::npos ? 0 : colons);
    schema.name = full.substr(0, dot);
    if (dot != std::string_view::npos) schema.overload = full.substr(dot + 1);
    parse_arguments(parser, schema);
    parser.expect("->");
    parse_returns(parser, schema);
    if (!parser.at_end()) parser.fail("the end of the schema");
    return schema;
}

}  // namespace loupe
