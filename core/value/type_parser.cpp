// SPDX-License-Identifier: Apache-2.0
#include "core/value/type_parser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::detail {
namespace {

constexpr int kMaxDepth = 200;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Builtin {
    std::string_view name;
    TypeKind kind;
};
constexpr std::array kBuiltins{
    Builtin{"Tensor", TypeKind::Tensor},
    Builtin{"int", TypeKind::Int},
    Builtin{"float", TypeKind::Float},
    Builtin{"complex", TypeKind::Complex},
    Builtin{"bool", TypeKind::Bool},
    Builtin{"Scalar", TypeKind::Number},
    Builtin{"number", TypeKind::Number},
    Builtin{"str", TypeKind::String},
    Builtin{"NoneType", TypeKind::None},
    Builtin{"None", TypeKind::None},
    Builtin{"Device", TypeKind::Device},
    Builtin{"Generator", TypeKind::Generator},
    Builtin{"Storage", TypeKind::Storage},
    Builtin{"Capsule", TypeKind::Capsule},
    Builtin{"Any", TypeKind::Any},
    Builtin{"list", TypeKind::AnyList},
    Builtin{"AnyListType", TypeKind::AnyList},
    Builtin{"tuple", TypeKind::AnyTuple},
    Builtin{"AnyTupleType", TypeKind::AnyTuple},
    Builtin{"AnyClassType", TypeKind::AnyClass},
    Builtin{"AnyEnumType", TypeKind::AnyEnum},
    Builtin{"Function", TypeKind::Function},
    // Spelled differently in schemas, but ints and strings to a program.
    Builtin{"ScalarType", TypeKind::Int},
    Builtin{"Layout", TypeKind::Int},
    Builtin{"MemoryFormat", TypeKind::Int},
    Builtin{"SymInt", TypeKind::Int},
    Builtin{"Dimname", TypeKind::String},
};
constexpr std::array<std::string_view, 5> kOpaque{"QScheme", "Stream", "PyObject", "Quantizer", "ConstQuantizerPtr"};
constexpr std::array<std::string_view, 7> kContainers{"Dict", "List", "Optional", "Tuple", "Union", "Future", "RRef"};

}  // namespace

void TypeParser::fail(std::string_view what) const {
    throw Error(ErrorKind::Internal, concat("expected ", what, " at position ", at_, " of '", text_, "'"));
}

void TypeParser::skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
}

bool TypeParser::at_end() {
    skip_spaces();
    return at_ == text_.size();
}

char TypeParser::peek() { return at_end() ? '\0' : text_[at_]; }

std::size_t TypeParser::end_of_type() const {
    std::size_t end = at_;
    while (end > 0 && std::isspace(static_cast<unsigned char>(text_[end - 1])) != 0) --end;
    return end;
}

bool TypeParser::accept(std::string_view token) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    const std::size_t end = at_ + token.size();
    if (is_word(token.back()) && end < text_.size() && is_word(text_[end])) return false;
    at_ = end;
    return true;
}

void TypeParser::expect(std::string_view token) {
    if (!accept(token)) fail(concat("'", token, "'"));
}

std::string_view TypeParser::identifier() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == begin || std::isdigit(static_cast<unsigned char>(text_[begin])) != 0) fail("a name");
    return text_.substr(begin, at_ - begin);
}

std::string_view TypeParser::qualified_name() {
    skip_spaces();
    const std::size_t begin = at_;
    identifier();
    while (true) {
        const std::string_view rest = text_.substr(at_);
        if (rest.starts_with("::")) {
            at_ += 2;
        } else if (rest.starts_with('.') && rest.size() > 1 && is_word(rest[1])) {
            at_ += 1;
        } else {
            break;
        }
        while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    }
    return text_.substr(begin, at_ - begin);
}

std::string TypeParser::number_text() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
        const char c = text_[at_];
        const bool exponent_sign =
            (c == '+' || c == '-') && (at_ == begin || text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
        if (!is_word(c) && c != '.' && !exponent_sign) break;
        ++at_;
    }
    if (at_ == begin) fail("a number");
    return std::string(text_.substr(begin, at_ - begin));
}

std::int64_t TypeParser::integer() {
    const std::string digits = number_text();
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failure != std::errc{} || end != digits.data() + digits.size()) fail("an int");
    return value;
}

std::string TypeParser::quoted_text() {
    const char quote = peek();
    if (quote != '"' && quote != '\'') fail("a string");
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
        const char c = text_[at_];
        if (c == quote) {
            ++at_;
            return out;
        }
        if (c == '\\' && at_ + 1 < text_.size()) {
            ++at_;
            out += unescaped();
        } else {
            out += c;
        }
    }
    fail("the end of the string");
}

// The character of the escape at the current position; stays on its last character.
char TypeParser::unescaped() {
    const char c = text_[at_];
    constexpr std::string_view kLetters = "abfnrtv";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v";
    if (const auto letter = kLetters.find(c); letter != std::string_view::npos) return kMeanings[letter];
    if (c < '0' || c > '7') return c;
    int code = 0;
    for (int digits = 0; digits < 3 && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '7'; ++digits) {
        code = code * 8 + (text_[at_++] - '0');
    }
    --at_;
    return static_cast<char>(code);
}

std::string TypeParser::parse_alias_set() {
    std::string set;
    do {
        if (!set.empty()) set += '|';
        set += accept("*") ? std::string("*") : std::string(identifier());
    } while (accept("|"));
    return set;
}

std::optional<AliasInfo> TypeParser::parse_alias() {
    if (!accept("(")) return std::nullopt;
    AliasInfo alias;
    alias.set = parse_alias_set();
    alias.is_write = accept("!");
    alias.set_after = accept("->") ? parse_alias_set() : alias.set;
    expect(")");
    return alias;
}

WrittenType TypeParser::parse_written() {
    if (++depth_ > kMaxDepth) fail("a type nested less deeply");
    WrittenType out = parse_base();
    while (true) {
        if (peek() == '(' && !out.alias) {
            out.alias = parse_alias();
        } else if (accept("?")) {
            out.type = types::optional(out.type);
            out.text += '?';
        } else if (peek() == '[') {
            expect("[");
            out.list_size.reset();
            if (peek() != ']') out.list_size = integer();
            expect("]");
            out.type = types::list(out.type);
            out.text += out.list_size ? concat("[", *out.list_size, "]") : "[]";
            if (out.alias) out.element_alias = std::move(out.alias);
            out.alias.reset();
        } else {
            break;
        }
    }
    --depth_;
    return out;
}

WrittenType TypeParser::parse_base() {
    WrittenType out;
    if (peek() == '(') {
        expect("(");
        out.type = types::tuple(parse_list(")"));
        out.text = out.type->schema_str();
        return out;
    }
    parse_named(out);
    return out;
}

void TypeParser::parse_named(WrittenType& out) {
    const std::string_view name = qualified_name();
    if (name == "NamedTuple") {
        out.type = parse_named_tuple();
    } else if (TypePtr refined = parse_refined(name)) {
        out.type = std::move(refined);
    } else {
        out.type = parse_builtin(name);
    }
    const TypeKind kind = out.type->kind();
    // ScalarType, Layout and their like keep their names in print.
    out.text = kind == TypeKind::Int ? std::string(name) : out.type->schema_str();
}

std::vector<TypePtr> TypeParser::parse_list(std::string_view end) {
    std::vector<TypePtr> all;
    while (!accept(end)) {
        if (!all.empty()) {
            expect(",");
            if (accept(end)) break;
        }
        all.push_back(parse());
    }
    return all;
}

// A container's element type, in parentheses as in schemas or in brackets as in annotations.
std::vector<TypePtr> TypeParser::parse_arguments() {
    if (accept("[")) return parse_list("]");
    expect("(");
    return parse_list(")");
}

TypePtr TypeParser::parse_builtin(std::string_view name) {
    for (const auto& builtin : kBuiltins) {
        if (builtin.name == name) return types::shared(builtin.kind);
    }
    if (std::find(kOpaque.begin(), kOpaque.end(), name) != kOpaque.end()) {
        return make_type(TypeKind::Capsule, {}, std::string(name));
    }
    if (std::find(kContainers.begin(), kContainers.end(), name) != kContainers.end()) return parse_container(name);
    if (accept("<")) {  // Enum<__torch__.Color>, InterfaceType<Name>
        name = qualified_name();
        expect(">");
    }
    // Classes that PyTorch implements in C++.
    if (name.starts_with("__torch__.torch.classes.")) return make_type(TypeKind::Capsule, {}, std::string(name));
    const bool is_dotted = name.find('.') != std::string_view::npos;
    // Type variables are short: t, t1, tVal, key.
    if (!is_dotted && std::islower(static_cast<unsigned char>(name.front())) != 0) {
        return make_type(TypeKind::Var, {}, std::string(name));
    }
    if (resolve_) {
        if (TypePtr found = resolve_(name)) return found;
    }
    if (resolve_ || !is_dotted) fail(concat("a known type instead of '", name, "'"));
    return make_ptr<ClassType>(std::string(name), false);
}

TypePtr TypeParser::parse_container(std::string_view name) {
    if (name == "Tuple" && accept("[()]")) return types::tuple({});
    std::vector<TypePtr> inner = parse_arguments();
    if (name == "Tuple") return types::tuple(std::move(inner));
    if (inner.size() != (name == "Dict" ? 2u : 1u) && name != "Union") fail("another number of types");
    if (inner.empty()) fail("a type");
    if (name == "Union") return types::union_of(std::move(inner));
    if (name == "Dict") return types::dict(inner[0], inner[1]);
    if (name == "List") return types::list(inner[0]);
    if (name == "Optional") return types::optional(inner[0]);
    if (name == "RRef") return make_type(TypeKind::Capsule, {}, concat("RRef(", inner[0]->schema_str(), ")"));
    return types::future(inner[0]);
}

// "NamedTuple(a : int, b : Tensor)".
TypePtr TypeParser::parse_named_tuple() {
    std::vector<std::string> fields;
    std::vector<TypePtr> elements;
    expect("(");
    while (!accept(")")) {
        if (!fields.empty()) expect(",");
        fields.emplace_back(identifier());
        expect(":");
        elements.push_back(parse());
    }
    return types::named_tuple("NamedTuple", std::move(fields), std::move(elements));
}

// Tells "Tensor(2, *)" from the alias mark of "Tensor(a!)" and, in schemas, "Tensor(*)".
bool TypeParser::is_tensor_facts() {
    if (peek() != '(') return false;
    const std::size_t begin = at_;
    expect("(");
    bool facts = std::isdigit(static_cast<unsigned char>(peek())) != 0 || peek() == ')' || accept("requires_grad=") ||
                 accept("device=") || accept("SS(");
    if (!facts && accept("*")) facts = peek() == ',' || (peek() == ')' && !in_schema_);
    at_ = begin;
    return facts;
}

TypePtr TypeParser::parse_refined(std::string_view name) {
    std::string_view dtype_part = name;
    if (name.ends_with("Tensor")) dtype_part.remove_suffix(6);
    const auto dtype = dtype_from_graph_name(dtype_part);
    if (!dtype && name != "Tensor") return nullptr;
    auto type = make_ptr<TensorType>();
    type->dtype = dtype;
    if (is_tensor_facts()) parse_tensor_facts(*type, !name.ends_with("Tensor"));
    if (accept("[Undefined]")) type->undefined = true;
    if (!type->is_refined()) return types::tensor();
    return type;
}

// A name without "Tensor" at its end says that the sizes are known; "Float()" has none.
void TypeParser::parse_tensor_facts(TensorType& type, bool has_sizes) {
    std::vector<std::optional<std::int64_t>> sizes;
    expect("(");
    if (peek() == ')') has_sizes = true;
    for (bool first = true; !accept(")"); first = false) {
        if (!first) expect(",");
        if (accept("requires_grad=")) {
            type.requires_grad = integer() != 0;
        } else if (accept("device=")) {
            const std::string_view device = identifier();
            type.device = parse_device(accept(":") ? concat(device, ":", integer()) : std::string(device));
        } else if (accept("strides=[")) {
            type.strides.emplace();
            while (!accept("]")) {
                if (!type.strides->empty()) expect(",");
                type.strides->emplace_back(integer());
            }
        } else if (accept("*")) {
            sizes.emplace_back();
        } else if (accept("SS(")) {  // a symbol: a negative number
            sizes.emplace_back(integer());
            expect(")");
        } else {
            sizes.emplace_back(integer());
        }
    }
    if (has_sizes || !sizes.empty()) type.sizes = std::move(sizes);
}

}  // namespace loupe::detail

namespace loupe {

TypePtr parse_type(std::string_view text, const TypeResolver& resolve) {
    detail::TypeParser parser(text, resolve, false);
    TypePtr type = parser.parse();
    if (!parser.at_end()) parser.fail("the end of the type");
    return type;
}

TypePtr parse_type_prefix(std::string_view& text, const TypeResolver& resolve) {
    detail::TypeParser parser(text, resolve, false);
    TypePtr type = parser.parse();
    text.remove_prefix(parser.end_of_type());
    return type;
}

}  // namespace loupe
