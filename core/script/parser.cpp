// SPDX-License-Identifier: Apache-2.0
#include "core/script/parser.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "core/script/parser_impl.h"

namespace loupe::script {
namespace {

std::optional<OperatorKind> augmented_operator(Token token) {
    switch (token) {
        case Token::PlusAssign:
            return OperatorKind::Add;
        case Token::MinusAssign:
            return OperatorKind::Sub;
        case Token::StarAssign:
            return OperatorKind::Mul;
        case Token::SlashAssign:
            return OperatorKind::Div;
        case Token::DoubleSlashAssign:
            return OperatorKind::FloorDiv;
        case Token::PercentAssign:
            return OperatorKind::Mod;
        case Token::AtAssign:
            return OperatorKind::MatMul;
        case Token::AmpersandAssign:
            return OperatorKind::BitAnd;
        case Token::PipeAssign:
            return OperatorKind::BitOr;
        case Token::CaretAssign:
            return OperatorKind::BitXor;
        case Token::LeftShiftAssign:
            return OperatorKind::LeftShift;
        case Token::RightShiftAssign:
            return OperatorKind::RightShift;
        case Token::DoubleStarAssign:
            return OperatorKind::Pow;
        default:
            return std::nullopt;
    }
}

}  // namespace

Parser::Parser(std::shared_ptr<const ir::Source> source, SyntaxTree& tree, TokenList tokens, Dialect dialect)
    : source_(std::move(source)),
      source_text_(source_->text()),
      tree_(tree),
      dialect_(dialect),
      tokens_(std::move(tokens.tokens)) {
    for (const TypeComment& comment : tokens.type_comments) type_comments_.emplace(comment.before, comment.range);
}

Range Parser::advance() {
    const Range range = current().range;
    if (at_ + 1 < tokens_.size()) ++at_;
    return range;
}

bool Parser::take(Token kind) {
    if (!is(kind)) return false;
    advance();
    return true;
}

Range Parser::expect(Token kind) {
    if (!is(kind)) fail_expected(token_name(kind));
    return advance();
}

std::string_view Parser::text(Range range) const { return source_text_.substr(range.begin, range.end - range.begin); }

void Parser::fail(const std::string& message, Range range) const { throw CompileError(message, place(source_, range)); }

std::optional<Range> Parser::take_type_comment() {
    if (type_comments_.empty()) return std::nullopt;
    const auto found = type_comments_.find(at_);
    if (found == type_comments_.end()) return std::nullopt;
    const Range range = found->second;
    type_comments_.erase(found);
    return range;
}

void Parser::parse_file() {
    std::vector<const Stmt*> statements;
    while (!is(Token::End)) {
        if (take(Token::Newline)) continue;
        if (!is_python() && (is(Token::Import) || is(Token::From))) {
            // Names are resolved without them; older archives have them, and so have texts of people.
            while (!is(Token::Newline) && !is(Token::End)) advance();
            continue;
        }
        statements.push_back(parse_statement());
    }
    tree_.body = tree_.make_span(statements);
}

Body Parser::parse_block() {
    expect(Token::Colon);
    std::vector<const Stmt*> statements;
    if (take(Token::Indent)) {
        do {
            statements.push_back(parse_statement());
        } while (!take(Token::Dedent));
    } else {
        if (is(Token::Newline)) fail_block();
        // On the line of its header, up to that line's end.
        const std::size_t line = source_->line_of(current().range.begin);
        do {
            statements.push_back(parse_simple_statement());
        } while (!is(Token::End) && !is(Token::Dedent) && source_->line_of(current().range.begin) == line);
    }
    return tree_.make_span(statements);
}

const Stmt* Parser::parse_statement() {
    const Deeper deeper(*this);
    switch (current().kind) {
        case Token::If:
            return parse_if(advance());
        case Token::While:
            return parse_while();
        case Token::For:
            return is_python() ? parse_python_for() : parse_for();
        case Token::With:
            return is_python() ? parse_python_with() : parse_with();
        case Token::Def:
            return parse_def({});
        case Token::Class:
            return is_python() ? parse_python_class({}, current().range) : parse_class();
        case Token::At:
            return parse_decorated();
        case Token::Try:
            if (is_python()) return parse_try();
            break;
        case Token::Async:
            if (is_python()) return parse_async({});
            break;
        case Token::Name:
            if (is_python() && at_match()) return parse_match();
            if (is_python() && at_type_alias()) return parse_type_alias();
            break;
        default:
            break;
    }
    return parse_simple_statement();
}

const Stmt* Parser::parse_simple_statement() {
    if (is_python()) {
        if (const Stmt* statement = parse_python_simple()) return statement;
    }
    const Range range = current().range;
    switch (current().kind) {
        case Token::Return:
            return parse_return();
        case Token::Raise: {
            advance();
            if (is(Token::Newline)) fail("raise without an exception isn't supported", range);
            const Expr* value = parse_expression();
            if (is(Token::From)) fail("raise ... from isn't supported", current().range);
            expect(Token::Newline);
            return tree_.make(Raise{{StmtKind::Raise, merge(range, value->range)}, value});
        }
        case Token::Assert:
            return parse_assert();
        case Token::Break:
            advance();
            expect(Token::Newline);
            return tree_.make(Break{{StmtKind::Break, range}});
        case Token::Continue:
            advance();
            expect(Token::Newline);
            return tree_.make(Continue{{StmtKind::Continue, range}});
        case Token::Pass:
            advance();
            expect(Token::Newline);
            return tree_.make(Pass{{StmtKind::Pass, range}});
        case Token::Del: {
            advance();
            std::vector<const Expr*> targets = {parse_expression()};
            while (take(Token::Comma) && !is(Token::Newline)) targets.push_back(parse_expression());
            for (const Expr* target : targets) check_target(target);
            expect(Token::Newline);
            return tree_.make(
                Delete{{StmtKind::Delete, merge(range, targets.back()->range)}, tree_.make_span(targets)});
        }
        case Token::Try:
        case Token::Import:
        case Token::From:
        case Token::Global:
        case Token::Nonlocal:
        case Token::Async:
        case Token::Yield:
            fail_unsupported_statement();
        default:
            return parse_assignment(parse_expression_or_tuple());
    }
}

void Parser::fail_unsupported_statement() const {
    const auto what = [&]() -> std::string_view {
        switch (current().kind) {
            case Token::Try:
                return "try blocks";
            case Token::Import:
            case Token::From:
                return "import statements";
            case Token::Global:
            case Token::Nonlocal:
                return "global variables";
            case Token::Async:
                return "async functions";
            default:
                return "yield expressions";
        }
    }();
    fail(concat(what, " aren't supported"), current().range);
}

const Stmt* Parser::parse_return() {
    const Range range = advance();
    const Expr* value =
        is(Token::Newline) ? make(Leaf<ExprKind::None>{{ExprKind::None, 1, range}}, {}) : parse_expression_or_tuple();
    expect(Token::Newline);
    return tree_.make(Return{{StmtKind::Return, merge(range, value->range)}, value});
}

const Stmt* Parser::parse_assert() {
    Range range = advance();
    const Expr* condition = parse_expression();
    const Expr* message = take(Token::Comma) ? parse_expression() : nullptr;
    expect(Token::Newline);
    range = merge(range, message != nullptr ? message->range : condition->range);
    return tree_.make(Assert{{StmtKind::Assert, range}, condition, message});
}

const Stmt* Parser::parse_assignment(const Expr* first) {
    if (is(Token::Newline)) {
        advance();
        return tree_.make(ExprStmt{{StmtKind::Expression, first->range}, first});
    }
    if (is(Token::Walrus)) fail("assignment expressions aren't supported", current().range);
    const Expr* annotation = take(Token::Colon) ? parse_expression() : nullptr;
    if (annotation != nullptr && is(Token::Newline)) {
        advance();
        return tree_.make(Assign{{StmtKind::Assign, merge(first->range, annotation->range)},
                                 tree_.make_span(std::vector<const Expr*>{first}),
                                 nullptr,
                                 annotation});
    }
    check_target(first);
    if (const auto op = augmented_operator(current().kind)) {
        advance();
        const Expr* value = parse_expression_or_tuple();
        expect(Token::Newline);
        if (first->kind == ExprKind::Tuple || (is_python() && first->kind == ExprKind::List)) {
            fail("augmented assignment can only have one LHS expression", first->range);
        }
        return tree_.make(AugAssign{{StmtKind::AugAssign, merge(first->range, value->range)}, first, *op, value});
    }
    return finish_assignment(first, annotation);
}

const Stmt* Parser::finish_assignment(const Expr* first, const Expr* annotation) {
    expect(Token::Assign);
    std::vector<const Expr*> targets = {first};
    const Expr* value = parse_expression_or_tuple();
    while (take(Token::Assign)) {
        check_target(value);
        targets.push_back(value);
        value = parse_expression_or_tuple();
    }
    if (annotation == nullptr) {
        if (const auto comment = take_type_comment()) annotation = parse_embedded(*comment);
    }
    if (annotation != nullptr && targets.size() > 1) {
        fail("Annotated multiple assignment is not supported in python", annotation->range);
    }
    expect(Token::Newline);
    return tree_.make(
        Assign{{StmtKind::Assign, merge(first->range, value->range)}, tree_.make_span(targets), value, annotation});
}

// After its keyword, whose range is given; that of an elif is its condition's.
const Stmt* Parser::parse_if(Range range) {
    struct Branch {
        Range range;
        const Expr* condition;
        Body body;
    };
    std::vector<Branch> branches;
    do {
        if (!branches.empty()) range = current().range;
        if (branches.size() >= kMaxChain) fail("code is nested too deeply", range);
        const Expr* condition = parse_named_expression();
        branches.push_back({merge(range, condition->range), condition, parse_block()});
    } while (take(Token::Elif));
    Body otherwise = take(Token::Else) ? parse_block() : Body{};
    const Stmt* chain = nullptr;
    for (std::size_t i = branches.size(); i-- > 0;) {
        const Branch& branch = branches[i];
        chain = tree_.make(If{{StmtKind::If, branch.range}, branch.condition, branch.body, otherwise});
        otherwise = tree_.make_span(std::vector<const Stmt*>{chain});
    }
    return chain;
}

const Stmt* Parser::parse_while() {
    const Range range = advance();
    const Expr* condition = parse_named_expression();
    const Body body = parse_block();
    if (is(Token::Else) && !is_python()) {
        fail("else branches of while loops aren't supported", current().range);
    }
    const Body orelse = take(Token::Else) ? parse_block() : Body{};
    return tree_.make(While{{StmtKind::While, merge(range, condition->range)}, condition, body, orelse});
}

const Stmt* Parser::parse_for() {
    const Range range = advance();
    std::vector<const Expr*> targets = {parse_target()};
    while (take(Token::Comma)) {
        if (is(Token::In)) break;
        targets.push_back(parse_target());
    }
    expect(Token::In);
    std::vector<const Expr*> iterables = {parse_expression()};
    while (take(Token::Comma)) {
        if (is(Token::Colon)) break;
        iterables.push_back(parse_expression());
    }
    const Body body = parse_block();
    if (is(Token::Else)) fail("else branches of for loops aren't supported", current().range);
    return tree_.make(For{{StmtKind::For, merge(range, iterables.back()->range)},
                          tree_.make_span(targets),
                          tree_.make_span(iterables),
                          body});
}

const Stmt* Parser::parse_with() {
    Range range = advance();
    std::vector<WithItem> items;
    do {
        WithItem item{};
        item.context = parse_expression();
        item.range = item.context->range;
        if (is(Token::As)) {
            item.range = merge(item.range, advance());
            item.target = as<Name>(parse_target());
            if (item.target == nullptr) fail("expected ident after 'as'", current().range);
        }
        range = merge(range, item.range);
        items.push_back(item);
    } while (take(Token::Comma));
    const Body body = parse_block();
    return tree_.make(With{{StmtKind::With, range}, tree_.make_span(items), body});
}

const Stmt* Parser::parse_decorated() {
    const Range from = current().range;
    std::vector<const Expr*> decorators;
    while (take(Token::At)) {
        decorators.push_back(parse_named_expression());
        expect(Token::Newline);
    }
    if (is(Token::Class)) return is_python() ? parse_python_class(std::move(decorators), from) : parse_class();
    if (is(Token::Async) && is_python()) return parse_async(std::move(decorators));
    if (!is(Token::Def)) fail_expected("def");
    return parse_def(std::move(decorators));
}

Param Parser::parse_param(bool kwarg_only) {
    if (is(Token::Star) || is(Token::DoubleStar)) {
        fail("Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults",
             current().range);
    }
    Param param{};
    param.range = expect(Token::Name);
    param.name = text(param.range);
    param.kwarg_only = kwarg_only;
    if (take(Token::Colon)) {
        param.annotation = parse_expression();
        param.range = merge(param.range, param.annotation->range);
    }
    if (take(Token::Assign)) {
        param.default_value = parse_expression();
        param.range = merge(param.range, param.default_value->range);
    }
    return param;
}

std::vector<Param> Parser::parse_params() {
    std::vector<Param> params;
    bool kwarg_only = false;
    while (!is(Token::RightParen)) {
        if (is(Token::Star) && next_is(Token::Comma) && !kwarg_only) {
            advance();
            kwarg_only = true;
        } else if (!take(Token::Slash)) {
            params.push_back(parse_param(kwarg_only));
        }
        const bool more = take(Token::Comma);
        if (const auto comment = take_type_comment(); comment && !params.empty()) {
            params.back().annotation = parse_embedded(*comment);
        }
        if (!more) break;
    }
    return params;
}

const Stmt* Parser::parse_def(std::vector<const Expr*> decorators) {
    Def def{};
    def.kind = StmtKind::Def;
    def.full_range = decorators.empty() ? current().range : decorators.front()->range;
    expect(Token::Def);
    def.index = tree_.name_count++;
    def.name_range = expect(Token::Name);
    def.name = text(def.name_range);
    def.decorators = tree_.make_span(decorators);
    if (is_python()) parse_type_params();  // annotations of functions are not evaluated
    def.params_range = expect(Token::LeftParen);
    std::vector<Param> params = is_python() ? parse_python_params(Token::RightParen) : parse_params();
    def.params_range = merge(def.params_range, expect(Token::RightParen));
    def.range = merge(def.name_range, def.params_range);
    if (take(Token::Arrow)) {
        def.return_annotation = parse_expression();
        def.range = merge(def.range, def.return_annotation->range);
    }
    // The comment is after the colon or on the first line of the body.
    if (is(Token::Colon)) {
        for (const std::size_t ahead : {std::size_t{1}, std::size_t{2}}) {
            const auto found = type_comments_.find(at_ + ahead);
            if (found == type_comments_.end()) continue;
            const Range comment = found->second;
            type_comments_.erase(found);
            apply_type_comment(def, params, comment);
            break;
        }
    }
    def.params = tree_.make_span(params);
    const bool saw_yield = std::exchange(saw_yield_, false);
    def.is_async = std::exchange(next_is_async_, false);
    const bool was_async = std::exchange(is_async_, def.is_async);
    def.body = parse_block();
    is_async_ = was_async;
    def.is_generator = std::exchange(saw_yield_, saw_yield);
    def.full_range = merge(def.full_range, end_of_block());
    return tree_.make(def);
}

// "(Tensor, int) -> Tensor"; "(...) -> Tensor" when the parameters have their own comments. A method's self has
// none.
void Parser::apply_type_comment(Def& def, std::vector<Param>& params, Range comment) {
    const std::string_view written = text(comment);
    const std::size_t arrow = written.rfind("->");
    const auto part = [&](std::size_t from, std::size_t to) {
        return Range{comment.begin + static_cast<std::uint32_t>(from), comment.begin + static_cast<std::uint32_t>(to)};
    };
    if (arrow == std::string_view::npos) fail("expected '->' in a type comment", comment);
    def.return_annotation = parse_embedded(part(arrow + 2, written.size()));
    const Expr* listed = parse_embedded(part(0, arrow));
    if (listed->kind == ExprKind::Ellipsis) return;
    std::vector<const Expr*> types = {listed};
    const bool is_tuple_type = written.substr(0, arrow).find(',') != std::string_view::npos;
    if (const auto* tuple = as<Tuple>(listed); tuple != nullptr && (is_tuple_type || tuple->elements.empty())) {
        types.assign(tuple->elements.begin(), tuple->elements.end());
    }
    const bool has_self = !params.empty() && params.front().name == "self" && params.size() == types.size() + 1;
    const std::size_t first = has_self ? 1 : 0;
    if (params.size() - first != types.size()) {
        fail(concat("Number of type annotations (", types.size(), ") did not match the number of ",
                    has_self ? "method" : "function", " parameters (", params.size() - first, ")"),
             comment);
    }
    for (std::size_t i = 0; i < types.size(); ++i) params[first + i].annotation = types[i];
}

const Stmt* Parser::parse_class() {
    Class result{};
    result.kind = StmtKind::Class;
    expect(Token::Class);
    result.range = expect(Token::Name);
    result.name = text(result.range);
    if (take(Token::LeftParen)) {
        if (!is(Token::RightParen)) result.base = parse_expression();
        if (is(Token::Comma)) fail("classes with several bases aren't supported", current().range);
        expect(Token::RightParen);
    }
    result.body = parse_block();
    return tree_.make(result);
}

// The last token before the one that follows a block, newlines and dedents left out.
Range Parser::end_of_block() const {
    std::size_t last = at_;
    while (last > 0) {
        const Token kind = tokens_[--last].kind;
        if (kind != Token::Newline && kind != Token::Dedent && kind != Token::Indent) break;
    }
    return tokens_[last].range;
}

std::shared_ptr<const SyntaxTree> parse_source(const std::shared_ptr<const ir::Source>& source, Dialect dialect) {
    auto tree = std::make_shared<SyntaxTree>();
    Parser(source, *tree, tokenize(source, dialect), dialect).parse_file();
    return tree;
}

std::shared_ptr<const SyntaxTree> parse_part(const std::shared_ptr<const ir::Source>& source, Range part) {
    auto tree = std::make_shared<SyntaxTree>();
    Parser parser(source, *tree, tokenize_statements(source, part), Dialect::TorchScript);
    parser.place_strings_as_pytorch();
    parser.parse_file();
    return tree;
}

std::shared_ptr<const SyntaxTree> parse_expression(const std::shared_ptr<const ir::Source>& source) {
    auto tree = std::make_shared<SyntaxTree>();
    const Range all{0, static_cast<std::uint32_t>(source->text().size())};
    Parser parser(source, *tree, tokenize_expression(source, all), Dialect::TorchScript);
    const Expr* value = parser.parse_whole_expression();
    const Stmt* statement = tree->make(ExprStmt{{StmtKind::Expression, value->range}, value});
    tree->body = tree->make_span(std::vector<const Stmt*>{statement});
    return tree;
}

}  // namespace loupe::script
