// SPDX-License-Identifier: Apache-2.0
// match statements: the first case whose pattern fits.
#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/runner.h"

namespace loupe::python {

using namespace script;

namespace {

// Classes that a single positional pattern is held against the whole value of.
bool matches_itself(const ClassObject& cls) {
    const BuiltinClasses& c = builtin_classes();
    for (const ClassPtr& known :
         {c.boolean, c.integer, c.floating, c.string, c.bytes, c.list, c.tuple, c.dict, c.set, c.frozenset}) {
        if (cls.is_subclass_of(*known)) return true;
    }
    return false;
}

class Matcher {
  public:
    using Evaluate = std::function<IValue(const Expr*)>;
    using Bind = std::function<void(const Pattern&, IValue)>;
    Matcher(Evaluate evaluate, Bind bind) : evaluate_(std::move(evaluate)), bind_(std::move(bind)) {}

    bool matches(const Pattern& pattern, const IValue& value) {
        check_stack();
        const bool fits = fits_kind(pattern, value);
        if (fits && !pattern.name.empty() && !pattern.has_rest) bind_(pattern, value);
        return fits;
    }

  private:
    bool fits_kind(const Pattern& pattern, const IValue& value) {
        switch (pattern.kind) {
            case PatternKind::Value:
                return equals(value, evaluate_(pattern.value));
            case PatternKind::Constant:
                return value.is_same(evaluate_(pattern.value));
            case PatternKind::Sequence:
                return fits_sequence(pattern, value);
            case PatternKind::Mapping:
                return fits_mapping(pattern, value);
            case PatternKind::Class:
                return fits_class(pattern, value);
            case PatternKind::Or:
                for (const Pattern* choice : pattern.patterns) {
                    if (matches(*choice, value)) return true;
                }
                return false;
            default:
                return true;
        }
    }

    bool fits_sequence(const Pattern& pattern, const IValue& value) {
        const IValue& held = plain(value);
        if (!held.is_list() && !held.is_tuple() && object_as<RangeObject>(held) == nullptr) return false;
        const std::vector<IValue> elements = to_vector(held);
        const auto& parts = pattern.patterns;
        std::size_t star = parts.size();
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i]->kind == PatternKind::Star) star = i;
        }
        const bool has_star = star < parts.size();
        if (has_star ? elements.size() + 1 < parts.size() : elements.size() != parts.size()) return false;
        for (std::size_t i = 0; i < star; ++i) {
            if (!matches(*parts[i], elements[i])) return false;
        }
        if (!has_star) return true;
        const std::size_t behind = parts.size() - star - 1;
        const auto end = elements.end() - static_cast<std::ptrdiff_t>(behind);
        const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(star);
        if (!parts[star]->name.empty()) bind_(*parts[star], make_list(std::vector<IValue>(begin, end)));
        for (std::size_t i = 0; i < behind; ++i) {
            if (!matches(*parts[star + 1 + i], elements[elements.size() - behind + i])) return false;
        }
        return true;
    }

    bool fits_mapping(const Pattern& pattern, const IValue& value) {
        if (!value.is_dict()) return false;
        const auto rest = make_dict();
        const auto entries = value.to_dict().entries();  // which a comparison may change
        for (const auto& [key, held] : entries) set_key(*rest, key, held);
        for (std::size_t i = 0; i < pattern.keys.size(); ++i) {
            const IValue key = evaluate_(pattern.keys[i]);
            const IValue* found = find_key(value.to_dict(), key);
            if (found == nullptr) return false;
            const IValue keep = *found;
            if (!matches(*pattern.patterns[i], keep)) return false;
            take_key(*rest, key);
        }
        if (pattern.has_rest && !pattern.name.empty()) bind_(pattern, IValue(rest));
        return true;
    }

    bool fits_class(const Pattern& pattern, const IValue& value) {
        const IValue type = evaluate_(pattern.value);
        auto* cls = object_as<ClassObject>(type);
        if (cls == nullptr && object_as<TypingObject>(type) == nullptr) {
            throw_type_error("called match pattern must be a class");
        }
        if (!is_instance(value, type)) return false;
        const std::size_t positional = pattern.patterns.size() - pattern.keywords.size();
        if (positional == 1 && cls != nullptr && matches_itself(*cls) && cls->find("__match_args__") == nullptr) {
            if (!matches(*pattern.patterns.front(), value)) return false;
        } else if (positional > 0 && !fits_positions(pattern, positional, cls, value)) {
            return false;
        }
        for (std::size_t i = 0; i < pattern.keywords.size(); ++i) {
            const auto held = find_attribute(value, pattern.keywords[i]);
            if (!held || !matches(*pattern.patterns[positional + i], *held)) return false;
        }
        return true;
    }

    bool fits_positions(const Pattern& pattern, std::size_t count, const ClassObject* cls, const IValue& value) {
        const IValue* names = cls != nullptr ? cls->find("__match_args__") : nullptr;
        const std::vector<IValue> fields = names != nullptr ? to_vector(*names) : std::vector<IValue>{};
        if (count > fields.size()) {
            throw_type_error(concat(cls != nullptr ? cls->name() : "the type", "() accepts ", fields.size(),
                                    " positional sub-pattern", fields.size() == 1 ? "" : "s", " (", count, " given)"));
        }
        for (std::size_t i = 0; i < count; ++i) {
            const auto held = find_attribute(value, str(fields[i]));
            if (!held || !matches(*pattern.patterns[i], *held)) return false;
        }
        return true;
    }

    Evaluate evaluate_;
    Bind bind_;
};

}  // namespace

Runner::Flow Runner::run_match(const Match& s) {
    const IValue subject = evaluate(s.subject);
    Matcher matcher([&](const Expr* e) { return evaluate(e); },
                    [&](const Pattern& p, IValue value) { bind_name(p.index, p.name, std::move(value)); });
    for (const MatchCase& branch : s.cases) {
        frame_.where = branch.range;
        if (!matcher.matches(*branch.pattern, subject)) continue;
        if (branch.guard != nullptr && !truth(evaluate(branch.guard))) continue;
        return run(branch.body);
    }
    return Flow::Next;
}

}  // namespace loupe::python
