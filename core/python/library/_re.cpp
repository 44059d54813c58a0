// SPDX-License-Identifier: Apache-2.0
// _re, which matches: re.py is around it.
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/library/regex.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

class CompiledRegex final : public PythonObject {
  public:
    CompiledRegex(std::u32string pattern, unsigned flags) : regex(std::move(pattern), flags) {}
    const Regex regex;
    // The text that was searched last, as characters: findall asks for it again and again.
    const std::u32string& decoded(const std::string& text) {
        if (text != text_ || characters_.empty()) {
            text_ = text;
            characters_ = decode_text(text);
        }
        return characters_;
    }
    std::string type_name() const override { return "re.Pattern"; }

  private:
    std::string text_;
    std::u32string characters_;
};

IValue compile_pattern(CallArguments a) {
    check_positional(a, "compile", 2, 2);
    const auto flags = static_cast<unsigned>(to_index(a.positional[1]) & 0x1FF);
    return IValue::other(make_ptr<CompiledRegex>(decode_text(str(a.positional[0])), flags));
}

// (compiled, text, from, mode 0 match 1 search 2 fullmatch) -> list of pairs, or None.
IValue find_pattern(CallArguments a) {
    check_positional(a, "find", 4, 4);
    auto* compiled = object_as<CompiledRegex>(a.positional[0]);
    if (compiled == nullptr) throw_type_error("find() needs a compiled pattern");
    if (!plain(a.positional[1]).is_string()) throw_type_error("expected string or bytes-like object");
    const auto from = static_cast<std::size_t>(std::max<std::int64_t>(to_index(a.positional[2]), 0));
    const auto spans = compiled->regex.find(compiled->decoded(plain(a.positional[1]).to_string()), from,
                                            static_cast<Regex::Mode>(to_index(a.positional[3])));
    if (!spans) return {};
    std::vector<IValue> out;
    for (const auto& [begin, end] : *spans) out.push_back(make_tuple({IValue(begin), IValue(end)}));
    return make_list(std::move(out));
}

IValue facts_of_pattern(CallArguments a) {
    check_positional(a, "facts", 1, 1);
    const auto* compiled = object_as<CompiledRegex>(a.positional[0]);
    if (compiled == nullptr) throw_type_error("facts() needs a compiled pattern");
    const auto names = make_dict();
    for (const auto& [name, index] : compiled->regex.group_names())
        names->set(IValue(name), IValue(static_cast<std::int64_t>(index)));
    return make_tuple({IValue(static_cast<std::int64_t>(compiled->regex.group_count())), IValue(names)});
}

}  // namespace

void fill_re(PythonModule& module) {
    module.define("compile", compile_pattern);
    module.define("find", find_pattern);
    module.define("facts", facts_of_pattern);
    module.define("error", IValue::other(exception_class("ReError")));
}

}  // namespace loupe::python
