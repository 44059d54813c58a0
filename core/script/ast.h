// SPDX-License-Identifier: Apache-2.0
#pragma once
// The syntax tree of Python source. Nodes live in the arena of their SyntaxTree and are never changed. Nodes below
// "of Python" do not occur in a tree that was parsed as TorchScript.

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace loupe::script {

// Bytes [begin, end) of the source.
struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

enum class ExprKind : std::uint8_t {
    Name,
    Number,
    String,
    True,
    False,
    None,
    Ellipsis,
    Attribute,
    Call,
    Subscript,
    Slice,
    Unary,
    Binary,
    Ternary,
    Tuple,
    List,
    Dict,
    ListComp,
    DictComp,
    Starred,
    // of Python
    Lambda,
    Comparison,
    Set,
    Comprehension,
    JoinedString,
    Bytes,
    NamedExpr,
    Yield,
};

// An operator of an expression or of an augmented assignment.
enum class OperatorKind : std::uint8_t {
    Add,
    Sub,
    Mul,
    MatMul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    LeftShift,
    RightShift,
    BitAnd,
    BitOr,
    BitXor,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    Is,
    IsNot,
    In,
    And,
    Or,
    Not,
    Invert,
    Negate,
};

struct Expr {
    ExprKind kind;
    std::uint16_t depth = 1;  // of the tree under it
    Range range;
};

// `node` as the struct of its kind, or null.
template <typename T>
const T* as(const Expr* node) {
    return node != nullptr && node->kind == T::kKind ? static_cast<const T*>(node) : nullptr;
}

// A place where a name is bound or read, numbered in the tree: an index into tables of resolved names.
using NameIndex = std::uint32_t;

struct Name : Expr {
    static constexpr ExprKind kKind = ExprKind::Name;
    std::string_view id;
    NameIndex index = 0;
};

// As written, without underscores; a leading "-" when a minus was folded into it.
struct Number : Expr {
    static constexpr ExprKind kKind = ExprKind::Number;
    std::string_view text;
    std::uint32_t constant = 0;  // numbers and strings are counted through the tree
};

// Adjacent literals are joined, escapes decoded.
struct String : Expr {
    static constexpr ExprKind kKind = ExprKind::String;
    std::string_view value;
    std::uint32_t constant = 0;
};

struct Attribute : Expr {
    static constexpr ExprKind kKind = ExprKind::Attribute;
    const Expr* object;
    std::string_view name;
};

// Of Python: `**value` has no name.
struct Keyword {
    std::string_view name;
    const Expr* value;
    Range range;
};

struct Call : Expr {
    static constexpr ExprKind kKind = ExprKind::Call;
    const Expr* callee;
    std::span<const Expr* const> arguments;
    std::span<const Keyword> keywords;
};

struct Subscript : Expr {
    static constexpr ExprKind kKind = ExprKind::Subscript;
    const Expr* value;
    std::span<const Expr* const> indices;
};

// Each may be null.
struct Slice : Expr {
    static constexpr ExprKind kKind = ExprKind::Slice;
    const Expr* start;
    const Expr* stop;
    const Expr* step;
};

struct Unary : Expr {
    static constexpr ExprKind kKind = ExprKind::Unary;
    OperatorKind op;
    const Expr* operand;
};

struct Binary : Expr {
    static constexpr ExprKind kKind = ExprKind::Binary;
    OperatorKind op;
    const Expr* left;
    const Expr* right;
};

struct Ternary : Expr {
    static constexpr ExprKind kKind = ExprKind::Ternary;
    const Expr* condition;
    const Expr* if_true;
    const Expr* if_false;
};

struct Tuple : Expr {
    static constexpr ExprKind kKind = ExprKind::Tuple;
    std::span<const Expr* const> elements;
};

struct List : Expr {
    static constexpr ExprKind kKind = ExprKind::List;
    std::span<const Expr* const> elements;
};

// Of Python: `**value` has a null key.
struct Dict : Expr {
    static constexpr ExprKind kKind = ExprKind::Dict;
    std::span<const Expr* const> keys;
    std::span<const Expr* const> values;
};

struct ListComp : Expr {
    static constexpr ExprKind kKind = ExprKind::ListComp;
    const Expr* element;
    const Expr* target;
    const Expr* iterable;
};

struct DictComp : Expr {
    static constexpr ExprKind kKind = ExprKind::DictComp;
    const Expr* key;
    const Expr* value;
    const Expr* target;
    const Expr* iterable;
};

struct Starred : Expr {
    static constexpr ExprKind kKind = ExprKind::Starred;
    const Expr* value;
};

struct NegatedFlag {
    bool value;
};

// a < b < c: operands a, b, c. Two operands make a Binary.
struct Comparison : Expr {
    static constexpr ExprKind kKind = ExprKind::Comparison;
    std::span<const Expr* const> operands;
    std::span<const OperatorKind> operators;
    std::span<const NegatedFlag> negated;  // `not in`
};

struct Set : Expr {
    static constexpr ExprKind kKind = ExprKind::Set;
    std::span<const Expr* const> elements;
};

struct ComprehensionClause {
    const Expr* target;
    const Expr* iterable;
    std::span<const Expr* const> conditions;
};

enum class ComprehensionKind : std::uint8_t { List, Set, Dict, Generator };

struct Comprehension : Expr {
    static constexpr ExprKind kKind = ExprKind::Comprehension;
    ComprehensionKind result;
    const Expr* element;  // of a dict, the key
    const Expr* value;    // of a dict; null otherwise
    std::span<const ComprehensionClause> clauses;
};

// A part of an f-string: text, then the value after it.
struct JoinedPart {
    std::string_view text;
    const Expr* value;   // null at the end
    char conversion;     // 'r', 's', 'a'; 0 for none
    const Expr* format;  // a String or JoinedString; null for none
};

struct JoinedString : Expr {
    static constexpr ExprKind kKind = ExprKind::JoinedString;
    std::span<const JoinedPart> parts;
};

struct Bytes : Expr {
    static constexpr ExprKind kKind = ExprKind::Bytes;
    std::string_view value;
};

struct NamedExpr : Expr {
    static constexpr ExprKind kKind = ExprKind::NamedExpr;
    const Name* target;
    const Expr* value;
};

struct Yield : Expr {
    static constexpr ExprKind kKind = ExprKind::Yield;
    const Expr* value;  // may be null
    bool is_from;
};

enum class StmtKind : std::uint8_t {
    Expression,
    Assign,
    AugAssign,
    If,
    While,
    For,
    With,
    Return,
    Raise,
    Assert,
    Break,
    Continue,
    Pass,
    Delete,
    Def,
    Class,
    // of Python
    Import,
    ImportFrom,
    Try,
    Global,
    Nonlocal,
    Match,
};

struct Stmt {
    StmtKind kind;
    Range range;
};

template <typename T>
const T* as(const Stmt* node) {
    return node != nullptr && node->kind == T::kKind ? static_cast<const T*>(node) : nullptr;
}

using Body = std::span<const Stmt* const>;

struct ExprStmt : Stmt {
    static constexpr StmtKind kKind = StmtKind::Expression;
    const Expr* value;
};

// a = b = value; a : T = value; a : T (then value is null).
struct Assign : Stmt {
    static constexpr StmtKind kKind = StmtKind::Assign;
    std::span<const Expr* const> targets;
    const Expr* value;
    const Expr* annotation;
};

struct AugAssign : Stmt {
    static constexpr StmtKind kKind = StmtKind::AugAssign;
    const Expr* target;
    OperatorKind op;
    const Expr* value;
};

struct If : Stmt {
    static constexpr StmtKind kKind = StmtKind::If;
    const Expr* condition;
    Body if_true;
    Body if_false;
};

struct While : Stmt {
    static constexpr StmtKind kKind = StmtKind::While;
    const Expr* condition;
    Body body;
    Body orelse = {};  // of Python
};

struct For : Stmt {
    static constexpr StmtKind kKind = StmtKind::For;
    std::span<const Expr* const> targets;
    std::span<const Expr* const> iterables;
    Body body;
    Body orelse = {};  // of Python
};

struct WithItem {
    const Expr* context;
    const Name* target;  // may be null
    Range range;
    const Expr* binding = nullptr;  // of Python: the target, whatever it is
};

struct With : Stmt {
    static constexpr StmtKind kKind = StmtKind::With;
    std::span<const WithItem> items;
    Body body;
};

struct Return : Stmt {
    static constexpr StmtKind kKind = StmtKind::Return;
    const Expr* value;  // None when omitted
};

struct Raise : Stmt {
    static constexpr StmtKind kKind = StmtKind::Raise;
    const Expr* value;            // of Python: null to raise again
    const Expr* cause = nullptr;  // of Python
};

struct Assert : Stmt {
    static constexpr StmtKind kKind = StmtKind::Assert;
    const Expr* condition;
    const Expr* message;  // may be null
};

struct Break : Stmt {
    static constexpr StmtKind kKind = StmtKind::Break;
};
struct Continue : Stmt {
    static constexpr StmtKind kKind = StmtKind::Continue;
};
struct Pass : Stmt {
    static constexpr StmtKind kKind = StmtKind::Pass;
};

struct Delete : Stmt {
    static constexpr StmtKind kKind = StmtKind::Delete;
    std::span<const Expr* const> targets;
};

enum class ParamKind : std::uint8_t { Plain, Rest, KeywordRest };  // x, *x, **x

struct Param {
    std::string_view name;
    const Expr* annotation;     // may be null
    const Expr* default_value;  // may be null
    bool kwarg_only;
    Range range;
    ParamKind kind = ParamKind::Plain;  // of Python: the others too
    bool positional_only = false;
    NameIndex index = 0;
};

struct Def : Stmt {
    static constexpr StmtKind kKind = StmtKind::Def;
    std::string_view name;
    Range name_range;
    Range params_range;
    std::span<const Param> params;
    const Expr* return_annotation;  // may be null
    Body body;
    std::span<const Expr* const> decorators;
    Range full_range = {};  // from the first decorator to the end of the body
    NameIndex index = 0;
    bool is_generator = false;
    bool is_async = false;  // parsed; calling one is an error
};

// T of `class Stack[T]:`.
struct TypeParam {
    std::string_view name;
    NameIndex index = 0;
};

struct Class : Stmt {
    static constexpr StmtKind kKind = StmtKind::Class;
    std::string_view name;
    const Expr* base;  // may be null
    Body body;
    std::span<const Expr* const> bases = {};  // of Python: all of them
    std::span<const Keyword> keywords = {};
    std::span<const Expr* const> decorators = {};
    std::span<const TypeParam> type_params = {};
    Range full_range = {};
    NameIndex index = 0;
};

struct Lambda : Expr {
    static constexpr ExprKind kKind = ExprKind::Lambda;
    std::span<const Param> params;
    const Expr* body;
    bool is_generator = false;
};

// `import a.b as c`, or one name of `from a import b as c`.
struct ImportName {
    std::string_view name;   // "a.b"; "*"
    std::string_view bound;  // "c"; "a" for `import a.b`
    bool has_alias;
    Range range;
    NameIndex index;
};

struct Import : Stmt {
    static constexpr StmtKind kKind = StmtKind::Import;
    std::span<const ImportName> names;
};

struct ImportFrom : Stmt {
    static constexpr StmtKind kKind = StmtKind::ImportFrom;
    std::string_view module;
    std::size_t level;  // of leading dots
    std::span<const ImportName> names;
};

struct ExceptHandler {
    const Expr* type;       // null: all exceptions
    std::string_view name;  // empty: none
    NameIndex index;
    Body body;
    Range range;
};

struct Try : Stmt {
    static constexpr StmtKind kKind = StmtKind::Try;
    Body body;
    std::span<const ExceptHandler> handlers;
    Body orelse;
    Body final_body;
};

struct Global : Stmt {
    static constexpr StmtKind kKind = StmtKind::Global;
    std::span<const std::string_view> names;
};

struct Nonlocal : Stmt {
    static constexpr StmtKind kKind = StmtKind::Nonlocal;
    std::span<const std::string_view> names;
};

enum class PatternKind : std::uint8_t {
    Any,       // _
    Capture,   // a name
    Value,     // a literal or a dotted name: equal
    Constant,  // None, True, False: the same
    Sequence,
    Star,  // *rest, in a sequence; nameless for *_
    Mapping,
    Class,
    Or,
};

struct Pattern {
    PatternKind kind;
    Range range;
    std::string_view name = {};  // the bound name, of any kind (`as`); empty for none
    NameIndex index = 0;
    const Expr* value = nullptr;                      // of Value and Constant; of Class the class
    std::span<const Pattern* const> patterns = {};    // of Class the positional ones, then one per keyword
    std::span<const Expr* const> keys = {};           // of Mapping
    std::span<const std::string_view> keywords = {};  // of Class
    bool has_rest = false;                            // of Mapping: **rest, which is its name
};

struct MatchCase {
    const Pattern* pattern;
    const Expr* guard;  // may be null
    Body body;
    Range range;
};

struct Match : Stmt {
    static constexpr StmtKind kKind = StmtKind::Match;
    const Expr* subject;
    std::span<const MatchCase> cases;
};

// From the statement's first byte to the last of its last block; its own range is that of its first line.
Range full_range(const Stmt& statement);

// Owns the nodes of one source, and generated texts; other texts point into the source.
class SyntaxTree {
  public:
    template <typename T>
    T* make(T node) {
        static_assert(std::is_trivially_destructible_v<T>);
        return new (arena_.allocate(sizeof(T), alignof(T))) T(node);
    }
    template <typename T>
    std::span<const T> make_span(const std::vector<T>& items) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (items.empty()) return {};
        T* copy = static_cast<T*>(arena_.allocate(items.size() * sizeof(T), alignof(T)));
        std::uninitialized_copy(items.begin(), items.end(), copy);
        return {copy, items.size()};
    }
    std::string_view make_text(std::string_view text) {
        if (text.empty()) return {};
        char* copy = static_cast<char*>(arena_.allocate(text.size(), 1));
        text.copy(copy, text.size());
        return {copy, text.size()};
    }

    Body body;  // of the whole source
    NameIndex name_count = 0;
    std::vector<const Expr*> constants;  // numbers and strings, each at its index

  private:
    std::pmr::monotonic_buffer_resource arena_{4096};
};

}  // namespace loupe::script
