// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/constructor_guess.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <utility>

#include "core/base/strings.h"
#include "core/nn/module.h"
#include "core/ops/random/generator.h"
#include "core/python/callables.h"
#include "core/python/guess/example_calls.h"
#include "core/python/guess/syntax_walk.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/class.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"
#include "core/python/source_words.h"
#include "core/python/torch/nn_module.h"

namespace loupe::python {
namespace {

using script::as;
using std::chrono::milliseconds;

constexpr milliseconds kExampleTime{8000};
constexpr milliseconds kValueTime{3000};
constexpr milliseconds kAllTime{20000};
constexpr std::size_t kMostExamples = 16;
constexpr std::size_t kMostTrials = 220;  // of one class
constexpr int kDeepest = 3;               // classes as arguments of classes
const char* const kSettings = "{}";       // an object whose fields are guessed too

void add_new(std::vector<std::string>& to, const std::vector<std::string>& more) {
    for (const std::string& each : more) {
        if (!each.empty() && std::find(to.begin(), to.end(), each) == to.end()) to.push_back(each);
    }
}

bool is_literal(const script::Expr* e) {
    switch (e->kind) {
        case script::ExprKind::Number:
        case script::ExprKind::String:
        case script::ExprKind::True:
        case script::ExprKind::False:
            return true;
        case script::ExprKind::Tuple:
        case script::ExprKind::List: {
            bool all = true;
            for_each_part(*e, [&](const script::Expr& part) { all = all && is_literal(&part); });
            return all;
        }
        default:
            return false;
    }
}

std::filesystem::path package_folder(Evaluator& evaluator) {
    const auto& state = evaluator.state();
    return state.package_folder.empty() ? state.directory : state.package_folder;
}

const FunctionObject* constructor_of(const IValue& callable) {
    const auto* cls = object_as<ClassObject>(callable);
    const IValue* init = cls != nullptr ? cls->find("__init__") : &callable;
    const FunctionObject* function = init != nullptr ? function_of(*init) : nullptr;
    // What a decorator stands in front of.
    for (int i = 0; function != nullptr && i < 4; ++i) {
        const IValue* inner = function->attributes.find("__wrapped__");
        if (inner == nullptr || function_of(*inner) == nullptr) break;
        function = function_of(*inner);
    }
    return function;
}

std::vector<const FunctionObject*> methods_of(const IValue& callable) {
    std::vector<const FunctionObject*> out;
    const auto* cls = object_as<ClassObject>(callable);
    if (cls == nullptr) return out;
    for (const ClassObject* base : cls->mro()) {
        if (base->is_builtin()) continue;
        for (const auto& [name, value] : base->attributes().entries()) {
            const FunctionObject* function = function_of(value);
            if (function != nullptr && name != "__init__") out.push_back(function);
        }
    }
    return out;
}

}  // namespace

ConstructorGuesser::ConstructorGuesser(Evaluator& evaluator, const Namespace& names)
    : evaluator_(evaluator),
      names_(names),
      nearby_(*evaluator.state().main->source, package_folder(evaluator), !evaluator.state().package_folder.empty()),
      package_(evaluator, names, nearby_),
      end_(std::chrono::steady_clock::now() + kAllTime) {
    const auto has = [&](std::string_view name) { return names_.find(name).has_value(); };
    value_names_.torch = has("torch") ? "torch" : "__import__('torch')";
    value_names_.nn =
        has("nn") && object_as<PythonModule>(*names_.find("nn")) != nullptr ? "nn" : concat(value_names_.torch, ".nn");
    value_names_.name_space = has("SimpleNamespace") ? "SimpleNamespace" : "__import__('types').SimpleNamespace";
    read_defaults();
}

bool ConstructorGuesser::is_known(std::string_view name) const {
    return names_.find(name).has_value() || evaluator_.state().builtins->find(name).has_value();
}

void ConstructorGuesser::read_defaults() {
    const Unit& unit = *evaluator_.state().main;
    const std::function<void(script::Body)> walk = [&](script::Body body) {
        for (const script::Stmt* s : body) {
            if (const auto* def = as<script::Def>(s)) {
                for (const script::Param& param : def->params) {
                    if (param.default_value == nullptr || !is_literal(param.default_value)) continue;
                    defaults_.emplace(param.name, text_of(unit.source->text(), *param.default_value));
                }
            }
            for (const script::Body& block : blocks_of(*s)) walk(block);
        }
    };
    walk(unit.tree->body);
}

Trial ConstructorGuesser::attempt(const std::string& expression, milliseconds limit) {
    const RandomState random = random_state();
    Trial trial = try_out(
        evaluator_, [&] { return evaluator_.evaluate(expression, "build"); }, limit);
    set_random_state(random);
    return trial;
}

// --- what an argument may be ---

std::vector<ConstructorGuesser::Parameter> ConstructorGuesser::parameters_of(const IValue& callable,
                                                                             bool& takes_keywords) const {
    std::vector<Parameter> out;
    const auto* cls = object_as<ClassObject>(callable);
    const IValue* fields = cls != nullptr ? cls->find("__dataclass_fields__") : nullptr;
    if (fields != nullptr && fields->is_dict()) {
        for (const auto& [key, field] : fields->to_dict().entries()) {
            Parameter parameter{str(key), {}, std::nullopt};
            const auto is_missing = [&field = field](const char* attribute) {
                return type_name(get_attribute(field, attribute)) == "_Missing";
            };
            const IValue type = get_attribute(field, "type");
            parameter.annotation = type.is_string() ? type.to_string() : str(type);
            if (const auto* type_class = object_as<ClassObject>(type)) parameter.annotation = type_class->name();
            if (!is_missing("default") || !is_missing("default_factory")) parameter.default_value = "...";
            out.push_back(std::move(parameter));
        }
        return out;
    }
    const FunctionObject* function = constructor_of(callable);
    if (function == nullptr) return out;
    const std::string& source = function->unit->source->text();
    for (std::size_t i = cls != nullptr ? 1 : 0; i < function->code.params.size(); ++i) {
        const script::Param& param = function->code.params[i];
        if (param.kind == script::ParamKind::KeywordRest) takes_keywords = true;
        if (param.kind != script::ParamKind::Plain) continue;
        Parameter parameter{std::string(param.name), {}, std::nullopt};
        if (param.annotation != nullptr) parameter.annotation = text_of(source, *param.annotation);
        if (param.default_value != nullptr) parameter.default_value = text_of(source, *param.default_value);
        out.push_back(std::move(parameter));
    }
    return out;
}

// Objects of classes: what the annotation names, what isinstance() asks for, what is called as the argument.
std::vector<std::string> ConstructorGuesser::class_values(const Parameter& parameter, const ParameterFacts& facts,
                                                          const IValue& owner) {
    std::vector<std::string> wanted;
    const std::string annotation = plain_annotation(parameter.annotation);
    if (!annotation.empty() && annotation.find('[') == std::string::npos) wanted.push_back(annotation);
    wanted.insert(wanted.end(), facts.classes.begin(), facts.classes.end());
    const std::string name = plain_name(parameter.name);
    const bool may_be_module = facts.is_module || parameter.annotation.empty();
    if (name.size() > 2 && may_be_module && !facts.is_number) {
        for (const auto& [other, value] : names_.entries()) {
            const auto* cls = object_as<ClassObject>(value);
            if (cls == nullptr || cls->is_builtin() || value.object_pointer() == owner.object_pointer()) continue;
            const std::string plain = plain_name(other);
            const bool is_settings = is_settings_name(parameter.name) &&
                                     (plain.ends_with("config") || plain.ends_with("args") || plain.ends_with("cfg"));
            const bool is_alike =
                cls->is_subclass_of(*nn_module_class()) &&
                (plain == name || (name.size() > 3 && (plain.ends_with(name) || name.ends_with(plain))));
            if (is_settings || is_alike) wanted.push_back(other);
        }
    }
    std::vector<std::string> out;
    for (const std::string& each : wanted) {
        const auto value = each.find('.') == std::string::npos ? names_.find(each) : std::nullopt;
        const auto* cls = value ? object_as<ClassObject>(*value) : nullptr;
        if (cls == nullptr || cls->is_builtin() || value->object_pointer() == owner.object_pointer()) continue;
        if (cls == nn_module_class().get()) continue;
        if (const auto text = value_of_class({each, each, *value})) add_new(out, {*text});
    }
    return out;
}

// Of a module that forward calls: classes of the package whose objects have what is read of it.
std::vector<std::string> ConstructorGuesser::package_values(const Parameter& parameter, const ParameterFacts& facts,
                                                            const IValue& owner) {
    if (!facts.is_module || depth_ >= kDeepest) return {};
    std::set<std::string> attributes;
    for (const auto& [name, inner] : facts.attributes) {
        if (nn_module_class()->find(name) == nullptr && name != "training") attributes.insert(name);
    }
    std::vector<std::string> out;
    for (const FoundClass& each : package_.with(attributes, parameter.name)) {
        if (each.value.object_pointer() == owner.object_pointer()) continue;
        if (const auto text = value_of_class(each)) add_new(out, {*text});
        if (!out.empty()) break;
    }
    return out;
}

std::optional<std::string> ConstructorGuesser::value_of_class(const FoundClass& cls) {
    const std::string& name = cls.spelled;
    if (const auto known = made_.find(name); known != made_.end()) return known->second;
    made_[name] = std::nullopt;  // while it is looked for
    if (depth_ >= kDeepest || is_over()) return std::nullopt;
    // A member of an enumeration.
    if (find_attribute(cls.value, "__members__")) {
        const Trial members = attempt(concat("list(", name, ")[0].name"), kValueTime);
        if (members.succeeded && members.value.is_string())
            return made_[name] = concat(name, ".", members.value.to_string());
    }
    ++depth_;
    std::string obstacle = obstacle_;
    const auto made = guess(cls, {});
    obstacle_ = std::move(obstacle);
    --depth_;
    if (made) made_[name] = made->expression;
    return made_[name];
}

ConstructorGuesser::Slot ConstructorGuesser::slot_for(const Parameter& parameter, const ParameterFacts& facts,
                                                      const IValue& owner) {
    Slot slot{parameter.name, facts, {}};
    slot.is_dict = facts.has_keys;
    std::vector<std::string> own = class_values(parameter, facts, owner);
    if (own.empty()) own = package_values(parameter, facts, owner);
    add_new(slot.candidates, own);
    const std::vector<std::string> annotated =
        values_by_annotation(parameter.annotation, parameter.name, facts, value_names_);
    const bool is_open = annotated.empty() || std::isdigit(static_cast<unsigned char>(annotated.front()[0])) != 0;
    if (const auto found = defaults_.find(parameter.name); found != defaults_.end() && is_open && own.empty())
        add_new(slot.candidates, {found->second});
    add_new(slot.candidates, annotated);
    const std::vector<std::string> by_name = values_by_name(parameter.name, facts, value_names_);
    std::vector<std::string> by_use = values_by_use(parameter.name, facts, value_names_);
    // A name says more of a number than that it is one.
    const bool is_plain_number = facts.is_number && !facts.is_iterated && !facts.is_module && facts.choices.empty();
    if (is_plain_number) add_new(slot.candidates, by_name);
    add_new(slot.candidates, by_use);
    add_new(slot.candidates, by_name);
    if (annotated.empty()) add_new(slot.candidates, any_values(facts, value_names_));
    for (const auto& [name, inner] : facts.attributes)
        slot.fields.push_back(slot_for({name, {}, std::nullopt}, inner, owner));
    return slot;
}

std::string ConstructorGuesser::text_of_slot(const Slot& slot) const {
    if (slot.candidates[slot.chosen] != kSettings) return slot.candidates[slot.chosen];
    std::vector<std::string> parts;
    for (const Slot& field : slot.fields) {
        const std::string value = text_of_slot(field);
        parts.push_back(slot.is_dict ? concat(python_repr(std::string_view(field.name)), ": ", value)
                                     : concat(field.name, "=", value));
    }
    return slot.is_dict ? concat("{", join(parts, ", "), "}")
                        : concat(value_names_.name_space, "(", join(parts, ", "), ")");
}

std::string ConstructorGuesser::call_text(const std::string& name, const std::vector<Slot>& slots) const {
    std::vector<std::string> parts;
    for (const Slot& slot : slots) parts.push_back(concat(slot.name, "=", text_of_slot(slot)));
    return concat(name, "(", join(parts, ", "), ")");
}

// --- trying ---

// The values of one class, as they are changed until it can be made.
struct ConstructorGuesser::Search {
    ConstructorGuesser& owner;
    const FoundClass& cls;
    const IValue& callable;
    const FunctionObject* constructor;
    std::vector<Parameter> parameters;
    bool takes_keywords;
    std::vector<Slot> slots = {};
    Trial trial = {};
    std::size_t trials = 0;

    bool run() {
        for (;;) {
            if (step()) return true;
            if (is_spent() || trial.is_missing_library) return false;
            if (repair()) continue;
            if (!improve()) return false;
            if (trial.succeeded) return true;
        }
    }

    bool is_spent() const { return trials >= kMostTrials || owner.is_over(); }

    bool step() {
        trial = attempt();
        return trial.succeeded;
    }

    Trial attempt() {
        ++trials;
        return owner.attempt(owner.call_text(cls.spelled, slots), kValueTime);
    }

    // How far it came: where the constructor stopped, then how much ran at all.
    std::pair<std::size_t, std::size_t> progress(const Trial& of) const {
        if (of.succeeded) return {~std::size_t{0}, 0};
        const TraceEntry* entry = outermost(of);
        return {entry != nullptr ? entry->range.start : 0, of.statements};
    }

    const TraceEntry* outermost(const Trial& of) const {
        if (constructor == nullptr) return nullptr;
        for (auto entry = of.trace.rbegin(); entry != of.trace.rend(); ++entry) {
            if (entry->range.source == constructor->unit->source && entry->function.ends_with(constructor->code.name))
                return &*entry;
        }
        return nullptr;
    }

    static std::string line_of(const TraceEntry& entry) {
        return std::string(entry.range.source->text().substr(entry.range.start, entry.range.end - entry.range.start));
    }

    bool is_mentioned(std::string_view word) const {
        if (has_word(trial.error, word)) return true;
        const TraceEntry* entry = outermost(trial);
        if (entry != nullptr && has_word(line_of(*entry), word)) return true;
        return !trial.trace.empty() && has_word(line_of(trial.trace.front()), word);
    }

    void add(const Parameter& parameter) {
        const ParameterFacts facts = constructor != nullptr
                                         ? facts_of_parameter(*constructor, parameter.name, methods_of(callable))
                                         : ParameterFacts();
        slots.push_back(owner.slot_for(parameter, facts, callable));
    }

    bool has(std::string_view parameter) const {
        return std::any_of(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.name == parameter; });
    }

    // What the error asks for. False: nothing that is not there already.
    bool repair() {
        static const std::regex kMissing("missing \\d+ required [a-z- ]*arguments?: (.*)$");
        static const std::regex kQuoted("'(\\w+)'");
        static const std::regex kAttribute("'(SimpleNamespace|dict)' object has no attribute '(\\w+)'");
        static const std::regex kKey("KeyError: '(\\w+)'");
        static const std::regex kUnexpected("unexpected keyword argument '(\\w+)'");
        std::smatch found;
        if (std::regex_search(trial.error, found, kMissing)) {
            bool added = false;
            const std::string list = found[1];
            for (std::sregex_iterator each(list.begin(), list.end(), kQuoted), end; each != end; ++each) {
                const std::string parameter = (*each)[1];
                const bool is_own = trial.error.find(concat(cls.name, ".__init__")) != std::string::npos ||
                                    takes_keywords ||
                                    std::any_of(parameters.begin(), parameters.end(),
                                                [&](const Parameter& own) { return own.name == parameter; });
                if (!is_own || has(parameter)) continue;
                add({parameter, {}, std::nullopt});
                added = true;
            }
            if (added) return true;
        }
        if (std::regex_search(trial.error, found, kUnexpected)) {
            const std::string parameter = found[1];
            return std::erase_if(slots, [&](const Slot& slot) { return slot.name == parameter && !slot.is_given; }) > 0;
        }
        if (std::regex_search(trial.error, found, kAttribute)) {
            Slot* slot = settings(slots, std::string(found[2]), found[1] == "dict");
            if (slot == nullptr) return false;
            if (found[1] == "dict") {
                slot->is_dict = false;
                return true;
            }
            return add_field(*slot, found[2]);
        }
        if (std::regex_search(trial.error, found, kKey)) {
            Slot* slot = settings(slots, std::string(found[1]), true);
            return slot != nullptr && add_field(*slot, found[1]);
        }
        if (trial.error.find("'SimpleNamespace' object is not subscriptable") != std::string::npos) {
            Slot* slot = settings(slots, {}, false);
            if (slot != nullptr) slot->is_dict = true;
            return slot != nullptr;
        }
        return false;
    }

    bool add_field(Slot& slot, const std::string& field) {
        for (const Slot& each : slot.fields) {
            if (each.name == field) return false;
        }
        slot.fields.push_back(owner.slot_for({field, {}, std::nullopt}, {}, callable));
        return true;
    }

    // The object of settings that lacks the field: the one that the line names, else the first.
    Slot* settings(std::vector<Slot>& among, const std::string& field, bool is_dict) {
        Slot* first = nullptr;
        const std::string line = trial.trace.empty() ? std::string() : line_of(trial.trace.front());
        const std::function<Slot*(std::vector<Slot>&)> find = [&](std::vector<Slot>& all) -> Slot* {
            for (Slot& slot : all) {
                if (slot.candidates[slot.chosen] != kSettings) continue;
                if (Slot* inner = find(slot.fields)) return inner;
                if (slot.is_dict != is_dict) continue;
                if (first == nullptr) first = &slot;
                if (!field.empty() && line.find(concat(slot.name, ".", field)) != std::string::npos) return &slot;
            }
            return nullptr;
        };
        Slot* named = find(among);
        return named != nullptr ? named : first;
    }

    // Those that could be changed: the ones that the error is about come first.
    std::vector<Slot*> order() {
        std::vector<Slot*> all;
        const std::function<void(std::vector<Slot>&)> collect = [&](std::vector<Slot>& among) {
            for (Slot& slot : among) {
                all.push_back(&slot);
                if (slot.candidates[slot.chosen] == kSettings) collect(slot.fields);
            }
        };
        collect(slots);
        std::stable_partition(all.begin(), all.end(), [&](const Slot* slot) { return is_mentioned(slot->name); });
        return all;
    }

    // Arguments with a default that the error is about.
    void add_mentioned() {
        for (const Parameter& parameter : parameters) {
            if (!parameter.default_value || has(parameter.name) || !has_word(trial.error, parameter.name)) continue;
            add(parameter);
            slots.back().candidates.insert(slots.back().candidates.begin(), *parameter.default_value);
        }
    }

    void add_quoted(Slot& slot) const {
        static const std::regex kQuoted("['\"]([\\w-]+)['\"]");
        if (slot.candidates[slot.chosen].find('\'') != 0) return;
        std::vector<std::string> more;
        for (std::sregex_iterator each(trial.error.begin(), trial.error.end(), kQuoted), end;
             each != end && more.size() < 8; ++each)
            more.push_back(concat("'", (*each)[1].str(), "'"));
        add_new(slot.candidates, more);
    }

    // One value is changed so that it comes further. False: no single change helps.
    bool improve() {
        const auto before = progress(trial);
        const Trial was = trial;
        if (constructor != nullptr) add_mentioned();
        for (Slot* slot : order()) {
            add_quoted(*slot);
            const std::size_t chosen = slot->chosen;
            for (std::size_t i = 0; i < slot->candidates.size(); ++i) {
                if (i == chosen) continue;
                if (is_spent()) return false;
                slot->chosen = i;
                Trial next = attempt();
                const bool needs_more =
                    next.error.find("'SimpleNamespace' object has no attribute") != std::string::npos;
                if (progress(next) > before || (needs_more && next.error != was.error)) {
                    trial = std::move(next);
                    return true;
                }
            }
            slot->chosen = chosen;
        }
        return false;
    }
};

namespace {

// "TypeError: ... (net.py:12), with the guess Net(nn.Identity(), 3)".
std::string obstacle_of(const Trial& trial, const std::string& call) {
    constexpr std::size_t kLongest = 160;
    const bool has_place = !trial.place.empty() && trial.error.find(trial.place) == std::string::npos;
    return concat(trial.error, has_place ? concat(" (", trial.place, ")") : "", ", with the guess ",
                  call.size() > kLongest ? concat(std::string_view(call).substr(0, kLongest), "...") : call);
}

}  // namespace

std::optional<ConstructorGuess> ConstructorGuesser::from_values(const FoundClass& cls, const Values& fixed) {
    const IValue& callable = cls.value;
    bool takes_keywords = false;
    std::vector<Parameter> parameters = parameters_of(callable, takes_keywords);
    Search search{*this, cls, callable, constructor_of(callable), std::move(parameters), takes_keywords};
    for (const Parameter& parameter : search.parameters) {
        const bool is_fixed =
            std::any_of(fixed.begin(), fixed.end(), [&](const auto& each) { return each.first == parameter.name; });
        if (!parameter.default_value && !is_fixed) search.add(parameter);
    }
    for (const auto& [argument, value] : fixed) {
        search.slots.push_back({argument, {}, {value}});
        search.slots.back().is_given = true;
    }
    if (!search.run()) {
        obstacle_ = obstacle_of(search.trial, call_text(cls.spelled, search.slots));
        return std::nullopt;
    }
    return ConstructorGuess{call_text(cls.spelled, search.slots), {}, {}};
}

std::optional<ConstructorGuess> ConstructorGuesser::from_examples(const FoundClass& cls) {
    const std::string& name = cls.name;
    std::size_t tried = 0;
    std::vector<std::string> seen;
    const auto known = [this](std::string_view each) { return is_known(each); };
    for (const NearbyText& text : nearby_.with(concat(name, "("))) {
        for (ExampleCall& call : find_example_calls(text.text, text.place, name, known)) {
            if (std::find(seen.begin(), seen.end(), call.expression) != seen.end()) continue;
            seen.push_back(call.expression);
            if (++tried > kMostExamples || is_over()) return std::nullopt;
            if (call.expression.starts_with(concat(name, "("))) call.expression.replace(0, name.size(), cls.spelled);
            const Trial trial = attempt(call.expression, kExampleTime);
            if (trial.succeeded) return ConstructorGuess{call.expression, std::move(call.inputs), call.place};
            if (obstacle_.empty()) obstacle_ = obstacle_of(trial, call.expression);
            if (trial.is_missing_library) return std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<ConstructorGuess> ConstructorGuesser::guess(const std::string& name, const IValue& callable,
                                                          const Values& fixed) {
    return guess(FoundClass{name, name, callable}, fixed);
}

std::optional<ConstructorGuess> ConstructorGuesser::guess(const FoundClass& cls, const Values& fixed) {
    obstacle_.clear();
    made_.emplace(cls.spelled, std::nullopt);  // it is no argument of itself
    std::optional<ConstructorGuess> found;
    if (fixed.empty()) found = from_examples(cls);
    if (!found && !is_over()) found = from_values(cls, fixed);
    if (found) made_[cls.spelled] = found->expression;
    return found;
}

ConstructorGuesser::Values ConstructorGuesser::first_values(const IValue& callable) {
    Values out;
    const int depth = std::exchange(depth_, kDeepest);  // nothing is tried
    bool takes_keywords = false;
    const FunctionObject* constructor = constructor_of(callable);
    for (const Parameter& parameter : parameters_of(callable, takes_keywords)) {
        if (parameter.default_value || constructor == nullptr) continue;
        const Slot slot =
            slot_for(parameter, facts_of_parameter(*constructor, parameter.name, methods_of(callable)), callable);
        out.emplace_back(parameter.name, text_of_slot(slot));
    }
    depth_ = depth;
    made_.clear();
    return out;
}

}  // namespace loupe::python
