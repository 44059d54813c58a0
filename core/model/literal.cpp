// SPDX-License-Identifier: Apache-2.0
#include "core/model/literal.h"

#include <cctype>
#include <charconv>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/script/literals.h"

namespace loupe::session {
namespace {

constexpr int kMaxDepth = 32;

class LiteralParser {
  public:
    explicit LiteralParser(std::string_view text) : text_(text) {}

    IValue parse(const Type& type) {
        IValue value = value_of(type, 0);
        skip_spaces();
        if (at_ != text_.size()) fail(type);
        return value;
    }

  private:
    [[noreturn]] void fail(const Type& type) const {
        const std::string name = type.annotation_str();
        const bool has_tensors = name.find("Tensor") != std::string::npos;
        throw Error(ErrorKind::Usage, concat("'", text_, "' is no ", name),
                    {.hint = has_tensors ? "give its tensors in an .npz, as arg0.0, arg0.1, ..., or in a .pt"
                                         : "write it as Python does: 3, 0.5, True, None, 'text', [1, 2]"});
    }
    void skip_spaces() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool take(std::string_view word) {
        skip_spaces();
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }

    IValue value_of(const Type& type, int depth) {
        if (depth > kMaxDepth) fail(type);
        switch (type.kind()) {
            case TypeKind::Optional:
                return take("None") ? IValue() : value_of(*type.element(), depth + 1);
            case TypeKind::None:
                if (take("None")) return {};
                fail(type);
            case TypeKind::Bool:
                if (take("True") || take("true")) return true;
                if (take("False") || take("false")) return false;
                fail(type);
            case TypeKind::Int:
                return number<std::int64_t>(type);
            case TypeKind::Float:
                return number<double>(type);
            case TypeKind::Number:
                return any_number(type);
            case TypeKind::String:
                return quoted(type);
            case TypeKind::List:
                return make_ptr<ListObject>(type.element(), elements(type, ']', "[", depth));
            case TypeKind::Tuple:
                return make_ptr<TupleObject>(elements(type, ')', "(", depth));
            case TypeKind::Any:
                return anything(type, depth);
            case TypeKind::Union: {
                IValue value = anything(type, depth);
                if (!is_instance(value, type)) fail(type);
                return value;
            }
            default:
                fail(type);
        }
    }

    // Of the type that it is written as; the elements of a list have one type together.
    IValue anything(const Type& any, int depth) {
        skip_spaces();
        if (at_ >= text_.size()) fail(any);
        if (take("None")) return {};
        switch (text_[at_]) {
            case '\'':
            case '"':
                return quoted(any);
            case 'T':
            case 'F':
                return value_of(*types::boolean(), depth);
            case '[':
                return with_own_types(make_ptr<ListObject>(types::any(), elements_of_any(']', depth)));
            case '(':
                return make_ptr<TupleObject>(elements_of_any(')', depth));
            default:
                return any_number(any);
        }
    }

    std::vector<IValue> elements_of_any(char close, int depth) {
        ++at_;
        std::vector<IValue> out;
        while (!take(std::string_view(&close, 1))) {
            out.push_back(value_of(*types::any(), depth + 1));
            skip_spaces();
            if (!take(",") && (at_ >= text_.size() || text_[at_] != close)) fail(*types::any());
        }
        return out;
    }

    template <typename T>
    T number(const Type& type) {
        skip_spaces();
        T value{};
        const auto [end, failure] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (failure != std::errc{}) fail(type);
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }

    IValue any_number(const Type& type) {
        skip_spaces();
        const auto end = text_.find_first_of(",])", at_);
        const bool is_real = text_.substr(at_, end - at_).find_first_of(".eEni") != std::string_view::npos;
        return is_real ? IValue(number<double>(type)) : IValue(number<std::int64_t>(type));
    }

    IValue quoted(const Type& type) {
        skip_spaces();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail(type);
        const char quote = text_[at_++];
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
        if (at_ >= text_.size()) fail(type);
        const auto text = script::decode_escapes(text_.substr(begin, at_++ - begin));
        if (!text) fail(type);
        return *text;
    }

    std::vector<IValue> elements(const Type& type, char close, std::string_view open, int depth) {
        if (!take(open)) fail(type);
        std::vector<IValue> out;
        while (!take(std::string_view(&close, 1))) {
            const bool is_tuple = type.kind() == TypeKind::Tuple;
            if (is_tuple && out.size() >= type.contained().size()) fail(type);
            out.push_back(value_of(is_tuple ? *type.contained()[out.size()] : *type.element(), depth + 1));
            if (!take(",")) {
                skip_spaces();
                if (at_ >= text_.size() || text_[at_] != close) fail(type);
            }
        }
        if (type.kind() == TypeKind::Tuple && out.size() != type.contained().size()) fail(type);
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

IValue with_own_types(const IValue& value) {
    const auto together = [](TypePtr known, const IValue& element) -> TypePtr {
        const TypePtr type = type_of(element);
        return known == nullptr ? type : unify_types(known, type).value_or(types::any());
    };
    if (value.is_list()) {
        std::vector<IValue> elements;
        TypePtr type;
        for (const IValue& element : value.to_list().elements) {
            elements.push_back(with_own_types(element));
            type = together(type, elements.back());
        }
        return make_ptr<ListObject>(type == nullptr ? value.to_list().element_type : type, std::move(elements));
    }
    if (value.is_tuple()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_tuple().elements) elements.push_back(with_own_types(element));
        return make_ptr<TupleObject>(std::move(elements), value.to_tuple().type);
    }
    if (!value.is_dict() || value.to_dict().size() == 0) return value;
    TypePtr key_type;
    TypePtr value_type;
    std::vector<DictObject::Entry> entries;
    for (const auto& [key, element] : value.to_dict().entries()) {
        entries.emplace_back(key, with_own_types(element));
        key_type = together(key_type, key);
        value_type = together(value_type, entries.back().second);
    }
    const auto dict = make_ptr<DictObject>(key_type, value_type);
    for (auto& [key, element] : entries) dict->set(std::move(key), std::move(element));
    return dict;
}

IValue literal_value(std::string_view text, const Type& type) { return LiteralParser(text).parse(type); }

}  // namespace loupe::session
