// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include "core/base/strings.h"
#include "core/script/emitter.h"
#include "core/script/symbols.h"

namespace loupe::script {

void Emitter::emit_body(Body body) {
    for (const Stmt* statement : body) {
        emit_statement(*statement);
        // Code after a return or raise is unreachable.
        if (exited_.contains(environment().block())) return;
    }
}

Range full_range(const Stmt& statement) {
    Body body;
    if (const auto* branch = as<If>(&statement))
        body = branch->if_false.empty() ? branch->if_true : branch->if_false;
    else if (const auto* loop = as<While>(&statement))
        body = loop->body;
    else if (const auto* each = as<For>(&statement))
        body = each->body;
    else if (const auto* with = as<With>(&statement))
        body = with->body;
    else if (const auto* def = as<Def>(&statement))
        body = def->body;
    Range range = statement.range;
    if (!body.empty()) range.end = std::max(range.end, full_range(*body.back()).end);
    return range;
}

namespace {

// All names in the text of a statement, attributes too: a superset of its reads.
std::set<std::string, std::less<>> words_of(std::string_view text) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
    };
    std::set<std::string, std::less<>> words;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_letter(text[end])) ++end;
        if (end > at) words.emplace(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

}  // namespace

void Emitter::emit_function_body(Body body) {
    constexpr std::size_t kMostErrors = 10;
    std::vector<CompileError> errors;
    std::set<std::string, std::less<>> unknown;  // names that a wrong statement may have defined
    for (const Stmt* statement : body) {
        if (!emit_or_recover(*statement, errors, unknown) || errors.size() == kMostErrors) break;
        if (exited_.contains(environment().block())) break;
    }
    if (errors.empty()) return;
    CompileError all = errors.front();
    for (std::size_t i = 1; i < errors.size(); ++i) all = all.followed_by(errors[i]);
    throw all;
}

// False when the rest cannot be emitted.
bool Emitter::emit_or_recover(const Stmt& statement, std::vector<CompileError>& errors,
                              std::set<std::string, std::less<>>& unknown) {
    const std::size_t frames = frames_.size();
    const std::size_t definitions = definitions_.size();
    const LoopKind loop = loop_;
    try {
        const ir::InsertPointScope scope(graph_, environment().block());
        emit_statement(statement);
        return true;
    } catch (const CompileError& error) {
        frames_.resize(frames);
        definitions_.resize(definitions);
        loop_ = loop;
        const Range range = full_range(statement);
        const std::string_view text = builder_.source()->text();
        const auto words =
            words_of(text.substr(range.begin, std::min<std::size_t>(range.end, text.size()) - range.begin));
        const bool builds_on_error =
            std::any_of(words.begin(), words.end(), [&](const std::string& word) { return unknown.contains(word); });
        if (!builds_on_error) errors.push_back(error);
        unknown.insert(words.begin(), words.end());
        // A partial branch or loop would be taken for complete.
        return statement.kind == StmtKind::Assign || statement.kind == StmtKind::Expression ||
               statement.kind == StmtKind::AugAssign;
    }
}

void Emitter::emit_statement(const Stmt& statement) {
    switch (statement.kind) {
        case StmtKind::If:
            return emit_if(*as<If>(&statement));
        case StmtKind::While:
            return emit_while(*as<While>(&statement));
        case StmtKind::For: {
            const auto& loop = *as<For>(&statement);
            return emit_for(
                loop.targets, loop.iterables, [&] { emit_body(loop.body); }, full_range(loop));
        }
        case StmtKind::Assign:
            return emit_assign(*as<Assign>(&statement));
        case StmtKind::AugAssign:
            return emit_augmented(*as<AugAssign>(&statement));
        case StmtKind::Expression:
            emit_sugared(*as<ExprStmt>(&statement)->value);
            return;
        case StmtKind::Raise:
            return emit_raise(*as<Raise>(&statement)->value, statement.range);
        case StmtKind::Assert:
            return emit_assert(*as<Assert>(&statement));
        case StmtKind::Return:
            return emit_return(*as<Return>(&statement)->value, statement.range);
        case StmtKind::Break:
            return emit_jump(ir::prim::BreakStmt, "break", statement.range);
        case StmtKind::Continue:
            return emit_jump(ir::prim::ContinueStmt, "continue", statement.range);
        case StmtKind::Pass:
            return;
        case StmtKind::Delete:
            return emit_delete(*as<Delete>(&statement));
        case StmtKind::With:
            return emit_with(*as<With>(&statement));
        case StmtKind::Def:
            return emit_nested_def(*as<Def>(&statement));
        case StmtKind::Class:
            fail("class definitions aren't supported inside functions", statement.range);
        default:
            fail("this statement isn't supported by TorchScript", statement.range);
    }
}

void Emitter::emit_return(const Expr& value, Range range) {
    Definition& definition = definitions_.back();
    TypePtr type = definition.declared;
    ir::Value* result = emit_value(value, type);
    if (type != nullptr) {
        result = convert_to_type(builder_, type, result, true, range);
        if (!result->type()->is_subtype_of(*type)) {
            fail(concat("Return value was annotated as having type ", type->annotation_str(),
                        " but is actually of type ", result->type()->annotation_str()),
                 range);
        }
    } else {
        const TypePtr before = definition.merged != nullptr ? definition.merged : result->type();
        const auto merged = unify_types(before, result->type());
        if (!merged) {
            fail(concat("Previous return statement returned a value of type ", before->annotation_str(),
                        " but this return statement returns a value of type ", result->type()->annotation_str()),
                 range);
        }
        type = *merged;
    }
    definition.merged = type;
    if (type->kind() == TypeKind::Any && result->type()->kind() != TypeKind::Any) {
        result = builder_.unchecked_cast(result, type);
    }
    builder_.insert(ir::prim::ReturnStmt, {result}, 0);
    exited_.insert(environment().block());
}

void Emitter::emit_raise(const Expr& exception, Range range) { emit_raise_of(emit_sugared(exception), range); }

void Emitter::emit_raise_of(SugaredPtr exception, Range range) {
    // A class that is not called has no message, and PyTorch omits its name.
    if (dynamic_cast<const ExceptionClass*>(exception.get()) != nullptr) {
        exception = make_ptr<ExceptionMessage>(builder_.constant(IValue(""), range), nullptr);
    }
    const auto* raised = dynamic_cast<const ExceptionMessage*>(exception.get());
    if (raised == nullptr) fail("exceptions must derive from BaseException", range);
    ir::Value* message = raised->message();
    if (message->type()->kind() != TypeKind::String) message = call_builtin(builder_, "aten::str", {message}, {});
    ir::Value* name = raised->class_name() != nullptr ? raised->class_name() : builder_.constant(IValue());
    builder_.insert(ir::prim::RaiseException, {message, name}, 0)->set_range(builder_.place(range));
    exited_.insert(environment().block());
}

// As if it were: if not condition: raise AssertionError(message).
void Emitter::emit_assert(const Assert& statement) {
    const Condition condition = emit_condition(*statement.condition);
    emit_branches(
        condition, [] {},
        [&] {
            std::vector<NamedValue> arguments;
            if (statement.message != nullptr) {
                arguments.push_back({statement.range, {}, emit_value(*statement.message)});
            }
            const SugaredPtr type = python_builtin("AssertionError");
            emit_raise_of(type->call(builder_, arguments, {}, statement.range), statement.range);
        },
        statement.range);
}

void Emitter::emit_delete(const Delete& statement) {
    for (const Expr* target : statement.targets) {
        if (const auto* name = as<Name>(target)) {
            if (!environment().remove(name->id)) fail(concat("undefined value ", name->id), name->range);
            continue;
        }
        const auto* subscript = as<Subscript>(target);
        if (subscript == nullptr) {
            fail("del statements are only supported for deleting list and dict items and variables", target->range);
        }
        if (subscript->indices.front()->kind == ExprKind::Slice) {
            fail("del statements only support deletion at a single index, slicing is not supported", target->range);
        }
        const SugaredPtr container = emit_sugared(*subscript->value);
        ir::Value* index = emit_value(*subscript->indices.front());
        ir::Value* value = container->as_value(builder_, subscript->value->range);
        if (value->type()->kind() == TypeKind::Class) {
            const NamedValue argument{subscript->range, {}, index};
            simple(value)
                ->attribute(builder_, "__delitem__", target->range)
                ->call(builder_, {&argument, 1}, {}, statement.range);
        } else {
            builder_.insert(symbols().del, {value, index}, 0)->set_range(builder_.place(target->range));
        }
    }
}

void Emitter::emit_with(const With& statement) {
    std::vector<ir::Value*> entered;
    for (const WithItem& item : statement.items) {
        ir::Value* context = emit_value(*item.context);
        ir::Node* enter = builder_.insert(ir::prim::Enter, {context});
        entered.push_back(context);
        const auto* type = context->type()->as<ClassType>();
        if (type == nullptr) fail("With item expression must return an object", item.context->range);
        Function* enter_method = type->find_method("__enter__");
        Function* exit_method = type->find_method("__exit__");
        if (enter_method == nullptr || exit_method == nullptr) {
            fail("Object returned by with item expression does not define __enter__ and __exit__ methods",
                 item.context->range);
        }
        if (enter_method->schema().arguments.size() != 1) {
            fail("__enter__ must have only one argument and one return value", item.context->range);
        }
        if (exit_method->schema().arguments.size() != 4) {
            fail("__exit__ must have four arguments", item.context->range);
        }
        enter->output()->set_type(enter_method->schema().returns.front().type);
        if (item.target != nullptr) {
            environment().set(builder_, item.target->id, simple(enter->output()), item.target->range);
        }
    }
    emit_body(statement.body);
    for (auto context = entered.rbegin(); context != entered.rend(); ++context) {
        builder_.insert(ir::prim::Exit, {*context});
    }
}

void Emitter::emit_jump(ir::Symbol kind, std::string_view name, Range range) {
    if (loop_ == LoopKind::None) fail(concat("SyntaxError: '", name, "' outside loop"), range);
    if (loop_ == LoopKind::Unrolled) {
        fail(
            "Because we emit iteration over modulelists or tuples as unrolled loops, we do not support break or "
            "continue inside the body of these loops",
            range);
    }
    builder_.insert(kind, {}, 0)->set_range(builder_.place(range));
}

void Emitter::emit_nested_def(const Def& def) {
    ir::Value* closure = emit_closure([&](ir::Block* block) { emit_def(def, nullptr, block); });
    environment().set(builder_, def.name, make_ptr<ClosureValue>(closure), def.name_range);
}

}  // namespace loupe::script
