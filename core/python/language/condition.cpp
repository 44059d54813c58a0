// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/condition.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ops/random/generator.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/frame.h"
#include "core/python/language/operations.h"
#include "core/python/language/scope.h"
#include "core/script/error.h"
#include "core/script/lexer.h"
#include "core/script/parser.h"

namespace loupe::python {
namespace {

using script::Token;

constexpr const char* kName = "<condition>";

std::shared_ptr<const ir::Source> source_of(const std::string& expression) {
    return std::make_shared<const ir::Source>(concat("(", expression, "\n)"), kName);
}

// What the expression does leaves no trace in the run: no step, no event, no gradient, no random number.
class AsideScope {
  public:
    explicit AsideScope(Evaluator& evaluator)
        : evaluator_(evaluator), hook_(evaluator.hook()), random_(random_state()) {
        evaluator_.set_hook(nullptr);
    }
    AsideScope(const AsideScope&) = delete;
    AsideScope& operator=(const AsideScope&) = delete;
    ~AsideScope() {
        evaluator_.set_hook(hook_);
        set_random_state(random_);
    }

  private:
    Evaluator& evaluator_;
    StatementHook* hook_;
    loupe::RandomState random_;
    const GradModeScope no_grad_{false};
    const ObserverScope unobserved_{nullptr};
};

std::optional<IValue> find_name(const Frame& frame, std::string_view name) {
    if (auto local = find_local(frame, name)) return local;
    return frame.unit.globals->find(name);
}

// The parser's words about the parenthesis that source_of() put around the text mean nothing to whoever wrote the text.
script::CompileError about_the_text(const script::CompileError& error) {
    constexpr std::string_view kMissing = "expected ) but found '";
    const std::string message = error.message();
    const ir::SourceRange& at = error.range();
    if (!message.starts_with(kMissing)) return error;
    int depth = 0;
    for (const auto& token : script::tokenize(at.source, script::Dialect::Python).tokens) {
        if (token.range.begin >= at.start) break;
        if (token.kind == Token::LeftParen) ++depth;
        if (token.kind == Token::RightParen) --depth;
    }
    if (depth > 1) return error;  // one of the text's own
    const std::string found = message.substr(kMissing.size(), message.rfind('\'') - kMissing.size());
    return script::CompileError(concat("'", found, "' is not expected here", found == "=" ? "; == compares" : ""), at);
}

// Asked for as global names.
class NameList final : public GlobalSlots {
  public:
    std::uint32_t slot_of(std::string_view name) override {
        all.emplace(name);
        return 0;
    }
    std::set<std::string> all;
};

const std::vector<std::string>& known_names_in(Evaluator& evaluator, const std::string& expression) {
    auto& known = evaluator.state().condition_names;
    const auto found = known.find(expression);
    return found != known.end() ? found->second : known.emplace(expression, names_in(expression)).first->second;
}

// The innermost function or class whose body has the byte range; and is anything imported as *?
struct Place {
    script::Range wanted;
    const void* inside = nullptr;
    bool imports_all = false;

    void look_in(script::Body body) {
        for (const script::Stmt* statement : body) look_at(*statement);
    }
    // The body of what has names of its own.
    void look_in(script::Body body, const void* owner, script::Range whole) {
        const bool has = !body.empty() && body.front()->range.begin < wanted.end && wanted.begin < whole.end;
        if (has) inside = owner;
        look_in(body);
    }
    void look_at(const script::Stmt& statement) {
        using namespace script;
        if (const auto* def = as<Def>(&statement)) look_in(def->body, def, def->full_range);
        if (const auto* type = as<Class>(&statement)) look_in(type->body, type, type->full_range);
        if (const auto* branch = as<If>(&statement)) {
            look_in(branch->if_true);
            look_in(branch->if_false);
        }
        if (const auto* loop = as<While>(&statement)) {
            look_in(loop->body);
            look_in(loop->orelse);
        }
        if (const auto* loop = as<For>(&statement)) {
            look_in(loop->body);
            look_in(loop->orelse);
        }
        if (const auto* with = as<With>(&statement)) look_in(with->body);
        if (const auto* attempt = as<Try>(&statement)) {
            look_in(attempt->body);
            for (const ExceptHandler& handler : attempt->handlers) look_in(handler.body);
            look_in(attempt->orelse);
            look_in(attempt->final_body);
        }
        if (const auto* match = as<Match>(&statement)) {
            for (const MatchCase& one : match->cases) look_in(one.body);
        }
        if (const auto* from = as<ImportFrom>(&statement))
            imports_all |= std::any_of(from->names.begin(), from->names.end(),
                                       [](const ImportName& name) { return name.name == "*"; });
    }
};

// Bytes of a line, from 1, without its blanks at the front.
script::Range range_of_line(const std::string& text, int line) {
    std::size_t begin = 0;
    for (; line > 1 && begin < text.size(); --line) {
        const std::size_t end = text.find('\n', begin);
        begin = end == std::string::npos ? text.size() : end + 1;
    }
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    begin = std::min(text.find_first_not_of(" \t", begin), end);
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

// Parsed once a program.
IValue function_of(Evaluator& evaluator, const std::string& text) {
    const std::string whole = concat("(", text, "\n)");
    for (const Ptr<Unit>& unit : evaluator.state().units) {
        if (unit->source->file() != kName || unit->source->text() != whole) continue;
        return evaluator.run([&] { return evaluate_module(*unit); });
    }
    return evaluator.evaluate(text, kName);
}

}  // namespace

std::vector<FramePlace> functions_under_way() {
    std::vector<FramePlace> places;
    for (const Frame* frame = thread_state().top; frame != nullptr; frame = frame->caller) {
        if (!frame->unit.is_library) places.push_back({frame, frame->place()});
    }
    return places;
}

void check_expression(const std::string& expression) {
    const auto source = source_of(expression);
    const auto tree = [&] {
        try {
            return script::parse_source(source, script::Dialect::Python);
        } catch (const script::CompileError& error) {
            throw about_the_text(error);
        }
    }();
    const bool is_one = tree->body.size() == 1 && script::as<script::ExprStmt>(tree->body[0]) != nullptr;
    // "(a) or (b)" closes the parenthesis that was opened for it; "()" is a tuple without elements.
    int depth = 0;
    const auto tokens = script::tokenize(source, script::Dialect::Python).tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind == Token::LeftParen) ++depth;
        if (tokens[i].kind == Token::RightParen) --depth;
        if (depth == 0 && (i < 2 || (i + 1 < tokens.size() && tokens[i + 1].kind != Token::End &&
                                     tokens[i + 1].kind != Token::Newline))) {
            throw Error(ErrorKind::Compile, "invalid syntax");
        }
        if (depth == 0) break;
    }
    if (!is_one) throw Error(ErrorKind::Compile, "invalid syntax");
    names_in(expression);  // throws for what is no expression where it stands
}

std::vector<std::string> names_in(const std::string& expression) {
    // As the body of a function: what it binds is its own, and what it takes from around it is global.
    const auto source = std::make_shared<const ir::Source>(concat("(lambda: (", expression, "\n)\n)"), kName);
    NameList names;
    try {
        with_deep_stack([&] { analyse_scopes(source, *script::parse_source(source, script::Dialect::Python), names); });
    } catch (const script::CompileError& error) {
        throw Error(ErrorKind::Compile, error.message());  // its place is not that in the expression
    }
    return {names.all.begin(), names.all.end()};
}

std::optional<std::set<std::string>> names_at(const std::string& source, int line) {
    NameList names;
    std::set<std::string> found;
    Place place{range_of_line(source, line)};
    try {
        with_deep_stack([&] {
            const auto text = std::make_shared<const ir::Source>(source, kName);
            const auto tree = script::parse_source(text, script::Dialect::Python);
            const ScopeTable table = analyse_scopes(text, *tree, names);
            place.look_in(tree->body);
            const auto code = table.codes.find(place.inside);
            if (code == table.codes.end()) return;
            found.insert(code->second->locals.begin(), code->second->locals.end());
            found.insert(code->second->cells.begin(), code->second->cells.end());
        });
    } catch (const Error&) {
        return std::nullopt;
    }
    if (place.imports_all) return std::nullopt;
    found.merge(names.all);
    return found;
}

bool holds_in(const Frame& frame, const std::string& expression) {
    Evaluator* const evaluator = frame.unit.owner;
    if (evaluator == nullptr) throw Error(ErrorKind::Usage, "the program has ended");
    const AsideScope aside(*evaluator);
    try {
        std::string parameters;
        CallArguments arguments;
        for (const std::string& name : known_names_in(*evaluator, expression)) {
            auto value = find_name(frame, name);
            if (!value) continue;  // a built-in, or no name: then the expression says so
            parameters += concat(parameters.empty() ? "" : ", ", name);
            arguments.positional.push_back(std::move(*value));
        }
        const IValue function = function_of(*evaluator, concat("lambda ", parameters, ": (", expression, "\n)"));
        return evaluator->run([&] { return IValue(truth(call(function, std::move(arguments)))); }).to_bool();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        throw Error(ErrorKind::Usage, error.message());
    }
}

}  // namespace loupe::python
