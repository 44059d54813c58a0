// SPDX-License-Identifier: Apache-2.0
// Statements of Python that TorchScript has no use for.
#include <algorithm>

#include "core/base/strings.h"
#include "core/script/parser_impl.h"

namespace loupe::script {

// Null for statements that both dialects parse alike.
const Stmt* Parser::parse_python_simple() {
    switch (current().kind) {
        case Token::Raise:
            return parse_raise();
        case Token::Import:
            return parse_import();
        case Token::From:
            return parse_from();
        case Token::Global:
        case Token::Nonlocal:
            return parse_global();
        case Token::Yield:
            return parse_assignment(parse_yield());
        case Token::Indent:
            fail("unexpected indent", current().range);
        default:
            return nullptr;
    }
}

// `async def`, and in its body `async for` and `async with`, which are parsed without `async`: the body of an async
// function is not run.
const Stmt* Parser::parse_async(std::vector<const Expr*> decorators) {
    const Range range = advance();
    if (is(Token::Def)) {
        next_is_async_ = true;
        return parse_def(std::move(decorators));
    }
    if (!is(Token::For) && !is(Token::With)) fail_expected("def");
    if (!is_async_) fail(concat("'async ", text(current().range), "' outside async function"), range);
    return is(Token::For) ? parse_python_for() : parse_python_with();
}

// [T, U: Bound = Default, *Ts, **P] after the name of a class, function or alias; none without a bracket.
std::vector<TypeParam> Parser::parse_type_params() {
    std::vector<TypeParam> params;
    if (!take(Token::LeftBracket)) return params;
    do {
        if (is(Token::RightBracket) && !params.empty()) break;
        if (!take(Token::DoubleStar)) take(Token::Star);
        params.push_back({text(expect(Token::Name)), tree_.name_count++});
        if (take(Token::Colon)) parse_expression();
        if (take(Token::Assign)) parse_expression();
    } while (take(Token::Comma));
    expect(Token::RightBracket);
    return params;
}

// `type Pair = ...`: "type" is a name everywhere else.
bool Parser::at_type_alias() const {
    if (text(current().range) != "type" || !next_is(Token::Name) || at_ + 2 >= tokens_.size()) return false;
    const Token after = tokens_[at_ + 2].kind;
    return after == Token::Assign || after == Token::LeftBracket;
}

// An assignment. A value with type parameters is not evaluated, since they are unbound: its text is the value.
const Stmt* Parser::parse_type_alias() {
    advance();
    const Expr* name = make_name(expect(Token::Name));
    const bool is_generic = !parse_type_params().empty();
    expect(Token::Assign);
    const Expr* value = parse_expression();
    expect(Token::Newline);
    if (is_generic) value = make_string(value->range, text(value->range));
    return tree_.make(Assign{{StmtKind::Assign, merge(name->range, value->range)},
                             tree_.make_span(std::vector<const Expr*>{name}),
                             value,
                             nullptr});
}

const Stmt* Parser::parse_raise() {
    Range range = advance();
    const Expr* value = is(Token::Newline) ? nullptr : parse_expression();
    const Expr* cause = value != nullptr && take(Token::From) ? parse_expression() : nullptr;
    expect(Token::Newline);
    if (value != nullptr) range = merge(range, value->range);
    return tree_.make(Raise{{StmtKind::Raise, range}, value, cause});
}

std::string_view Parser::parse_dotted_name() {
    Range range = expect(Token::Name);
    while (take(Token::Dot)) range = merge(range, expect(Token::Name));
    return text(range);
}

ImportName Parser::parse_import_name(bool is_dotted) {
    ImportName name{};
    name.range = current().range;
    name.name = is_dotted ? parse_dotted_name() : text(expect(Token::Name));
    name.bound = name.name.substr(0, name.name.find('.'));
    if (take(Token::As)) {
        const Range alias = expect(Token::Name);
        name.range = merge(name.range, alias);
        name.bound = text(alias);
        name.has_alias = true;
    }
    name.index = tree_.name_count++;
    return name;
}

const Stmt* Parser::parse_import() {
    Range range = advance();
    std::vector<ImportName> names;
    do {
        names.push_back(parse_import_name(true));
    } while (take(Token::Comma));
    range = merge(range, names.back().range);
    expect(Token::Newline);
    return tree_.make(Import{{StmtKind::Import, range}, tree_.make_span(names)});
}

const Stmt* Parser::parse_from() {
    ImportFrom from{};
    from.kind = StmtKind::ImportFrom;
    from.range = advance();
    while (is(Token::Dot) || is(Token::Ellipsis)) from.level += text(advance()).size();
    if (!is(Token::Import) || from.level == 0) from.module = parse_dotted_name();
    from.range = merge(from.range, expect(Token::Import));
    std::vector<ImportName> names;
    if (is(Token::Star)) {
        ImportName all{};
        all.range = advance();
        all.name = "*";
        names.push_back(all);
    } else {
        const bool is_bracketed = take(Token::LeftParen);
        do {
            if (is_bracketed && is(Token::RightParen)) break;
            names.push_back(parse_import_name(false));
        } while (take(Token::Comma));
        if (names.empty()) fail_expected("ident");
        if (is_bracketed) expect(Token::RightParen);
    }
    from.names = tree_.make_span(names);
    from.range = merge(from.range, names.back().range);
    expect(Token::Newline);
    return tree_.make(from);
}

const Stmt* Parser::parse_try() {
    Try result{};
    result.kind = StmtKind::Try;
    result.range = advance();
    result.body = parse_block();
    std::vector<ExceptHandler> handlers;
    while (is(Token::Except)) {
        ExceptHandler handler{};
        handler.range = advance();
        if (is(Token::Star)) fail("except* aren't supported", current().range);
        if (!handlers.empty() && handlers.back().type == nullptr) {
            fail("default 'except:' must be last", handlers.back().range);
        }
        if (!is(Token::Colon)) {
            handler.type = parse_expression();
            handler.range = merge(handler.range, handler.type->range);
            if (is(Token::Comma)) fail("multiple exception types must be parenthesized", handler.range);
            if (take(Token::As)) handler.name = text(expect(Token::Name));
        }
        handler.index = tree_.name_count++;
        handler.body = parse_block();
        handlers.push_back(handler);
    }
    result.handlers = tree_.make_span(handlers);
    if (!handlers.empty() && take(Token::Else)) result.orelse = parse_block();
    if (take(Token::Finally)) {
        result.final_body = parse_block();
    } else if (handlers.empty()) {
        fail("expected 'except' or 'finally' block", current().range);
    }
    return tree_.make(result);
}

const Stmt* Parser::parse_global() {
    const bool is_global = is(Token::Global);
    Range range = advance();
    std::vector<std::string_view> names;
    do {
        const Range name = expect(Token::Name);
        range = merge(range, name);
        names.push_back(text(name));
    } while (take(Token::Comma));
    expect(Token::Newline);
    if (is_global) return tree_.make(Global{{StmtKind::Global, range}, tree_.make_span(names)});
    return tree_.make(Nonlocal{{StmtKind::Nonlocal, range}, tree_.make_span(names)});
}

const Stmt* Parser::parse_python_for() {
    const Range range = advance();
    const Expr* target = parse_target_list(Token::In);
    expect(Token::In);
    const Expr* iterable = parse_expression_or_tuple();
    const Body body = parse_block();
    const Body orelse = take(Token::Else) ? parse_block() : Body{};
    return tree_.make(For{{StmtKind::For, merge(range, iterable->range)},
                          tree_.make_span(std::vector<const Expr*>{target}),
                          tree_.make_span(std::vector<const Expr*>{iterable}),
                          body,
                          orelse});
}

// `with (a as b, c as d):`, which is no tuple.
bool Parser::at_parenthesised_with() const {
    if (!is(Token::LeftParen)) return false;
    int nesting = 0;
    bool has_as = false;
    for (std::size_t i = at_; i < tokens_.size(); ++i) {
        const Token kind = tokens_[i].kind;
        if (kind == Token::LeftParen || kind == Token::LeftBracket || kind == Token::LeftBrace) ++nesting;
        if (kind == Token::As && nesting == 1) has_as = true;
        const bool closes = kind == Token::RightParen || kind == Token::RightBracket || kind == Token::RightBrace;
        if (!closes || --nesting > 0) continue;
        return has_as && i + 1 < tokens_.size() && tokens_[i + 1].kind == Token::Colon;
    }
    return false;
}

WithItem Parser::parse_with_item() {
    WithItem item{};
    item.context = parse_expression();
    item.range = item.context->range;
    if (take(Token::As)) {
        item.binding = parse_target();
        check_target(item.binding);
        item.range = merge(item.range, item.binding->range);
        item.target = as<Name>(item.binding);
    }
    return item;
}

const Stmt* Parser::parse_python_with() {
    Range range = advance();
    const bool is_bracketed = at_parenthesised_with();
    if (is_bracketed) advance();
    std::vector<WithItem> items;
    do {
        if (is_bracketed && is(Token::RightParen)) break;
        items.push_back(parse_with_item());
        range = merge(range, items.back().range);
    } while (take(Token::Comma));
    if (is_bracketed) expect(Token::RightParen);
    const Body body = parse_block();
    return tree_.make(With{{StmtKind::With, range}, tree_.make_span(items), body});
}

const Stmt* Parser::parse_python_class(std::vector<const Expr*> decorators, Range from) {
    Class result{};
    result.kind = StmtKind::Class;
    expect(Token::Class);
    result.range = expect(Token::Name);
    result.name = text(result.range);
    result.index = tree_.name_count++;
    result.type_params = tree_.make_span(parse_type_params());
    std::vector<const Expr*> bases;
    std::vector<Keyword> keywords;
    if (take(Token::LeftParen)) {
        parse_arguments(bases, keywords);
        expect(Token::RightParen);
    }
    result.base = bases.empty() ? nullptr : bases.front();
    result.bases = tree_.make_span(bases);
    result.keywords = tree_.make_span(keywords);
    result.decorators = tree_.make_span(decorators);
    result.body = parse_block();
    result.full_range = merge(from, end_of_block());
    return tree_.make(result);
}

Param Parser::parse_python_param(Token end, bool kwarg_only) {
    Param param{};
    const Range mark = current().range;
    if (take(Token::DoubleStar)) {
        param.kind = ParamKind::KeywordRest;
    } else if (take(Token::Star)) {
        param.kind = ParamKind::Rest;
    }
    param.range = expect(Token::Name);
    param.name = text(param.range);
    if (param.kind != ParamKind::Plain) param.range = merge(mark, param.range);
    param.kwarg_only = kwarg_only && param.kind == ParamKind::Plain;
    param.index = tree_.name_count++;
    if (end != Token::Colon && take(Token::Colon)) {
        param.annotation = parse_expression();
        param.range = merge(param.range, param.annotation->range);
    }
    if (is(Token::Assign) && param.kind != ParamKind::Plain) {
        fail("a parameter with * or ** cannot have a default value", current().range);
    }
    if (take(Token::Assign)) {
        param.default_value = parse_expression();
        param.range = merge(param.range, param.default_value->range);
    }
    return param;
}

std::vector<Param> Parser::parse_python_params(Token end) {
    std::vector<Param> params;
    bool kwarg_only = false;
    while (!is(end)) {
        if (!params.empty() && params.back().kind == ParamKind::KeywordRest) {
            fail("arguments cannot follow var-keyword argument", current().range);
        }
        if (is(Token::Star) && next_is(Token::Comma)) {
            const Range star = advance();
            if (kwarg_only) fail("* argument may appear only once", star);
            kwarg_only = true;
        } else if (is(Token::Slash)) {
            const Range slash = advance();
            if (params.empty() || kwarg_only || params.front().positional_only) {
                fail("a / is misplaced among the parameters", slash);
            }
            for (Param& param : params) param.positional_only = true;
        } else {
            params.push_back(parse_python_param(end, kwarg_only));
            if (params.back().kind == ParamKind::Rest) {
                if (kwarg_only) fail("* argument may appear only once", params.back().range);
                kwarg_only = true;
            }
        }
        if (!take(Token::Comma)) break;
    }
    check_params(params);
    return params;
}

void Parser::check_params(const std::vector<Param>& params) const {
    bool has_default = false;
    for (std::size_t i = 0; i < params.size(); ++i) {
        const Param& param = params[i];
        const auto is_same = [&](const Param& other) { return other.name == param.name; };
        const auto end = params.begin() + static_cast<std::ptrdiff_t>(i);
        if (params.size() < 256 && std::any_of(params.begin(), end, is_same)) {
            fail(concat("duplicate argument '", param.name, "' in function definition"), param.range);
        }
        if (param.kwarg_only || param.kind != ParamKind::Plain) continue;
        if (param.default_value != nullptr) {
            has_default = true;
        } else if (has_default) {
            fail("non-default argument follows default argument", param.range);
        }
    }
}

}  // namespace loupe::script
