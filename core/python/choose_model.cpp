// SPDX-License-Identifier: Apache-2.0
#include "core/python/choose_model.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/base/strings.h"
#include "core/nn/module.h"
#include "core/python/callables.h"
#include "core/python/guess/constructor_guess.h"
#include "core/python/guess/syntax_walk.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/class.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/frame.h"
#include "core/python/language/missing_name.h"
#include "core/python/language/operations.h"
#include "core/python/source_words.h"
#include "core/python/torch/nn_module.h"
#include "core/script/parser.h"

namespace loupe::python {

namespace {

[[noreturn]] void refuse(std::string message, std::string hint) {
    throw Error(ErrorKind::File, std::move(message), {.hint = std::move(hint)});
}

std::string written(const ir::Source& source, const script::Expr* e) {
    return e == nullptr ? std::string() : text_of(source.text(), *e);
}

// Parameters behind the first `skipped` ones, as written.
void add_parameters(Constructor& out, const FunctionObject& function, std::size_t skipped) {
    const auto& params = function.code.params;
    const ir::Source& source = *function.unit->source;
    for (std::size_t i = skipped; i < params.size(); ++i) {
        if (params[i].kind == script::ParamKind::Rest) {
            out.takes_rest = true;
        } else if (params[i].kind == script::ParamKind::KeywordRest) {
            out.takes_keywords = true;
        } else {
            Constructor::Parameter parameter{std::string(params[i].name), written(source, params[i].annotation),
                                             std::nullopt, params[i].kwarg_only};
            if (params[i].default_value != nullptr) parameter.default_value = written(source, params[i].default_value);
            out.parameters.push_back(std::move(parameter));
        }
    }
}

// "Net(channels, depth=...)".
std::string constructor_text(const Constructor& cls) {
    std::vector<std::string> names;
    for (const auto& parameter : cls.parameters)
        names.push_back(concat(parameter.name, parameter.default_value ? "=..." : ""));
    return concat(cls.class_name, "(", join(names, ", "), ")");
}

// A class or a function of the source that makes a module.
struct Maker {
    std::string name;
    IValue value;
    std::string text;  // of its statement; empty where that does not stand at the module's level
    std::uint32_t begin = 0;
    bool needs_arguments = false;
    const ClassObject* cls() const { return object_as<ClassObject>(value); }

    Constructor constructor() const {
        Constructor out;
        out.class_name = name;
        if (const auto doc = find_attribute(value, "__doc__"); doc && doc->is_string()) out.doc = doc->to_string();
        const IValue* init = cls() != nullptr ? cls()->find("__init__") : &value;
        const FunctionObject* function = init != nullptr ? function_of(*init) : nullptr;
        if (function == nullptr) return out;
        if (!function->code.params.empty()) {
            const script::Range range = function->code.params.front().range;
            out.range = {function->unit->source, range.begin, range.end};
        }
        add_parameters(out, *function, cls() != nullptr ? 1 : 0);
        return out;
    }
};

// Whatever it is: a function, or what a decorator made of one.
bool defines_forward(const ClassObject& cls) {
    return std::any_of(cls.mro().begin(), cls.mro().end(), [](const ClassObject* base) {
        return !base->is_builtin() && base->attributes().find("forward") != nullptr;
    });
}

// A call whose other arguments are to be guessed: "Net", "Net(width=64, ...)", "...(width=64)" of any class.
struct PartialCall {
    std::string class_name;
    ConstructorGuesser::Values arguments;
};

std::optional<PartialCall> partial_call(const std::string& build) {
    const auto source = std::make_shared<const ir::Source>(concat("(", build, "\n)"), "build");
    std::shared_ptr<const script::SyntaxTree> tree;
    try {
        tree = script::parse_source(source, script::Dialect::Python);
    } catch (const Error&) {
        return std::nullopt;  // evaluating it says why
    }
    const auto* statement = tree->body.size() == 1 ? script::as<script::ExprStmt>(tree->body.front()) : nullptr;
    if (statement == nullptr) return std::nullopt;
    PartialCall out;
    if (const auto* name = script::as<script::Name>(statement->value)) {
        out.class_name = name->id;
        return out;
    }
    const auto* call = script::as<script::Call>(statement->value);
    if (call == nullptr) return std::nullopt;
    bool is_partial = call->callee->kind == script::ExprKind::Ellipsis;
    if (const auto* name = script::as<script::Name>(call->callee)) out.class_name = name->id;
    for (const script::Expr* argument : call->arguments) {
        if (argument->kind != script::ExprKind::Ellipsis) return std::nullopt;
        is_partial = true;
    }
    for (const script::Keyword& keyword : call->keywords)
        out.arguments.emplace_back(keyword.name, text_of(source->text(), *keyword.value));
    return is_partial ? std::optional(out) : std::nullopt;
}

class ModelSearch {
  public:
    ModelSearch(Evaluator& evaluator, const Namespace& names) : evaluator_(evaluator), names_(names) {
        read_statements();
        find_classes();
        find_functions();
    }

    std::vector<Constructor> constructors() const {
        std::vector<Constructor> out;
        ConstructorGuesser guesser(evaluator_, names_);
        const auto add = [&](const std::vector<Maker>& makers, bool needs_arguments, bool are_parts) {
            for (auto maker = makers.rbegin(); maker != makers.rend(); ++maker) {
                if (maker->needs_arguments != needs_arguments || is_part(*maker) != are_parts) continue;
                out.push_back(maker->constructor());
                if (!needs_arguments) continue;
                for (auto& [name, value] : guesser.first_values(maker->value)) {
                    for (auto& parameter : out.back().parameters) {
                        if (parameter.name == name && !parameter.default_value) parameter.guess = value;
                    }
                }
            }
        };
        add(classes_, false, false);
        add(functions_, false, false);
        add(classes_, true, false);
        add(classes_, false, true);
        add(classes_, true, true);
        return out;
    }

    ChosenModel find() {
        ChosenModel out;
        out.constructors = constructors();
        if (const auto model = names_.find("model")) {
            if (nn::as_module(*model)) {
                out.model = *model;
                return out;
            }
            if (object_as<ClassObject>(*model) == nullptr && object_as<MissingName>(*model) == nullptr &&
                object_as<PythonModule>(*model) == nullptr && function_of(*model) == nullptr) {
                refuse(concat("model is a ", type_name(*model)),
                       "make it an instance of a class derived from torch.nn.Module");
            }
        }
        out.model = find_value();
        if (out.model.is_none()) build(out);
        return out;
    }

    // The module with the most parameters among the module's values, the last of equal ones; None without.
    // A program that defines no model class is no model by the layers that it works with.
    IValue find_value() const {
        IValue best;
        if (!has_classes()) return best;
        std::int64_t most = -1;
        for (const auto& [name, value] : names_.entries()) {
            const nn::ModulePtr module = nn::as_module(value);
            if (!module) continue;
            std::int64_t count = 0;
            for (const auto& [path, parameter] : module->named_parameters()) count += parameter.numel();
            const bool is_own = class_of(value)->module() == "__main__";
            if ((count == 0 && !is_own) || count < most) continue;
            most = count;
            best = value;
        }
        return best;
    }

    bool has_classes() const { return !classes_.empty(); }
    bool has_class(std::string_view name) const {
        return std::any_of(classes_.begin(), classes_.end(), [&](const Maker& maker) { return maker.name == name; });
    }

    // A class with arguments that were found near it or guessed. False: none could be made; why() says what stood in
    // the way of the likeliest.
    bool guess(ChosenModel& out, std::string& why, const PartialCall& given = {}) const {
        ConstructorGuesser guesser(evaluator_, names_);
        for (const Maker* maker : guess_order()) {
            if (!given.class_name.empty() && maker->name != given.class_name) continue;
            const auto found = guesser.guess(maker->name, maker->value, given.arguments);
            if (!found) {
                if (why.empty()) why = guesser.obstacle();
                continue;
            }
            try {
                out.model = evaluator_.evaluate(found->expression, "build");
            } catch (const PythonError&) {
                continue;
            }
            if (!nn::as_module(out.model)) continue;
            out.expression = found->expression;
            out.guessed_from = found->from.empty() ? "names and uses" : found->from;
            out.inputs = found->inputs;
            out.constructors = constructors();
            const auto is_it = [&](const Constructor& each) { return each.class_name == maker->name; };
            std::stable_partition(out.constructors.begin(), out.constructors.end(), is_it);
            return true;
        }
        out.model = IValue();
        return false;
    }

    // A function of the source without arguments that makes a class through others. False: there is none that works.
    bool build_by_calls(ChosenModel& out) const {
        const std::set<std::string> names = makers_by_calls();
        std::vector<Maker> makers;
        for (const auto& [name, value] : names_.entries()) {
            const auto* function = object_as<FunctionObject>(value);
            if (function == nullptr || name.starts_with('_') || function->unit->name != "__main__") continue;
            if (names.contains(name) && required_arguments(value).value_or(1) == 0 && !function->code.is_generator)
                add(makers, name, value, false);
        }
        sort(makers);
        constexpr std::size_t kMost = 4;
        if (makers.size() > kMost) makers.resize(kMost);
        for (const Maker& maker : makers) {
            try {
                const IValue made = evaluator_.call(maker.value, arguments_for(maker));
                if (!nn::as_module(made)) continue;
                out.model = made;
                out.expression = concat(maker.name, "(", keywords_text(arguments_for(maker)), ")");
                return true;
            } catch (const PythonError&) {
                continue;
            }
        }
        return false;
    }

    // why: what a constructor without arguments said; empty: none was tried.
    [[noreturn]] void fail(const std::string& tried = {}, const std::string& why = {}) const {
        std::vector<Constructor> all = constructors();
        const auto needs = std::find_if(classes_.rbegin(), classes_.rend(),
                                        [&](const Maker& maker) { return maker.needs_arguments && !is_part(maker); });
        const Constructor first = needs != classes_.rend() ? needs->constructor() : all.front();
        std::vector<std::string> others;
        for (const Maker& maker : classes_) {
            if (maker.name != first.class_name && !is_part(maker)) others.push_back(maker.name);
        }
        if (why.find("Can't instantiate abstract class") != std::string::npos)
            throw ModelNeeded(concat(tried.empty() ? first.class_name : tried, " cannot be made (", why, ")"),
                              "write a class derived from it that defines what is abstract", std::move(all));
        std::string hint = concat("write model = ", constructor_text(first), ", or say so when opening it (--build)");
        if (!others.empty()) hint += concat("; other classes: ", join(others, ", "));
        throw ModelNeeded(
            why.empty() ? concat(first.class_name, " needs constructor arguments")
                        : concat(tried.empty() ? first.class_name : tried, " needs constructor arguments (", why, ")"),
            std::move(hint), std::move(all));
    }

    // A class of the source that cannot be made, because what it derives from is not here.
    void check_missing() const {
        for (const auto& [name, value] : names_.entries()) {
            const auto* missing = object_as<MissingName>(value);
            if (missing != nullptr && missing->path().ends_with(',')) refuse(missing->message(), "write the class out");
        }
    }

  private:
    struct Statement {
        std::string text;
        std::uint32_t begin = 0;
        bool is_function = false;
    };

    void read_statements() {
        const Ptr<Unit>& unit = evaluator_.state().main;
        const std::string& text = unit->source->text();
        for (const script::Stmt* s : unit->tree->body) {
            std::string_view name;
            if (const auto* def = script::as<script::Def>(s)) name = def->name;
            if (const auto* cls = script::as<script::Class>(s)) name = cls->name;
            if (name.empty()) continue;
            statements_[std::string(name)] = {text.substr(s->range.begin, end_of(s) - s->range.begin), s->range.begin,
                                              s->kind == script::StmtKind::Def};
        }
    }

    // A statement's range is that of its first line: it ends where the next one of its level begins.
    std::uint32_t end_of(const script::Stmt* s) const {
        const Ptr<Unit>& unit = evaluator_.state().main;
        auto end = static_cast<std::uint32_t>(unit->source->text().size());
        for (const script::Stmt* other : unit->tree->body) {
            if (other->range.begin > s->range.begin) end = std::min(end, other->range.begin);
        }
        return end;
    }

    void add(std::vector<Maker>& to, const std::string& name, const IValue& value, bool needs_arguments) const {
        Maker maker{name, value, {}, 0, needs_arguments};
        if (const auto found = statements_.find(name); found != statements_.end()) {
            maker.text = found->second.text;
            maker.begin = found->second.begin;
        }
        to.push_back(std::move(maker));
    }

    // Classes of the source itself that derive from torch.nn.Module, and have a forward.
    void find_classes() {
        std::set<const ClassObject*> seen;
        for (const auto& [name, value] : names_.entries()) {
            auto* cls = object_as<ClassObject>(value);
            if (cls == nullptr || cls->module() != "__main__" || !cls->is_subclass_of(*nn_module_class())) continue;
            if (!defines_forward(*cls)) continue;
            if (!seen.insert(cls).second) continue;
            const IValue* init = cls->find("__init__");
            const bool has_init = init != nullptr && function_of(*init) != nullptr;
            // self is one.
            add(classes_, cls->name(), value, has_init && required_arguments(*init).value_or(1) > 1);
        }
        sort(classes_);
    }

    // Functions that return one of the classes by their annotation or by what they call.
    void find_functions() {
        for (const auto& [name, value] : names_.entries()) {
            const auto* function = object_as<FunctionObject>(value);
            if (function == nullptr || function->unit->name != "__main__" || name.starts_with('_')) continue;
            if (required_arguments(value).value_or(1) > 0 || function->code.is_generator) continue;
            const auto found = statements_.find(name);
            if (found == statements_.end() || !has_word(found->second.text, "return")) continue;
            const std::string& text = found->second.text;
            const bool makes = std::any_of(classes_.begin(), classes_.end(), [&](const Maker& cls) {
                const std::string arrow = concat("-> ", cls.name);
                return text.find(arrow) != std::string::npos || has_word(text, cls.name, "(");
            });
            if (makes && !trains(text)) add(functions_, name, value, false);
        }
        sort(functions_);
    }

    static bool trains(std::string_view text) {
        return has_word(text, "backward", "(") || has_word(text, "parse_args", "(");
    }

    // Names of functions that make a class themselves, are given it, or call one of the others: `_create(Net, ...)`.
    std::set<std::string> makers_by_calls() const {
        std::set<std::string> out;
        for (bool is_more = true; is_more;) {
            is_more = false;
            for (const auto& [name, statement] : statements_) {
                if (!statement.is_function || out.contains(name) || trains(statement.text)) continue;
                // Its text begins with its name.
                const std::string_view body = std::string_view(statement.text).substr(name.size());
                const bool makes = std::any_of(classes_.begin(), classes_.end(),
                                               [&](const Maker& cls) { return has_word(body, cls.name); }) ||
                                   std::any_of(out.begin(), out.end(),
                                               [&](const std::string& other) { return has_word(body, other, "("); });
                if (makes) is_more = out.insert(name).second;
            }
        }
        return out;
    }

    static void sort(std::vector<Maker>& makers) {
        std::stable_sort(makers.begin(), makers.end(),
                         [](const Maker& a, const Maker& b) { return a.begin < b.begin; });
    }

    // A class that another derives from, or is made of, is not what one wants to see.
    bool is_part(const Maker& maker) const {
        if (maker.cls() == nullptr) return false;
        return std::any_of(classes_.begin(), classes_.end(), [&](const Maker& other) {
            if (other.cls() == maker.cls()) return false;
            return other.cls()->is_subclass_of(*maker.cls()) || has_word(other.text, maker.name);
        });
    }

    // Those that need nothing, the likeliest first.
    std::vector<const Maker*> candidates() const {
        const std::string stem = file_stem();
        std::vector<const Maker*> out;
        for (auto maker = classes_.rbegin(); maker != classes_.rend(); ++maker) {
            if (!maker->needs_arguments && !is_part(*maker)) out.push_back(&*maker);
        }
        std::stable_partition(out.begin(), out.end(), [](const Maker* maker) { return !maker->name.starts_with('_'); });
        std::stable_partition(out.begin(), out.end(),
                              [&](const Maker* maker) { return plain_name(maker->name) == stem; });
        for (const Maker& maker : functions_) out.push_back(&maker);
        if (out.empty() &&
            std::none_of(classes_.begin(), classes_.end(), [](const Maker& maker) { return maker.needs_arguments; })) {
            for (auto maker = classes_.rbegin(); maker != classes_.rend(); ++maker) out.push_back(&*maker);
        }
        return out;
    }

    // Whole models before their parts, the one that is called as the file first.
    std::vector<const Maker*> guess_order() const {
        std::vector<const Maker*> out;
        for (auto maker = classes_.rbegin(); maker != classes_.rend(); ++maker) out.push_back(&*maker);
        const std::string stem = file_stem();
        std::stable_partition(out.begin(), out.end(), [](const Maker* maker) { return !maker->name.starts_with('_'); });
        std::stable_partition(out.begin(), out.end(), [&](const Maker* maker) { return !is_part(*maker); });
        std::stable_partition(out.begin(), out.end(),
                              [&](const Maker* maker) { return plain_name(maker->name) == stem; });
        return out;
    }

    std::string file_stem() const {
        const auto& file = evaluator_.state().main->source->file();
        return file ? plain_name(std::filesystem::path(*file).stem().string()) : std::string();
    }

    // Weights are not fetched.
    static CallArguments arguments_for(const Maker& maker) {
        CallArguments out;
        if (maker.cls() != nullptr) return out;
        for (const auto& parameter : maker.constructor().parameters) {
            if (parameter.name != "pretrained" || !parameter.default_value) continue;
            const bool is_flag = *parameter.default_value == "True" || *parameter.default_value == "False";
            out.keywords.emplace_back("pretrained", is_flag ? IValue(false) : IValue());
        }
        return out;
    }

    static std::string keywords_text(const CallArguments& arguments) {
        std::vector<std::string> out;
        for (const auto& [name, value] : arguments.keywords) out.push_back(concat(name, "=", repr(value)));
        return join(out, ", ");
    }

    // The first that can be built. One that fails may still need what it has a default for.
    void build(ChosenModel& out) const {
        std::exception_ptr failed;
        for (const Maker* maker : candidates()) {
            try {
                const IValue made = evaluator_.call(maker->value, arguments_for(*maker));
                if (!nn::as_module(made)) continue;
                out.model = made;
                out.expression = concat(maker->name, "(", keywords_text(arguments_for(*maker)), ")");
                const auto is_it = [&](const Constructor& each) { return each.class_name == maker->name; };
                std::stable_partition(out.constructors.begin(), out.constructors.end(), is_it);
                return;
            } catch (const PythonError& error) {
                // Its defaults are not meant to be all there is.
                if (!is_about_arguments(error)) {
                    if (!failed) failed = std::current_exception();
                } else if (out.refused_by.empty()) {
                    out.refused_by = maker->name;
                    out.refused_why = error.message();
                }
            }
        }
        if (failed) std::rethrow_exception(failed);
    }

    static bool is_about_arguments(const PythonError& error) {
        if (error.is("AssertionError") || error.is("ValueError")) return true;
        return error.is("TypeError") && (error.message().find(" missing ") != std::string::npos ||
                                         error.message().find("abstract class") != std::string::npos);
    }

    Evaluator& evaluator_;
    const Namespace& names_;
    std::map<std::string, Statement> statements_;
    std::vector<Maker> classes_;
    std::vector<Maker> functions_;
};

// find_attribute and its like work for the evaluator of this thread.
template <typename Work>
auto in_evaluator(Evaluator& evaluator, const Work& work) {
    const EvaluatorScope scope(&evaluator);
    return work();
}

// nullopt: the text is a whole expression, or names no class of the source.
std::optional<ChosenModel> with_guessed_arguments(Evaluator& evaluator, const Namespace& names,
                                                  const std::string& build) {
    const auto given = partial_call(build);
    if (!given) return std::nullopt;
    const EvaluatorScope scope(&evaluator);
    const ModelSearch search(evaluator, names);
    const bool is_class = given->class_name.empty() || search.has_class(given->class_name);
    if (!is_class || !search.has_classes()) return std::nullopt;
    ChosenModel out;
    std::string why;
    if (!search.guess(out, why, *given)) search.fail(given->class_name, why);
    return out;
}

}  // namespace

ChosenModel choose_model(Evaluator& evaluator, const Namespace& names, const std::string& build) {
    if (!build.empty()) {
        if (auto guessed = with_guessed_arguments(evaluator, names, build)) return std::move(*guessed);
        const IValue model = evaluator.evaluate(build, "build");
        if (!nn::as_module(model))
            refuse(concat(build, " is a ", type_name(model)), "give an expression that makes a torch.nn.Module");
        ChosenModel out;
        out.model = model;
        out.constructors = in_evaluator(evaluator, [&] { return ModelSearch(evaluator, names).constructors(); });
        return out;
    }
    const EvaluatorScope scope(&evaluator);
    std::exception_ptr failed;
    ChosenModel out;
    bool has_classes = false;
    {
        ModelSearch search(evaluator, names);
        has_classes = search.has_classes();
        try {
            out = search.find();
        } catch (const PythonError&) {
            failed = std::current_exception();
        }
        if (!out.model.is_none()) return out;
    }
    // What a program does when it is started is left out of a model, and is all there is to a program without one.
    try {
        if (has_classes)
            evaluator.run_main([&] { return !ModelSearch(evaluator, names).find_value().is_none(); });
        else
            evaluator.run_main();
    } catch (const PythonError& error) {
        if (!has_classes && !error.ends_well()) throw;
    }
    ModelSearch search(evaluator, names);
    const auto model = names.find("model");
    out.model = model && nn::as_module(*model) ? *model : search.find_value();
    if (!out.model.is_none()) {
        out.constructors = search.constructors();
        return out;
    }
    if (search.has_classes()) {
        std::string why;
        if (search.guess(out, why) || search.build_by_calls(out)) return out;
        if (failed) std::rethrow_exception(failed);
        if (out.refused_by.empty()) out.refused_why = why;
        search.fail(out.refused_by, out.refused_why);
    }
    search.check_missing();
    return {};
}

}  // namespace loupe::python
