// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/syntax_walk.h"

namespace loupe::python {
namespace {

using script::as;
using script::Expr;
using script::Stmt;
using Visit = std::function<void(const Expr&)>;

void visit_if(const Expr* e, const Visit& visit) {
    if (e != nullptr) visit(*e);
}

void visit_all(std::span<const Expr* const> all, const Visit& visit) {
    for (const Expr* e : all) visit_if(e, visit);
}

}  // namespace

void for_each_part(const Expr& e, const Visit& visit) {
    if (const auto* attribute = as<script::Attribute>(&e)) return visit_if(attribute->object, visit);
    if (const auto* call = as<script::Call>(&e)) {
        visit_if(call->callee, visit);
        visit_all(call->arguments, visit);
        for (const script::Keyword& keyword : call->keywords) visit_if(keyword.value, visit);
    } else if (const auto* subscript = as<script::Subscript>(&e)) {
        visit_if(subscript->value, visit);
        visit_all(subscript->indices, visit);
    } else if (const auto* slice = as<script::Slice>(&e)) {
        for (const Expr* part : {slice->start, slice->stop, slice->step}) visit_if(part, visit);
    } else if (const auto* unary = as<script::Unary>(&e)) {
        visit_if(unary->operand, visit);
    } else if (const auto* binary = as<script::Binary>(&e)) {
        for (const Expr* part : {binary->left, binary->right}) visit_if(part, visit);
    } else if (const auto* ternary = as<script::Ternary>(&e)) {
        for (const Expr* part : {ternary->condition, ternary->if_true, ternary->if_false}) visit_if(part, visit);
    } else if (const auto* tuple = as<script::Tuple>(&e)) {
        visit_all(tuple->elements, visit);
    } else if (const auto* list = as<script::List>(&e)) {
        visit_all(list->elements, visit);
    } else if (const auto* set = as<script::Set>(&e)) {
        visit_all(set->elements, visit);
    } else if (const auto* dict = as<script::Dict>(&e)) {
        visit_all(dict->keys, visit);
        visit_all(dict->values, visit);
    } else if (const auto* starred = as<script::Starred>(&e)) {
        visit_if(starred->value, visit);
    } else if (const auto* lambda = as<script::Lambda>(&e)) {
        visit_if(lambda->body, visit);
    } else if (const auto* comparison = as<script::Comparison>(&e)) {
        visit_all(comparison->operands, visit);
    } else if (const auto* comp = as<script::Comprehension>(&e)) {
        for (const auto& clause : comp->clauses) {
            visit_if(clause.target, visit);
            visit_if(clause.iterable, visit);
            visit_all(clause.conditions, visit);
        }
        for (const Expr* part : {comp->element, comp->value}) visit_if(part, visit);
    } else if (const auto* joined = as<script::JoinedString>(&e)) {
        for (const script::JoinedPart& part : joined->parts) visit_if(part.value, visit);
    } else if (const auto* named = as<script::NamedExpr>(&e)) {
        visit_if(named->value, visit);
    } else if (const auto* yield = as<script::Yield>(&e)) {
        visit_if(yield->value, visit);
    }
}

void for_each_expression(const Expr& e, const Visit& visit) {
    visit(e);
    for_each_part(e, [&](const Expr& part) { for_each_expression(part, visit); });
}

void for_each_expression_of(const Stmt& s, const Visit& visit) {
    if (const auto* expression = as<script::ExprStmt>(&s)) {
        visit_if(expression->value, visit);
    } else if (const auto* assign = as<script::Assign>(&s)) {
        visit_if(assign->value, visit);
        visit_all(assign->targets, visit);
    } else if (const auto* augmented = as<script::AugAssign>(&s)) {
        for (const Expr* part : {augmented->value, augmented->target}) visit_if(part, visit);
    } else if (const auto* branch = as<script::If>(&s)) {
        visit_if(branch->condition, visit);
    } else if (const auto* loop = as<script::While>(&s)) {
        visit_if(loop->condition, visit);
    } else if (const auto* each = as<script::For>(&s)) {
        visit_all(each->iterables, visit);
        visit_all(each->targets, visit);
    } else if (const auto* with = as<script::With>(&s)) {
        for (const script::WithItem& item : with->items) visit_if(item.context, visit);
    } else if (const auto* back = as<script::Return>(&s)) {
        visit_if(back->value, visit);
    } else if (const auto* raise = as<script::Raise>(&s)) {
        visit_if(raise->value, visit);
    } else if (const auto* check = as<script::Assert>(&s)) {
        for (const Expr* part : {check->condition, check->message}) visit_if(part, visit);
    } else if (const auto* match = as<script::Match>(&s)) {
        visit_if(match->subject, visit);
    }
}

std::vector<script::Body> blocks_of(const Stmt& s) {
    if (const auto* branch = as<script::If>(&s)) return {branch->if_true, branch->if_false};
    if (const auto* loop = as<script::While>(&s)) return {loop->body, loop->orelse};
    if (const auto* each = as<script::For>(&s)) return {each->body, each->orelse};
    if (const auto* with = as<script::With>(&s)) return {with->body};
    if (const auto* def = as<script::Def>(&s)) return {def->body};
    if (const auto* cls = as<script::Class>(&s)) return {cls->body};
    if (const auto* attempt = as<script::Try>(&s)) {
        std::vector<script::Body> out{attempt->body};
        for (const script::ExceptHandler& handler : attempt->handlers) out.push_back(handler.body);
        out.push_back(attempt->orelse);
        out.push_back(attempt->final_body);
        return out;
    }
    if (const auto* match = as<script::Match>(&s)) {
        std::vector<script::Body> out;
        for (const script::MatchCase& one : match->cases) out.push_back(one.body);
        return out;
    }
    return {};
}

void for_each_expression_below(script::Body body, const Visit& visit) {
    for (const Stmt* s : body) {
        for_each_expression_of(*s, [&](const Expr& e) { for_each_expression(e, visit); });
        for (const script::Body& block : blocks_of(*s)) for_each_expression_below(block, visit);
    }
}

std::string text_of(std::string_view source, const Expr& e) {
    std::string_view text = source.substr(e.range.begin, e.range.end - e.range.begin);
    std::string out(text);
    // Open brackets outside of strings.
    std::string open;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            if (c == '\\')
                ++i;
            else if (c == quote)
                quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '(' || c == '[' || c == '{') {
            open += c == '(' ? ')' : c == '[' ? ']' : '}';
        } else if ((c == ')' || c == ']' || c == '}') && !open.empty()) {
            open.pop_back();
        }
    }
    for (auto bracket = open.rbegin(); bracket != open.rend(); ++bracket) out += *bracket;
    return out;
}

std::string dotted_name(const Expr& e) {
    if (const auto* name = as<script::Name>(&e)) return std::string(name->id);
    const auto* attribute = as<script::Attribute>(&e);
    if (attribute == nullptr) return {};
    const std::string object = dotted_name(*attribute->object);
    return object.empty() ? std::string() : object + "." + std::string(attribute->name);
}

}  // namespace loupe::python
