// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/example_calls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/python/guess/syntax_walk.h"
#include "core/script/parser.h"

namespace loupe::python {
namespace {

using script::as;
using script::Expr;
using script::Stmt;

constexpr std::size_t kLongest = 4000;  // characters of an expression
constexpr int kDeepest = 12;            // names replaced inside each other

// What a name means in the text.
struct Meaning {
    enum class Kind { Unknown, Text, Import } kind = Kind::Unknown;
    std::string text;
};
using Scope = std::map<std::string, Meaning, std::less<>>;

class Finder {
  public:
    Finder(std::string_view text, std::string place, std::string_view class_name,
           const std::function<bool(std::string_view)>& is_known)
        : text_(text), place_(std::move(place)), class_name_(class_name), is_known_(is_known) {}

    void walk(script::Body body) {
        for (const Stmt* s : body) {
            for_each_expression_of(*s, [&](const Expr& e) { look(e, s); });
            if (const auto* assign = as<script::Assign>(s)) bind(*assign);
            if (const auto* each = as<script::For>(s)) {
                for (const Expr* target : each->targets) forget(*target);
            }
            if (const auto* augmented = as<script::AugAssign>(s)) forget(*augmented->target);
            if (const auto* import = as<script::ImportFrom>(s)) bind(*import);
            if (const auto* import = as<script::Import>(s)) bind(*import);
            const bool is_scope = s->kind == script::StmtKind::Def || s->kind == script::StmtKind::Class;
            if (is_scope) scopes_.emplace_back();
            if (const auto* def = as<script::Def>(s)) bind_parameters(*def);
            for (const script::Body& block : blocks_of(*s)) walk(block);
            if (is_scope) scopes_.pop_back();
        }
    }

    std::vector<ExampleCall> found;

  private:
    std::string_view name_of_class(const script::Call& call) const {
        const std::string name = dotted_name(*call.callee);
        const std::size_t dot = name.rfind('.');
        return (dot == std::string::npos ? name : name.substr(dot + 1)) == class_name_ ? class_name_
                                                                                       : std::string_view();
    }

    void look(const Expr& e, const Stmt* s) {
        for_each_expression(e, [&](const Expr& part) {
            const auto* call = as<script::Call>(&part);
            if (call == nullptr) return;
            if (!name_of_class(*call).empty()) return take(*call, s);
            // A call of what was made.
            const std::string callee = dotted_name(*call->callee);
            const auto made = made_.find(callee);
            if (callee.empty() || made == made_.end() || !found[made->second].inputs.empty()) return;
            std::vector<std::string> inputs;
            for (const Expr* argument : call->arguments) {
                const auto text = resolved(*argument, 0);
                if (!text) return;
                inputs.push_back(*text);
            }
            if (call->keywords.empty()) found[made->second].inputs = std::move(inputs);
        });
    }

    void take(const script::Call& call, const Stmt* s) {
        std::vector<std::string> parts;
        for (const Expr* argument : call.arguments) {
            const auto text = resolved(*argument, 0);
            if (!text) return;
            parts.push_back(*text);
        }
        for (const script::Keyword& keyword : call.keywords) {
            const auto text = resolved(*keyword.value, 0);
            if (!text) return;
            parts.push_back(keyword.name.empty() ? concat("**", *text) : concat(keyword.name, "=", *text));
        }
        ExampleCall example{concat(class_name_, "(", join(parts, ", "), ")"), {}, place_};
        if (example.expression.size() > kLongest) return;
        found.push_back(std::move(example));
        const auto* assign = as<script::Assign>(s);
        if (assign == nullptr || assign->targets.size() != 1) return;
        // Also of `Net(...).to(device)`.
        const Expr* value = assign->value;
        while (value != &call) {
            const auto* outer = as<script::Call>(value);
            const auto* method = outer != nullptr ? as<script::Attribute>(outer->callee) : nullptr;
            if (method == nullptr) return;
            value = method->object;
        }
        const std::string target = dotted_name(*assign->targets.front());
        if (!target.empty()) pending_.emplace_back(target, found.size() - 1);
    }

    void set(const std::string& name, Meaning meaning) {
        made_.erase(name);
        scopes_.back().insert_or_assign(name, std::move(meaning));
    }

    void bind(const script::Assign& assign) {
        for (const Expr* target : assign.targets) {
            const auto* tuple = as<script::Tuple>(target);
            const auto* values = as<script::Tuple>(assign.value);
            if (tuple != nullptr && values != nullptr && tuple->elements.size() == values->elements.size()) {
                for (std::size_t i = 0; i < tuple->elements.size(); ++i) bind(*tuple->elements[i], values->elements[i]);
            } else if (tuple != nullptr) {
                forget(*target);
            } else {
                bind(*target, assign.value);
            }
        }
        for (const auto& [name, index] : pending_) made_[name] = index;
        pending_.clear();
    }

    void bind(const Expr& target, const Expr* value) {
        const std::string name = dotted_name(target);
        if (name.empty() || value == nullptr) return;
        const auto text = resolved(*value, 0);
        set(name, text && text->size() < kLongest ? Meaning{Meaning::Kind::Text, *text} : Meaning{});
    }

    void forget(const Expr& target) {
        for_each_expression(target, [&](const Expr& part) {
            if (const auto* name = as<script::Name>(&part)) set(std::string(name->id), {});
        });
    }

    void bind_parameters(const script::Def& def) {
        for (const script::Param& param : def.params) {
            const auto text = param.default_value != nullptr ? resolved(*param.default_value, 0) : std::nullopt;
            set(std::string(param.name), text ? Meaning{Meaning::Kind::Text, *text} : Meaning{});
        }
    }

    void bind(const script::ImportFrom& import) {
        for (const script::ImportName& name : import.names) {
            if (import.level > 0 || name.name == "*") continue;
            set(std::string(name.bound), {Meaning::Kind::Import, concat("__import__('", import.module, "', fromlist=['",
                                                                        name.name, "']).", name.name)});
        }
    }

    void bind(const script::Import& import) {
        for (const script::ImportName& name : import.names) {
            const std::string module(name.has_alias ? name.name : name.bound);
            const bool is_inner = module.find('.') != std::string::npos;
            set(std::string(name.bound),
                {Meaning::Kind::Import, is_inner ? concat("__import__('", module, "', fromlist=['_'])")
                                                 : concat("__import__('", module, "')")});
        }
    }

    const Meaning* meaning_of(std::string_view name) const {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            if (const auto found_name = scope->find(name); found_name != scope->end()) return &found_name->second;
        }
        return nullptr;
    }

    // Names that the expression binds itself.
    static std::set<std::string_view> own_names(const Expr& e) {
        std::set<std::string_view> out;
        for_each_expression(e, [&](const Expr& part) {
            if (const auto* lambda = as<script::Lambda>(&part)) {
                for (const script::Param& param : lambda->params) out.insert(param.name);
            }
            const auto* comp = as<script::Comprehension>(&part);
            if (comp == nullptr) return;
            for (const auto& clause : comp->clauses) {
                for_each_expression(*clause.target, [&](const Expr& target) {
                    if (const auto* name = as<script::Name>(&target)) out.insert(name->id);
                });
            }
        });
        return out;
    }

    // The expression without names of the text; nullopt where one is not known.
    std::optional<std::string> resolved(const Expr& e, int depth) const {
        if (depth > kDeepest) return std::nullopt;
        const std::set<std::string_view> own = own_names(e);
        struct Replacement {
            script::Range range;
            std::string text;
        };
        std::vector<Replacement> replaced;
        bool is_known = true;
        const std::function<void(const Expr&)> visit = [&](const Expr& part) {
            const std::string path = dotted_name(part);
            if (path.empty()) return for_each_part(part, visit);
            if (const Meaning* meaning = meaning_of(path)) {
                const std::string_view root = std::string_view(path).substr(0, path.find('.'));
                const bool as_it_is = meaning->kind == Meaning::Kind::Import && is_known_(root);
                if (meaning->kind == Meaning::Kind::Unknown) is_known = false;
                if (!as_it_is) replaced.push_back({part.range, in_brackets(meaning->text)});
                return;
            }
            if (const auto* attribute = as<script::Attribute>(&part)) return visit(*attribute->object);
            if (!own.contains(path) && !is_known_(path)) is_known = false;
        };
        visit(e);
        if (!is_known) return std::nullopt;
        std::sort(replaced.begin(), replaced.end(),
                  [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
        std::string out = text_of(text_, e);
        for (auto each = replaced.rbegin(); each != replaced.rend(); ++each)
            out.replace(each->range.begin - e.range.begin, each->range.end - each->range.begin, each->text);
        return without_lines(out);
    }

    static std::string in_brackets(const std::string& text) {
        const bool is_simple = std::all_of(text.begin(), text.end(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
        });
        const bool is_closed = text.ends_with(')') || text.ends_with(']') || text.ends_with('}') ||
                               text.ends_with('\'') || text.ends_with('"');
        return is_simple || is_closed ? text : concat("(", text, ")");
    }

    // On one line; comments go.
    static std::string without_lines(const std::string& text) {
        if (text.find('\n') == std::string::npos) return text;
        std::string out;
        for (const std::string_view line : split(text, '\n')) {
            std::string_view part = line;
            if (const std::size_t hash = part.find('#');
                hash != std::string_view::npos && part.substr(0, hash).find_first_of("'\"") == std::string_view::npos)
                part = part.substr(0, hash);
            while (!part.empty() && std::isspace(static_cast<unsigned char>(part.front())) != 0) part.remove_prefix(1);
            while (!part.empty() && std::isspace(static_cast<unsigned char>(part.back())) != 0) part.remove_suffix(1);
            if (!out.empty() && !part.empty() && !out.ends_with('(') && !out.ends_with('[')) out += ' ';
            out += part;
        }
        return out;
    }

    std::string_view text_;
    std::string place_;
    std::string_view class_name_;
    const std::function<bool(std::string_view)>& is_known_;
    std::vector<Scope> scopes_{1};
    std::map<std::string, std::size_t, std::less<>> made_;  // variable: index of the call that made it
    std::vector<std::pair<std::string, std::size_t>> pending_;
};

}  // namespace

std::vector<ExampleCall> find_example_calls(const std::string& text, const std::string& place,
                                            std::string_view class_name,
                                            const std::function<bool(std::string_view)>& is_known) {
    if (text.find(concat(class_name, "(")) == std::string::npos) return {};
    try {
        const auto source = std::make_shared<const ir::Source>(text, place);
        const auto tree = script::parse_source(source, script::Dialect::Python);
        Finder finder(source->text(), place, class_name, is_known);
        finder.walk(tree->body);
        // Calls that are used come first.
        std::stable_partition(finder.found.begin(), finder.found.end(),
                              [](const ExampleCall& call) { return !call.inputs.empty(); });
        return std::move(finder.found);
    } catch (const Error&) {
        return {};
    }
}

std::vector<std::string> python_blocks(std::string_view page) {
    std::vector<std::string> out;
    std::string block;
    const auto finish = [&] {
        if (!block.empty()) out.push_back(std::move(block));
        block.clear();
    };
    bool is_fenced = false;
    bool is_prompted = false;
    for (std::string_view line : split(page, '\n')) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
        const std::string_view text = line.substr(begin);
        if (text.starts_with("```")) {
            finish();
            is_fenced = !is_fenced;
            continue;
        }
        if (is_fenced && !text.starts_with(">>>") && !is_prompted) {
            block += concat(line, "\n");
            continue;
        }
        if (text.starts_with(">>> ") || (is_prompted && text.starts_with("... "))) {
            block += concat(text.substr(4), "\n");
            is_prompted = true;
        } else if (is_prompted && text.empty()) {
            finish();
            is_prompted = false;
        }
    }
    finish();
    return out;
}

}  // namespace loupe::python
