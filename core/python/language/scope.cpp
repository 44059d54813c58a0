// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/scope.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/strings.h"
#include "core/script/error.h"

namespace loupe::python {
namespace {

using namespace script;

struct Symbol {
    bool is_bound = false;
    bool is_global = false;
    bool is_nonlocal = false;
    bool is_captured = false;  // by an inner scope
    bool is_free = false;      // found in an outer one
    std::uint32_t slot = 0;
};

struct Scope {
    Scope* parent = nullptr;
    std::unique_ptr<Code> code;
    const void* node = nullptr;
    std::map<std::string_view, Symbol> symbols;
    std::vector<std::string_view> order;  // of symbols, by first mention
    std::vector<std::pair<NameIndex, std::string_view>> uses;
    std::vector<std::unique_ptr<Scope>> children;
    Symbol& symbol(std::string_view name) {
        const auto [at, is_new] = symbols.try_emplace(name);
        if (is_new) order.push_back(name);
        return at->second;
    }
    bool is_class() const { return code->kind == ScopeKind::Class; }
    bool is_module() const { return code->kind == ScopeKind::Module; }
    bool is_function() const { return !is_class() && !is_module(); }
};

constexpr std::string_view kClassName = "__class__";

class Analyser {
  public:
    Analyser(const std::shared_ptr<const ir::Source>& source, const SyntaxTree& tree, GlobalSlots& globals)
        : source_(source), tree_(tree), globals_(globals) {}

    ScopeTable run() {
        Scope module;
        module.code = std::make_unique<Code>();
        module.code->name = module.code->qualified_name = "<module>";
        module.code->body = tree_.body;
        scope_ = &module;
        read_doc(*module.code);
        visit(tree_.body);
        find_free(module);
        table_.names.resize(tree_.name_count);
        place(module);
        table_.module = std::move(module.code);
        return std::move(table_);
    }

  private:
    [[noreturn]] void fail(const std::string& message, Range range) const {
        throw CompileError(message, script::place(source_, range));
    }

    // Names.
    void use(std::string_view name, NameIndex index) {
        scope_->uses.emplace_back(index, name);
        scope_->symbol(name);
    }
    void bind(std::string_view name, NameIndex index) {
        scope_->uses.emplace_back(index, name);
        scope_->symbol(name).is_bound = true;
    }
    void use_class_cell() {
        for (Scope* scope = scope_; scope != nullptr; scope = scope->parent) {
            if (scope->is_class()) {
                scope_->symbol(kClassName);
                return;
            }
        }
    }

    // Statements.
    void visit(Body body) {
        for (const Stmt* statement : body) visit(statement);
    }
    void visit_loop(Body body, Body orelse) {
        ++loops_;
        visit(body);
        --loops_;
        visit(orelse);
    }
    void visit(const Stmt* s) {
        switch (s->kind) {
            case StmtKind::Expression:
                return visit(as<ExprStmt>(s)->value);
            case StmtKind::Assign:
                return visit_assign(*as<Assign>(s));
            case StmtKind::AugAssign:
                visit(as<AugAssign>(s)->value);
                return visit_target(as<AugAssign>(s)->target);
            case StmtKind::If:
                visit(as<If>(s)->condition);
                visit(as<If>(s)->if_true);
                return visit(as<If>(s)->if_false);
            case StmtKind::While:
                visit(as<While>(s)->condition);
                return visit_loop(as<While>(s)->body, as<While>(s)->orelse);
            case StmtKind::For:
                for (const Expr* e : as<For>(s)->iterables) visit(e);
                for (const Expr* e : as<For>(s)->targets) visit_target(e);
                return visit_loop(as<For>(s)->body, as<For>(s)->orelse);
            case StmtKind::With:
                for (const WithItem& item : as<With>(s)->items) {
                    visit(item.context);
                    if (item.binding != nullptr) visit_target(item.binding);
                }
                return visit(as<With>(s)->body);
            case StmtKind::Return:
                if (!scope_->is_function()) fail("'return' outside function", s->range);
                return visit(as<Return>(s)->value);
            case StmtKind::Raise:
                visit(as<Raise>(s)->value);
                return visit(as<Raise>(s)->cause);
            case StmtKind::Assert:
                visit(as<Assert>(s)->condition);
                return visit(as<Assert>(s)->message);
            case StmtKind::Break:
                if (loops_ == 0) fail("'break' outside loop", s->range);
                return;
            case StmtKind::Continue:
                if (loops_ == 0) fail("'continue' not properly in loop", s->range);
                return;
            case StmtKind::Pass:
                return;
            case StmtKind::Delete:
                for (const Expr* e : as<Delete>(s)->targets) visit_target(e);
                return;
            case StmtKind::Def:
                return visit_def(*as<Def>(s));
            case StmtKind::Class:
                return visit_class(*as<Class>(s));
            case StmtKind::Import:
                for (const ImportName& name : as<Import>(s)->names) bind(name.bound, name.index);
                return;
            case StmtKind::ImportFrom:
                return visit_import_from(*as<ImportFrom>(s));
            case StmtKind::Try:
                return visit_try(*as<Try>(s));
            case StmtKind::Match:
                visit(as<Match>(s)->subject);
                for (const MatchCase& branch : as<Match>(s)->cases) {
                    visit_pattern(*branch.pattern);
                    visit(branch.guard);
                    visit(branch.body);
                }
                return;
            case StmtKind::Global:
                return declare(as<Global>(s)->names, s->range, true);
            case StmtKind::Nonlocal:
                return declare(as<Nonlocal>(s)->names, s->range, false);
        }
    }
    void visit_pattern(const Pattern& pattern) {
        visit(pattern.value);
        for (const Expr* key : pattern.keys) visit(key);
        for (const Pattern* part : pattern.patterns) visit_pattern(*part);
        if (!pattern.name.empty()) bind(pattern.name, pattern.index);
    }
    void visit_assign(const Assign& s) {
        if (s.value != nullptr) visit(s.value);
        for (const Expr* target : s.targets) visit_target(target);
        // Of a variable of a function it is never looked at.
        if (s.annotation != nullptr && !scope_->is_function()) visit(s.annotation);
    }
    void visit_import_from(const ImportFrom& s) {
        for (const ImportName& name : s.names) {
            if (name.name == "*") {
                if (!scope_->is_module()) fail("import * only allowed at module level", name.range);
                continue;
            }
            if (s.module == "__future__" && name.name == "annotations") table_.postpones_annotations = true;
            bind(name.bound, name.index);
        }
    }
    void visit_try(const Try& s) {
        visit(s.body);
        for (const ExceptHandler& handler : s.handlers) {
            visit(handler.type);
            if (!handler.name.empty()) bind(handler.name, handler.index);
            visit(handler.body);
        }
        visit(s.orelse);
        visit(s.final_body);
    }
    void declare(std::span<const std::string_view> names, Range range, bool is_global) {
        for (const std::string_view name : names) {
            Symbol& symbol = scope_->symbol(name);
            if (!is_global && scope_->is_module()) fail("nonlocal declaration not allowed at module level", range);
            if (symbol.is_bound && !scope_->is_module()) {
                fail(concat("name '", name, "' is assigned to before ", is_global ? "global" : "nonlocal",
                            " declaration"),
                     range);
            }
            (is_global ? symbol.is_global : symbol.is_nonlocal) = true;
            if (!is_global) nonlocals_.emplace_back(scope_, name, range);
        }
    }

    // Scopes.
    template <typename VisitBody>
    Code& enter(ScopeKind kind, std::string name, const void* node, VisitBody visit_body) {
        auto child = std::make_unique<Scope>();
        child->parent = scope_;
        child->node = node;
        child->code = std::make_unique<Code>();
        Code& code = *child->code;
        code.kind = kind;
        const Code& outer = *scope_->code;
        const std::string_view separator = scope_->is_function() ? ".<locals>." : ".";
        code.qualified_name = scope_->is_module() ? name : concat(outer.qualified_name, separator, name);
        code.name = std::move(name);
        Scope* const before = std::exchange(scope_, child.get());
        const int loops = std::exchange(loops_, 0);
        visit_body(code);
        loops_ = loops;
        scope_ = before;
        scope_->children.push_back(std::move(child));
        return code;
    }
    static void read_doc(Code& code) {
        if (code.body.empty()) return;
        const auto* first = as<ExprStmt>(code.body.front());
        const auto* text = first != nullptr ? as<String>(first->value) : nullptr;
        if (text == nullptr) return;
        code.doc = text->value;
        code.has_doc = true;
    }
    void visit_defaults(std::span<const Param> params) {
        for (const Param& param : params) visit(param.default_value);
    }
    void bind_params(Code& code, std::span<const Param> params) {
        code.params = params;
        for (std::size_t i = 0; i < params.size(); ++i) {
            const Param& param = params[i];
            bind(param.name, param.index);
            if (param.kind == ParamKind::Rest) code.rest = static_cast<std::uint32_t>(i);
            if (param.kind == ParamKind::KeywordRest) code.keyword_rest = static_cast<std::uint32_t>(i);
            if (param.kind == ParamKind::Plain && !param.kwarg_only) ++code.positional_count;
            if (param.positional_only) ++code.positional_only;
        }
    }
    void visit_def(const Def& def) {
        for (const Expr* decorator : def.decorators) visit(decorator);
        visit_defaults(def.params);
        bind(def.name, def.index);
        enter(ScopeKind::Function, std::string(def.name), &def, [&](Code& code) {
            code.is_generator = def.is_generator;
            code.is_async = def.is_async;
            code.body = def.body;
            read_doc(code);
            bind_params(code, def.params);
            visit(def.body);
        });
    }
    void visit_class(const Class& s) {
        for (const Expr* decorator : s.decorators) visit(decorator);
        // Names of the scope around the class, where bases, body and methods find them.
        for (const script::TypeParam& param : s.type_params) bind(param.name, param.index);
        for (const Expr* base : s.bases) visit(base);
        for (const Keyword& keyword : s.keywords) visit(keyword.value);
        bind(s.name, s.index);
        enter(ScopeKind::Class, std::string(s.name), &s, [&](Code& code) {
            code.body = s.body;
            read_doc(code);
            visit(s.body);
        });
    }
    void visit_lambda(const Lambda& lambda) {
        visit_defaults(lambda.params);
        enter(ScopeKind::Lambda, "<lambda>", &lambda, [&](Code& code) {
            code.is_generator = lambda.is_generator;
            code.expression = lambda.body;
            bind_params(code, lambda.params);
            visit(lambda.body);
        });
    }
    void visit_comprehension(const Comprehension& comprehension) {
        static constexpr std::string_view kNames[] = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"};
        // The first iterable belongs to the scope outside.
        visit(comprehension.clauses.front().iterable);
        const auto name = kNames[static_cast<std::size_t>(comprehension.result)];
        enter(ScopeKind::Comprehension, std::string(name), &comprehension, [&](Code& code) {
            code.expression = &comprehension;
            for (std::size_t i = 0; i < comprehension.clauses.size(); ++i) {
                const ComprehensionClause& clause = comprehension.clauses[i];
                if (i > 0) visit(clause.iterable);
                visit_target(clause.target);
                for (const Expr* condition : clause.conditions) visit(condition);
            }
            visit(comprehension.element);
            visit(comprehension.value);
        });
    }

    // Expressions.
    void visit_target(const Expr* e) {
        switch (e->kind) {
            case ExprKind::Name:
                return bind(as<Name>(e)->id, as<Name>(e)->index);
            case ExprKind::Starred:
                return visit_target(as<Starred>(e)->value);
            case ExprKind::Tuple:
                for (const Expr* element : as<Tuple>(e)->elements) visit_target(element);
                return;
            case ExprKind::List:
                for (const Expr* element : as<List>(e)->elements) visit_target(element);
                return;
            default:
                return visit(e);
        }
    }
    void visit_all(std::span<const Expr* const> expressions) {
        for (const Expr* e : expressions) visit(e);
    }
    void visit_name(const Name& name) {
        use(name.id, name.index);
        const bool reads_class = name.id == "super" || name.id == kClassName;
        if (reads_class && scope_->is_function()) use_class_cell();
    }
    // Binds in the scope that the comprehension stands in.
    void visit_walrus(const NamedExpr& e) {
        visit(e.value);
        Scope* const inner = scope_;
        while (scope_->code->kind == ScopeKind::Comprehension) scope_ = scope_->parent;
        if (scope_ != inner && scope_->is_class()) {
            fail("assignment expression within a comprehension cannot be used in a class body", e.range);
        }
        Scope* const outer = std::exchange(scope_, inner);
        outer->symbol(e.target->id).is_bound = true;
        use(e.target->id, e.target->index);
        if (inner == outer) return;
        if (outer->is_module()) inner->symbol(e.target->id).is_global = true;
    }
    void visit(const Expr* e) {
        if (e == nullptr) return;
        switch (e->kind) {
            case ExprKind::Name:
                return visit_name(*as<Name>(e));
            case ExprKind::Attribute:
                return visit(as<Attribute>(e)->object);
            case ExprKind::Call:
                visit(as<Call>(e)->callee);
                visit_all(as<Call>(e)->arguments);
                for (const Keyword& keyword : as<Call>(e)->keywords) visit(keyword.value);
                return;
            case ExprKind::Subscript:
                visit(as<Subscript>(e)->value);
                return visit_all(as<Subscript>(e)->indices);
            case ExprKind::Slice:
                visit(as<Slice>(e)->start);
                visit(as<Slice>(e)->stop);
                return visit(as<Slice>(e)->step);
            case ExprKind::Unary:
                return visit(as<Unary>(e)->operand);
            case ExprKind::Binary:
                visit(as<Binary>(e)->left);
                return visit(as<Binary>(e)->right);
            case ExprKind::Ternary:
                visit(as<Ternary>(e)->condition);
                visit(as<Ternary>(e)->if_true);
                return visit(as<Ternary>(e)->if_false);
            case ExprKind::Tuple:
                return visit_all(as<Tuple>(e)->elements);
            case ExprKind::List:
                return visit_all(as<List>(e)->elements);
            case ExprKind::Set:
                return visit_all(as<Set>(e)->elements);
            case ExprKind::Dict:
                visit_all(as<Dict>(e)->keys);
                return visit_all(as<Dict>(e)->values);
            case ExprKind::Starred:
                return visit(as<Starred>(e)->value);
            case ExprKind::Lambda:
                return visit_lambda(*as<Lambda>(e));
            case ExprKind::Comparison:
                return visit_all(as<Comparison>(e)->operands);
            case ExprKind::Comprehension:
                return visit_comprehension(*as<Comprehension>(e));
            case ExprKind::JoinedString:
                for (const JoinedPart& part : as<JoinedString>(e)->parts) {
                    visit(part.value);
                    visit(part.format);
                }
                return;
            case ExprKind::NamedExpr:
                return visit_walrus(*as<NamedExpr>(e));
            case ExprKind::Yield:
                if (scope_->code->kind == ScopeKind::Comprehension) {
                    fail("'yield' inside a comprehension", e->range);
                }
                if (!scope_->is_function()) fail("'yield' outside function", e->range);
                return visit(as<Yield>(e)->value);
            default:
                return;
        }
    }

    // Marks the names of inner scopes that live in an outer function's scope.
    void find_free(Scope& scope) {
        for (std::size_t i = 0; i < scope.order.size(); ++i) {
            const std::string_view name = scope.order[i];
            const Symbol symbol = scope.symbols[name];
            if (symbol.is_global || (symbol.is_bound && !symbol.is_nonlocal)) continue;
            capture(scope, name);
        }
        for (const auto& child : scope.children) find_free(*child);
        check_nonlocals(scope);
    }
    void capture(Scope& scope, std::string_view name) {
        Scope* owner = scope.parent;
        for (; owner != nullptr; owner = owner->parent) {
            if (owner->is_class() && name == kClassName) break;
            if (!owner->is_function()) continue;
            const auto found = owner->symbols.find(name);
            if (found == owner->symbols.end()) continue;
            if (found->second.is_global) return;
            if (found->second.is_bound && !found->second.is_nonlocal) break;
        }
        if (owner == nullptr || owner->is_module()) return;
        owner->symbol(name).is_captured = true;
        for (Scope* inner = &scope; inner != owner; inner = inner->parent) {
            Symbol& symbol = inner->symbol(name);
            // A class body on the way may have a name of its own like it; then its methods pass the outer one through.
            symbol.is_free = true;
        }
    }
    void check_nonlocals(const Scope& scope) {
        for (const auto& [declared, name, range] : nonlocals_) {
            if (declared == &scope && !declared->symbols.find(name)->second.is_free) {
                fail(concat("no binding for nonlocal '", name, "' found"), range);
            }
        }
    }

    // Gives slots, outer scopes first.
    void place(Scope& scope) {
        Code& code = *scope.code;
        const auto add_cell = [&](std::string_view name) {
            code.cells.emplace_back(name);
            return static_cast<std::uint32_t>(code.cells.size() - 1);
        };
        for (const std::string_view name : scope.order) {
            Symbol& symbol = scope.symbols[name];
            if (symbol.is_free || scope.is_module() || symbol.is_global) continue;
            if (scope.is_class()) {
                if (name != kClassName || !symbol.is_captured) continue;
                symbol.slot = code.class_cell = add_cell(name);
            } else if (symbol.is_bound && symbol.is_captured) {
                symbol.slot = add_cell(name);
            } else if (symbol.is_bound) {
                symbol.slot = static_cast<std::uint32_t>(code.locals.size());
                code.locals.emplace_back(name);
            }
        }
        code.own_cells = code.cells.size();
        for (const std::string_view name : scope.order) {
            Symbol& symbol = scope.symbols[name];
            if (!symbol.is_free) continue;
            code.captured.push_back(scope.parent->symbols[name].slot);
            symbol.slot = add_cell(name);
        }
        for (const auto& [index, name] : scope.uses) table_.names[index] = place_of(scope, name);
        for (const Param& param : code.params) code.param_places.push_back(table_.names[param.index]);
        for (const auto& child : scope.children) place(*child);
        for (const auto& child : scope.children) {
            table_.codes.emplace(child->node, std::move(child->code));
        }
    }
    NamePlace place_of(Scope& scope, std::string_view name) {
        const Symbol& symbol = scope.symbols[name];
        const bool is_cell = symbol.is_free || (symbol.is_captured && !scope.is_class());
        if (scope.is_class() && !symbol.is_global && !(symbol.is_free && symbol.is_nonlocal)) {
            if (symbol.is_free) return {NameKind::ClassCell, symbol.slot};
            return {NameKind::ClassGlobal, globals_.slot_of(name)};
        }
        if (symbol.is_global) return {NameKind::Global, globals_.slot_of(name)};
        if (is_cell) return {NameKind::Cell, symbol.slot};
        if (symbol.is_bound && scope.is_function()) return {NameKind::Local, symbol.slot};
        return {NameKind::Global, globals_.slot_of(name)};
    }

    std::shared_ptr<const ir::Source> source_;
    const SyntaxTree& tree_;
    GlobalSlots& globals_;
    ScopeTable table_;
    Scope* scope_ = nullptr;
    int loops_ = 0;
    struct NonlocalName {
        Scope* scope;
        std::string_view name;
        Range range;
        NonlocalName(Scope* s, std::string_view n, Range r) : scope(s), name(n), range(r) {}
    };
    std::vector<NonlocalName> nonlocals_;
};

}  // namespace

ScopeTable analyse_scopes(const std::shared_ptr<const ir::Source>& source, const SyntaxTree& tree,
                          GlobalSlots& globals) {
    return Analyser(source, tree, globals).run();
}

}  // namespace loupe::python
