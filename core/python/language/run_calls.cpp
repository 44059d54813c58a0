// SPDX-License-Identifier: Apache-2.0
// Calls: arguments, parameters, frames.
#include <algorithm>

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/generator.h"
#include "core/python/language/missing_name.h"
#include "core/python/language/runner.h"

namespace loupe::python {

using namespace script;

void Runner::spread_keywords(const IValue& mapping, CallArguments& arguments) {
    const auto add = [&](const IValue& key, const IValue& value) {
        if (!key.is_string()) throw_type_error("keywords must be strings");
        const auto is_same = [&](const auto& given) { return given.first == key.to_string(); };
        if (std::any_of(arguments.keywords.begin(), arguments.keywords.end(), is_same)) {
            throw_type_error(concat("got multiple values for keyword argument '", key.to_string(), "'"));
        }
        arguments.keywords.emplace_back(key.to_string(), value);
    };
    if (mapping.is_dict()) {
        for (const auto& [key, value] : mapping.to_dict().entries()) add(key, value);
        return;
    }
    if (!find_attribute(mapping, "keys")) {
        throw_type_error(concat("argument after ** must be a mapping, not ", type_name(mapping)));
    }
    for_each(call_method(mapping, "keys", {}), [&](const IValue& key) {
        add(key, get_item(mapping, key));
        return true;
    });
}

CallArguments Runner::evaluate_arguments(const Call& e) {
    CallArguments arguments;
    arguments.positional.reserve(e.arguments.size() + 1);
    for (const Expr* argument : e.arguments) {
        if (const auto* starred = as<Starred>(argument)) {
            const IValue value = evaluate(starred->value);
            frame_.where = argument->range;
            if (!is_iterable(value)) {
                throw_type_error(concat("argument after * must be an iterable, not ", type_name(value)));
            }
            for_each(value, [&](const IValue& item) {
                arguments.positional.push_back(item);
                return true;
            });
        } else {
            arguments.positional.push_back(evaluate(argument));
        }
    }
    for (const Keyword& keyword : e.keywords) {
        IValue value = evaluate(keyword.value);
        if (keyword.name.empty()) {
            frame_.where = keyword.range;
            spread_keywords(value, arguments);
        } else {
            arguments.keywords.emplace_back(keyword.name, std::move(value));
        }
    }
    return arguments;
}

// What a module sets up of a library that is not here is missing too, and fails where a function uses it.
const MissingName* Runner::deferred(const IValue& callee) const {
    const bool sets_up = frame_.code.kind == ScopeKind::Module || frame_.code.kind == ScopeKind::Class;
    return sets_up ? object_as<MissingName>(callee) : nullptr;
}

IValue Runner::evaluate_call(const Call& e) {
    if (const auto* attribute = as<Attribute>(e.callee)) {
        const IValue object = evaluate(attribute->object);
        if (const auto* missing = deferred(object)) {
            const IValue part = get_attribute(object, attribute->name);
            const auto* missing_part = object_as<MissingName>(part);
            return IValue::other((missing_part != nullptr ? missing_part : missing)->result());
        }
        CallArguments arguments = evaluate_arguments(e);
        frame_.where = e.range;
        return call_method(object, attribute->name, std::move(arguments));
    }
    const IValue callee = evaluate(e.callee);
    if (const auto* missing = deferred(callee)) return IValue::other(missing->result());
    CallArguments arguments = evaluate_arguments(e);
    frame_.where = e.range;
    return call(callee, std::move(arguments));
}

namespace {

// "'a'", "'a' and 'b'", "'a', 'b', and 'c'".
std::string listed(const std::vector<std::string_view>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) out += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
        out += concat("'", names[i], "'");
    }
    return out;
}

void store(Frame& frame, NamePlace place, IValue value) {
    if (place.kind == NameKind::Cell) {
        frame.cells[place.slot]->value = std::move(value);
    } else {
        frame.locals[place.slot] = std::move(value);
    }
}
bool is_given(Frame& frame, NamePlace place) {
    return !is_unbound(place.kind == NameKind::Cell ? frame.cells[place.slot]->value : frame.locals[place.slot]);
}

// Puts the arguments of one call where the function's parameters live.
class Binder {
  public:
    Binder(FunctionObject& function, Frame& frame, CallArguments& arguments)
        : function_(function), code_(frame.code), frame_(frame), arguments_(arguments) {}

    void run() {
        bind_positional();
        if (!arguments_.keywords.empty()) bind_keywords();
        if (code_.keyword_rest != Code::kNone) {
            IValue rest = keyword_rest_ ? IValue(keyword_rest_) : IValue(make_dict());
            store(frame_, code_.param_places[code_.keyword_rest], std::move(rest));
        }
        fill_defaults();
    }

  private:
    const std::string& name() const { return code_.qualified_name; }
    void bind_positional() {
        auto& given = arguments_.positional;
        const std::size_t count = std::min(given.size(), code_.positional_count);
        for (std::size_t i = 0; i < count; ++i) store(frame_, code_.param_places[i], std::move(given[i]));
        if (code_.rest != Code::kNone) {
            std::vector<IValue> rest;
            for (std::size_t i = count; i < given.size(); ++i) rest.push_back(std::move(given[i]));
            store(frame_, code_.param_places[code_.rest], make_tuple(std::move(rest)));
        } else if (given.size() > count) {
            fail_too_many(given.size());
        }
    }
    void bind_keywords() {
        for (auto& [keyword, value] : arguments_.keywords) {
            std::size_t index = code_.params.size();
            for (std::size_t i = code_.positional_only; i < code_.params.size(); ++i) {
                if (code_.params[i].kind == ParamKind::Plain && code_.params[i].name == keyword) index = i;
            }
            if (index < code_.params.size()) {
                if (is_given(frame_, code_.param_places[index])) {
                    throw_type_error(concat(name(), "() got multiple values for argument '", keyword, "'"));
                }
                store(frame_, code_.param_places[index], std::move(value));
            } else if (code_.keyword_rest != Code::kNone) {
                if (!keyword_rest_) keyword_rest_ = make_dict();
                keyword_rest_->set(IValue(keyword), std::move(value));
            } else {
                fail_keyword(keyword);
            }
        }
    }
    void fill_defaults() {
        std::vector<std::string_view> missing;
        std::vector<std::string_view> missing_keyword;
        for (std::size_t i = 0; i < code_.params.size(); ++i) {
            const Param& param = code_.params[i];
            if (param.kind != ParamKind::Plain || is_given(frame_, code_.param_places[i])) continue;
            if (!is_unbound(function_.defaults[i])) {
                store(frame_, code_.param_places[i], function_.defaults[i]);
            } else {
                (param.kwarg_only ? missing_keyword : missing).push_back(param.name);
            }
        }
        if (missing.empty() && missing_keyword.empty()) return;
        const auto& listed_names = missing.empty() ? missing_keyword : missing;
        throw_type_error(concat(name(), "() missing ", listed_names.size(), " required ",
                                missing.empty() ? "keyword-only" : "positional", " argument",
                                listed_names.size() == 1 ? "" : "s", ": ", listed(listed_names)));
    }
    [[noreturn]] void fail_keyword(const std::string& keyword) {
        std::vector<std::string_view> positional_only;
        for (std::size_t i = 0; i < code_.positional_only; ++i) {
            const auto is_named = [&](const auto& given) { return given.first == code_.params[i].name; };
            const auto& given = arguments_.keywords;
            if (std::any_of(given.begin(), given.end(), is_named)) positional_only.push_back(code_.params[i].name);
        }
        if (positional_only.empty()) {
            throw_type_error(concat(name(), "() got an unexpected keyword argument '", keyword, "'"));
        }
        throw_type_error(concat(name(), "() got some positional-only arguments passed as keyword arguments: '",
                                join(positional_only, ", "), "'"));
    }
    [[noreturn]] void fail_too_many(std::size_t given) {
        std::size_t required = 0;
        for (std::size_t i = 0; i < code_.positional_count; ++i) required += is_unbound(function_.defaults[i]) ? 1 : 0;
        const std::size_t most = code_.positional_count;
        const std::string takes = required == most ? std::to_string(most) : concat("from ", required, " to ", most);
        std::size_t keyword_only = 0;
        for (const auto& [keyword, value] : arguments_.keywords) {
            for (const Param& param : code_.params) keyword_only += param.kwarg_only && param.name == keyword ? 1 : 0;
        }
        const std::string extra = keyword_only == 0
                                      ? ""
                                      : concat(" positional argument", given == 1 ? "" : "s", " (and ", keyword_only,
                                               " keyword-only argument", keyword_only == 1 ? ")" : "s)");
        throw_type_error(concat(name(), "() takes ", takes, " positional argument", most == 1 ? "" : "s", " but ",
                                given, extra, given == 1 && keyword_only == 0 ? " was given" : " were given"));
    }

    FunctionObject& function_;
    const Code& code_;
    Frame& frame_;
    CallArguments& arguments_;
    Ptr<DictObject> keyword_rest_;
};

// A function of a source that was edited while it ran is what the edited source says.
struct RunningCode {
    Unit* unit;
    const Code* code;
};
RunningCode running_code(const FunctionObject& function) {
    const auto& edited = function.unit->owner->state().edited;
    if (!edited.empty()) [[unlikely]] {
        if (const auto found = edited.find(&function.code); found != edited.end())
            return {found->second.unit.get(), found->second.code};
    }
    return {function.unit.get(), &function.code};
}

void fill_frame(FunctionObject& function, Frame& frame, CallArguments& arguments) {
    frame.function = &function;
    for (const auto& cell : function.captured) frame.cells.push_back(cell);
    Binder(function, frame, arguments).run();
}

}  // namespace

namespace {

IValue run_statements(Frame& frame, script::Body body) {
    Runner runner(frame);
    try {
        if (frame.code.expression != nullptr) return runner.evaluate(frame.code.expression);
        runner.run(body);
        return std::move(frame.result);
    } catch (...) {
        const Ptr<ExceptionObject> raised = current_exception();
        if (!raised) throw;
        if (!frame.unit.is_library) raised->trace.push_back({frame.place(), frame.code.name});
        throw PythonError(raised);
    }
}

// By its words: __name__ == '__main__', with an else it is no guard.
bool is_main_guard(const Unit& unit, const script::Stmt* statement) {
    const auto* branch = script::as<script::If>(statement);
    if (branch == nullptr || !branch->if_false.empty()) return false;
    const script::Range range = branch->condition->range;
    std::string words;
    for (const char c : std::string_view(unit.source->text()).substr(range.begin, range.end - range.begin)) {
        if (c != ' ' && c != '(' && c != ')') words += c == '"' ? '\'' : c;
    }
    return words == "__name__=='__main__'" || words == "'__main__'==__name__";
}

}  // namespace

IValue run_body(Frame& frame) { return run_statements(frame, frame.code.body); }

IValue call_function(FunctionObject& function, CallArguments& arguments) {
    if (function.unit->owner == nullptr) {
        throw_error("RuntimeError", concat("the program that ", function.code.name, "() belongs to has ended"));
    }
    if (function.code.is_async) {
        throw_error("RuntimeError",
                    concat(function.code.name,
                           "() is an async function, and there is no event loop here; make it a plain one"));
    }
    check_stack();
    check_cancelled();
    const Ptr<FunctionObject> keep(&function);
    const RunningCode running = running_code(function);
    if (running.code->is_generator) {
        auto frame = std::make_unique<Frame>(*running.unit, *running.code);
        fill_frame(function, *frame, arguments);
        return IValue::other(make_ptr<Generator>(keep, std::move(frame)));
    }
    Frame frame(*running.unit, *running.code);
    fill_frame(function, frame, arguments);
    const EvaluatorScope evaluator(function.unit->owner);
    const FrameScope scope(frame);
    return run_body(frame);
}

void run_in_module(Unit& unit, const script::Stmt* statement) {
    Frame frame(unit, *unit.scopes.module);
    const EvaluatorScope evaluator(unit.owner);
    const FrameScope scope(frame);
    run_statements(frame, {&statement, 1});
}

void run_in_class(Unit& unit, const Code& code, ClassObject& cls, const script::Stmt* statement) {
    AttributeMap names;
    Frame frame(unit, code);
    frame.class_names = &names;
    if (code.class_cell != Code::kNone) frame.cells[code.class_cell]->value = IValue::other(ClassPtr(&cls));
    const EvaluatorScope evaluator(unit.owner);
    const FrameScope scope(frame);
    run_statements(frame, {&statement, 1});
    for (const auto& [name, value] : names.entries()) cls.set_attribute(name, value);
}

void run_module(Unit& unit, ModulePart part) {
    std::vector<const script::Stmt*> statements;
    for (const script::Stmt* each : unit.scopes.module->body) {
        if (part == ModulePart::All || is_main_guard(unit, each) == (part == ModulePart::MainOnly))
            statements.push_back(each);
    }
    Frame frame(unit, *unit.scopes.module);
    const EvaluatorScope evaluator(unit.owner);
    const FrameScope scope(frame);
    run_statements(frame, statements);
}

void run_main_until(Unit& unit, const std::function<bool()>& is_enough) {
    Frame frame(unit, *unit.scopes.module);
    const EvaluatorScope evaluator(unit.owner);
    const FrameScope scope(frame);
    for (const script::Stmt* each : unit.scopes.module->body) {
        if (!is_main_guard(unit, each)) continue;
        for (const script::Stmt* s : script::as<script::If>(each)->if_true) {
            run_statements(frame, {&s, 1});
            if (is_enough()) return;
        }
    }
}

IValue evaluate_module(Unit& unit) {
    const script::Body body = unit.scopes.module->body;
    const auto* only = body.size() == 1 ? script::as<script::ExprStmt>(body.front()) : nullptr;
    if (only == nullptr) throw_error("SyntaxError", "not one expression");
    Frame frame(unit, *unit.scopes.module);
    const EvaluatorScope evaluator(unit.owner);
    const FrameScope scope(frame);
    return Runner(frame).evaluate(only->value);
}

}  // namespace loupe::python
