// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parser's class; its expressions and its statements are in a file each.

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/script/ast.h"
#include "core/script/error.h"
#include "core/script/lexer.h"
#include "core/script/literals.h"
#include "core/script/parser.h"

namespace loupe::script {

class Parser {
  public:
    Parser(std::shared_ptr<const ir::Source> source, SyntaxTree& tree, TokenList tokens, Dialect dialect);

    void parse_file();
    // Strings end where PyTorch takes their end to be: one byte behind the length of their value.
    void place_strings_as_pytorch() { shortens_strings_ = true; }
    const Expr* parse_whole_expression();

  private:
    // Counts how deep the recursive descent is.
    class Deeper {
      public:
        explicit Deeper(Parser& parser) : parser_(parser) {
            if (++parser_.nesting_ > kMaxDepth) parser_.fail("code is nested too deeply", parser_.current().range);
        }
        ~Deeper() { --parser_.nesting_; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;

      private:
        Parser& parser_;
    };

    // Tokens.
    const PlacedToken& current() const { return tokens_[at_]; }
    bool is(Token kind) const { return current().kind == kind; }
    bool next_is(Token kind) const { return at_ + 1 < tokens_.size() && tokens_[at_ + 1].kind == kind; }
    Range advance();
    bool take(Token kind);
    Range expect(Token kind);
    std::string_view text(Range range) const;
    [[noreturn]] void fail(const std::string& message, Range range) const;
    [[noreturn]] void fail_expected(std::string_view what) const;
    // Throws where Python has a more specific message than the expected token.
    void fail_brackets() const;
    void fail_as_python(std::string_view what) const;
    [[noreturn]] void fail_block() const;
    // The type comment before the current token, if any; returned once.
    std::optional<Range> take_type_comment();

    // Expressions.
    const Expr* parse_expression() { return parse_expression(0); }
    const Expr* parse_expression(int precedence);
    const Expr* parse_expression_or_tuple();
    const Expr* parse_target() { return parse_expression(kTargetPrecedence); }
    const Expr* parse_prefix();
    const Expr* parse_negative();
    const Expr* parse_infix(const Expr* left, int precedence, const Expr*& compared);
    const Expr* parse_ternary(const Expr* if_true, Range range);
    const Expr* parse_comprehension(const Expr* element, Range range);
    const Expr* parse_atom();
    const Expr* parse_postfix(const Expr* value);
    const Expr* parse_parenthesised();
    const Expr* parse_list();
    const Expr* parse_dict();
    const Expr* parse_strings();
    const Expr* parse_call(const Expr* callee);
    const Expr* parse_subscript(const Expr* value);
    const Expr* parse_slice_or_index();
    const Expr* parse_embedded(Range part);
    const Expr* format_string(std::string_view body, Range place, Range body_range);
    bool follows_tuple() const;
    const Expr* make_name(Range range);
    const Expr* make_call(const Expr* callee, Range range, std::vector<const Expr*> arguments,
                          const std::vector<Keyword>& keywords);
    const Expr* make_tuple(Range range, const std::vector<const Expr*>& elements);

    // Expressions of Python.
    bool is_python() const { return dialect_ == Dialect::Python; }
    const Expr* parse_named_expression();  // with :=
    const Expr* parse_comparison(const Expr* left);
    const Expr* parse_lambda();
    const Expr* parse_yield();
    const Expr* parse_python_parenthesised();
    const Expr* parse_python_list();
    const Expr* parse_braces();
    const Expr* parse_python_strings();
    bool at_clause() const { return is(Token::For) || (is_async_ && is(Token::Async) && next_is(Token::For)); }
    const Expr* parse_clauses(ComprehensionKind result, const Expr* element, const Expr* value, Range range);
    void parse_arguments(std::vector<const Expr*>& arguments, std::vector<Keyword>& keywords);
    void parse_joined(Range body, bool is_raw, int depth, std::vector<JoinedPart>& parts);
    const Expr* parse_replacement(Range body, std::size_t& at, int depth, std::vector<JoinedPart>& parts);
    const Expr* make_joined(Range range, const std::vector<JoinedPart>& parts);
    const Expr* make_string(Range range, std::string_view value);
    void check_target(const Expr* target) const;
    const Expr* parse_target_list(Token end);
    std::string decoded(std::string_view body, bool is_raw, NumericEscape numeric, Range range) const;

    // Statements.
    const Stmt* parse_statement();
    const Stmt* parse_simple_statement();
    Body parse_block();
    const Stmt* parse_if(Range range);
    const Stmt* parse_while();
    const Stmt* parse_for();
    const Stmt* parse_with();
    const Stmt* parse_def(std::vector<const Expr*> decorators);
    const Stmt* parse_class();
    const Stmt* parse_decorated();
    const Stmt* parse_return();
    const Stmt* parse_assert();
    const Stmt* parse_assignment(const Expr* first);
    const Stmt* finish_assignment(const Expr* first, const Expr* annotation);
    std::vector<Param> parse_params();
    Param parse_param(bool kwarg_only);
    void apply_type_comment(Def& def, std::vector<Param>& params, Range comment);
    [[noreturn]] void fail_unsupported_statement() const;

    // Statements of Python.
    const Stmt* parse_python_simple();
    const Stmt* parse_async(std::vector<const Expr*> decorators);
    std::vector<TypeParam> parse_type_params();
    bool at_type_alias() const;
    const Stmt* parse_type_alias();
    const Stmt* parse_raise();
    const Stmt* parse_import();
    const Stmt* parse_from();
    ImportName parse_import_name(bool is_dotted);
    std::string_view parse_dotted_name();
    const Stmt* parse_try();
    const Stmt* parse_global();
    bool at_match() const;
    const Stmt* parse_match();
    MatchCase parse_case();
    const Pattern* parse_pattern_list();
    const Pattern* parse_pattern();
    const Pattern* parse_or_pattern();
    const Pattern* parse_closed_pattern();
    const Pattern* parse_number_pattern();
    void check_number(std::string_view written, Range range);
    const Pattern* parse_named_pattern();
    const Pattern* parse_star_pattern();
    const Pattern* parse_sequence_pattern(Range from, Token end, bool is_always_sequence);
    const Pattern* parse_mapping_pattern();
    const Pattern* parse_class_pattern(const Expr* cls);
    void bind_pattern(Pattern& pattern, Range name);
    const Stmt* parse_python_for();
    const Stmt* parse_python_with();
    WithItem parse_with_item();
    bool at_parenthesised_with() const;
    const Stmt* parse_python_class(std::vector<const Expr*> decorators, Range from);
    std::vector<Param> parse_python_params(Token end);
    Param parse_python_param(Token end, bool kwarg_only);
    void check_params(const std::vector<Param>& params) const;
    Range end_of_block() const;

    // Nodes.
    template <typename T>
    const Expr* make(T node, std::initializer_list<const Expr*> children, std::span<const Expr* const> more = {});
    template <typename T>
    const Expr* make_constant(T node) {
        node.constant = static_cast<std::uint32_t>(tree_.constants.size());
        tree_.constants.push_back(make(node, {}));
        return tree_.constants.back();
    }
    static Range merge(Range a, Range b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

    static constexpr int kTargetPrecedence = 5;

    std::shared_ptr<const ir::Source> source_;
    std::string_view source_text_;
    SyntaxTree& tree_;
    Dialect dialect_;
    std::vector<PlacedToken> tokens_;
    std::unordered_map<std::size_t, Range> type_comments_;
    std::size_t at_ = 0;
    int nesting_ = 0;
    bool shortens_strings_ = false;
    bool saw_yield_ = false;      // in the function that is being read
    bool is_async_ = false;       // the function that is being read
    bool next_is_async_ = false;  // the function of the next def
};

// Fills kind, depth and, over node.range, the range that spans the children too.
template <typename T>
const Expr* Parser::make(T node, std::initializer_list<const Expr*> children, std::span<const Expr* const> more) {
    int depth = 0;
    const auto include = [&](const Expr* child) {
        if (child == nullptr) return;
        depth = std::max<int>(depth, child->depth);
        node.range = merge(node.range, child->range);
    };
    for (const Expr* child : children) include(child);
    for (const Expr* child : more) include(child);
    if (depth >= static_cast<int>(kMaxChain)) fail("code is nested too deeply", node.range);
    node.kind = T::kKind;
    node.depth = static_cast<std::uint16_t>(depth + 1);
    return tree_.make(node);
}

// A node without fields.
template <ExprKind K>
struct Leaf : Expr {
    static constexpr ExprKind kKind = K;
};

}  // namespace loupe::script
