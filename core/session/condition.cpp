// SPDX-License-Identifier: Apache-2.0
#include "core/session/condition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/python/language/condition.h"
#include "core/script/error.h"
#include "core/tensor/scalar_type.h"

namespace loupe::session {
namespace {

struct Quantity {
    std::string_view name;
    std::string_view meaning;
};

constexpr auto kFields = std::to_array<Quantity>({
    {"nan", "number of NaN elements; alone: there is one"},
    {"inf", "number of infinite elements; alone: there is one"},
    {"zero", "number of zeros"},
    {"min", "least finite element"},
    {"max", "greatest finite element"},
    {"mean", "mean of the finite elements"},
    {"std", "standard deviation"},
    {"var", "variance"},
    {"absmax", "greatest magnitude"},
    {"absmean", "mean magnitude"},
    {"norm", "Euclidean norm"},
    {"count", "number of elements"},
    {"bytes", "size, as in bytes > 1MiB"},
});

bool is_field(std::string_view name) {
    return std::any_of(kFields.begin(), kFields.end(), [name](const Quantity& field) { return field.name == name; });
}

std::string field_names() {
    std::string names;
    for (const Quantity& field : kFields) names += concat(names.empty() ? "" : ", ", field.name);
    return names;
}

bool is_word_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

enum class Comparison { None, Less, Greater, AtMost, AtLeast, Equal, Unequal };

struct Sign {
    std::string_view text;
    Comparison comparison;
};
// The longer ones first.
constexpr auto kSigns = std::to_array<Sign>({{"<=", Comparison::AtMost},
                                             {">=", Comparison::AtLeast},
                                             {"==", Comparison::Equal},
                                             {"!=", Comparison::Unequal},
                                             {"<", Comparison::Less},
                                             {">", Comparison::Greater}});

template <typename T>
bool compares(const T& a, Comparison comparison, const T& b) {
    switch (comparison) {
        case Comparison::Less:
            return a < b;
        case Comparison::Greater:
            return a > b;
        case Comparison::AtMost:
            return a <= b;
        case Comparison::AtLeast:
            return a >= b;
        case Comparison::Equal:
            return a == b;
        case Comparison::Unequal:
            return a != b;
        case Comparison::None:
            break;
    }
    return false;
}

struct Unit {
    std::string_view name;
    double times;
};
constexpr auto kUnits = std::to_array<Unit>({{"", 1},
                                             {"B", 1},
                                             {"k", 1e3},
                                             {"kB", 1e3},
                                             {"KB", 1e3},
                                             {"KiB", 1024},
                                             {"M", 1e6},
                                             {"MB", 1e6},
                                             {"MiB", 1048576},
                                             {"G", 1e9},
                                             {"GB", 1e9},
                                             {"GiB", 1073741824}});

// "10", "-1e-6", "1MiB", "1 MiB".
std::optional<double> parse_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || std::isnan(number)) return std::nullopt;
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    const auto known = std::find_if(kUnits.begin(), kUnits.end(), [unit](const Unit& one) { return one.name == unit; });
    return known == kUnits.end() ? std::nullopt : std::optional(number * known->times);
}

// "1x64x8", "[1, 64, 8]", "(1, 64, 8)", "[]" of a tensor without dimensions.
std::optional<Shape> parse_shape(std::string_view text) {
    if (text.size() >= 2 &&
        ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')')))
        text = text.substr(1, text.size() - 2);
    else if (text.empty())
        return std::nullopt;
    Shape shape;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto skip = [&] {
        while (at != end && *at == ' ') ++at;
    };
    for (skip(); at != end; skip()) {
        std::int64_t size = 0;
        const auto [next, failure] = std::from_chars(at, end, size);
        if (failure != std::errc{}) return std::nullopt;
        shape.push_back(size);
        at = next;
        skip();
        if (at == end) break;
        if (*at != 'x' && *at != ',') return std::nullopt;
        ++at;
    }
    return shape;
}

}  // namespace

struct Condition::Term {
    enum class Kind { Or, And, Not, Field, WholeShape, ShapeAt, Dimensions, Dtype, ShapeDiffers, Variables };
    Kind kind = Kind::Variables;
    std::vector<std::shared_ptr<const Term>> parts = {};
    std::string text = {};  // a field, a dtype, or an expression over variables
    std::size_t begin = 0;  // of the expression, in what was typed
    Comparison comparison = Comparison::None;
    double number = 0;
    Shape shape = {};
    std::int64_t index = 0;

    bool is_over_variables() const { return kind == Kind::Variables; }
    bool any(bool (*test)(const Term&)) const {
        return test(*this) ||
               std::any_of(parts.begin(), parts.end(), [test](const auto& part) { return part->any(test); });
    }
};

namespace {

using Term = Condition::Term;
using TermPtr = std::shared_ptr<const Term>;
using Kind = Term::Kind;

struct Misread {
    ConditionProblem problem;
    bool is_of_expression = false;  // a part that is none of Python's; the whole may be one
};

// Recursive descent over "a or b and not (c)", whose leaves are terms over an output or expressions over variables.
class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    // Null for blank text.
    TermPtr read() {
        const Part whole = trimmed({0, text_.size()});
        if (whole.begin == whole.end) return nullptr;
        TermPtr root;
        try {
            root = read_any(whole);
        } catch (const Misread& misread) {
            if (!misread.is_of_expression) throw;
            return read_variables(whole);  // "a if b or c else d", a lambda: not to be divided
        }
        // All over variables: Python's own and, or and not.
        if (!root->any([](const Term& term) { return term.parts.empty() && !term.is_over_variables(); }))
            return read_variables(whole);
        return root;
    }

  private:
    struct Part {
        std::size_t begin, end;
    };

    std::string_view view(Part part) const { return text_.substr(part.begin, part.end - part.begin); }

    Part trimmed(Part part) const {
        while (part.begin < part.end && text_[part.begin] == ' ') ++part.begin;
        while (part.end > part.begin && text_[part.end - 1] == ' ') --part.end;
        return part;
    }

    [[noreturn]] static void fail(std::string text, Part at) { throw Misread{{std::move(text), at.begin, at.end}}; }

    // What stands between the words, outside parentheses and quotes.
    std::vector<Part> split(Part part, std::string_view word) const {
        std::vector<Part> parts;
        std::size_t from = part.begin;
        int depth = 0;
        char quote = 0;
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const char c = text_[i];
            if (quote != 0) {
                if (c == quote) quote = 0;
                continue;
            }
            if (c == '\'' || c == '"') quote = c;
            if (c == '(' || c == '[' || c == '{') ++depth;
            if (c == ')' || c == ']' || c == '}') --depth;
            if (depth != 0 || text_.substr(i, word.size()) != word || i + word.size() > part.end) continue;
            const bool begins = i == part.begin || !is_word_character(text_[i - 1]);
            const bool ends = i + word.size() == part.end || !is_word_character(text_[i + word.size()]);
            if (!begins || !ends) continue;
            parts.push_back(trimmed({from, i}));
            from = i + word.size();
            i = from - 1;
        }
        parts.push_back(trimmed({from, part.end}));
        for (const Part& one : parts) {
            if (one.begin == one.end && parts.size() > 1)
                fail(concat("a condition is missing beside '", word, "'"), part);
        }
        return parts;
    }

    TermPtr read_parts(Part part, std::string_view word, Kind kind, TermPtr (Reader::*read_one)(Part)) {
        const std::vector<Part> parts = split(part, word);
        if (parts.size() == 1) return (this->*read_one)(parts[0]);
        auto term = std::make_shared<Term>();
        term->kind = kind;
        for (const Part& one : parts) term->parts.push_back((this->*read_one)(one));
        return term;
    }

    TermPtr read_any(Part part) { return read_parts(part, "or", Kind::Or, &Reader::read_all); }
    TermPtr read_all(Part part) { return read_parts(part, "and", Kind::And, &Reader::read_not); }

    TermPtr read_not(Part part) {
        if (const std::string_view text = view(part);
            text.starts_with("not") && text.size() > 3 && !is_word_character(text[3])) {
            auto term = std::make_shared<Term>();
            term->kind = Kind::Not;
            term->parts.push_back(read_not(trimmed({part.begin + 3, part.end})));
            return term;
        }
        if (is_in_parentheses(part)) return read_any(trimmed({part.begin + 1, part.end - 1}));
        return read_leaf(part);
    }

    // Does the parenthesis at the beginning close at the end?
    bool is_in_parentheses(Part part) const {
        if (part.end - part.begin < 3 || text_[part.begin] != '(' || text_[part.end - 1] != ')') return false;
        int depth = 0;
        for (std::size_t i = part.begin; i + 1 < part.end; ++i) {
            depth += text_[i] == '(' ? 1 : text_[i] == ')' ? -1 : 0;
            if (depth == 0) return false;
        }
        return view({part.begin, part.end}).find(',') == std::string_view::npos;  // else a tuple
    }

    TermPtr read_leaf(Part part) {
        std::size_t end = part.begin;
        while (end < part.end && is_word_character(text_[end])) ++end;
        const std::string_view name = view({part.begin, end});
        const bool is_shape = name == "shape", is_dtype = name == "dtype", is_dimensions = name == "ndim";
        // "mean.item()" and "min(x)" are over variables of that name.
        const bool goes_on =
            end < part.end && (text_[end] == '(' || text_[end] == '.' || (text_[end] == '[' && !is_shape));
        if (goes_on || !(is_field(name) || is_shape || is_dtype || is_dimensions)) return read_variables(part);
        auto term = std::make_shared<Term>();
        term->kind = is_shape        ? Kind::WholeShape
                     : is_dtype      ? Kind::Dtype
                     : is_dimensions ? Kind::Dimensions
                                     : Kind::Field;
        term->text = std::string(name);
        if (is_shape && end < part.end && text_[end] == '[') end = read_index(*term, {end, part.end});
        const Part left = trimmed({end, part.end});
        if (is_shape && view(left) == "differs") {
            term->kind = Kind::ShapeDiffers;
            return term;
        }
        if (left.begin == left.end) {
            if (term->kind != Kind::Field)
                fail(concat("compare ", name, " with something: ",
                            is_dtype        ? "dtype == float16"
                            : is_dimensions ? "ndim == 2"
                                            : "shape == 1x64x8x8, shape[0] == 4, or shape differs"),
                     part);
            return term;
        }
        const auto sign = std::find_if(kSigns.begin(), kSigns.end(),
                                       [&](const Sign& one) { return view(left).starts_with(one.text); });
        if (sign == kSigns.end())
            fail(view(left).starts_with("=") ? "'=' gives a value; '==' compares"
                                             : concat("a comparison is missing: one of <, >, <=, >=, ==, !="),
                 left);
        term->comparison = sign->comparison;
        read_operand(*term, trimmed({left.begin + sign->text.size(), left.end}), part);
        return term;
    }

    // "[0]", "[-1]"; gives where it ends.
    std::size_t read_index(Term& term, Part part) const {
        const std::size_t close = text_.find(']', part.begin);
        if (close == std::string_view::npos || close >= part.end) fail("']' is missing", part);
        const Part inside = trimmed({part.begin + 1, close});
        const char* const last = text_.data() + inside.end;
        const auto [end, failure] = std::from_chars(text_.data() + inside.begin, last, term.index);
        if (failure != std::errc{} || end != last)
            fail(concat("'", view(inside), "' is no dimension; write shape[0], or shape[-1] for the last"),
                 {part.begin, close + 1});
        term.kind = Kind::ShapeAt;
        return close + 1;
    }

    void read_operand(Term& term, Part part, Part whole) const {
        const std::string_view text = view(part);
        if (text.empty()) fail("what to compare with is missing", whole);
        if (term.kind == Kind::Dtype) {
            std::string_view name = text;
            if (name.size() > 2 && (name.front() == '\'' || name.front() == '"') && name.back() == name.front())
                name = name.substr(1, name.size() - 2);
            if (name.starts_with("torch.")) name.remove_prefix(6);
            if (!dtype_from_name(name)) fail(concat("'", text, "' is no dtype"), part);
            if (term.comparison != Comparison::Equal && term.comparison != Comparison::Unequal)
                fail("dtypes are equal or not: == or !=", whole);
            term.text = std::string(dtype_name(*dtype_from_name(name)));
            return;
        }
        if (term.kind == Kind::WholeShape) {
            const auto shape = parse_shape(text);
            if (!shape) fail(concat("'", text, "' is no shape; write 1x64x8x8 or [1, 64, 8, 8]"), part);
            if (term.comparison != Comparison::Equal && term.comparison != Comparison::Unequal)
                fail("shapes are equal or not: == or !=", whole);
            term.shape = *shape;
            return;
        }
        const auto number = parse_number(text);
        if (!number) fail(concat("'", text, "' is no number; write one like 10, 1e-6 or 1MiB"), part);
        term.number = *number;
    }

    TermPtr read_variables(Part part) const {
        auto term = std::make_shared<Term>();
        term->text = std::string(view(part));
        term->begin = part.begin;
        try {
            python::check_expression(term->text);
        } catch (const script::CompileError& error) {
            const std::size_t begin =
                std::min(part.begin + (error.range().start > 0 ? error.range().start - 1 : 0), part.end);
            const std::size_t end =
                std::min(part.begin + (error.range().end > 0 ? error.range().end - 1 : 0), part.end);
            const Part at = begin < end ? Part{begin, end} : part;
            throw Misread{{error.message(), at.begin, at.end}, true};
        } catch (const Error& error) {
            throw Misread{{error.message(), part.begin, part.end}, true};
        }
        return term;
    }

    std::string_view text_;
};

bool holds_of(const Term& term, const ConditionFacts& facts) {
    const auto part_holds = [&](const TermPtr& part) { return holds_of(*part, facts); };
    switch (term.kind) {
        case Kind::Or:
            return std::any_of(term.parts.begin(), term.parts.end(), part_holds);
        case Kind::And:
            return std::all_of(term.parts.begin(), term.parts.end(), part_holds);
        case Kind::Not:
            return !part_holds(term.parts[0]);
        case Kind::Variables:
            return facts.holds && facts.holds(term.text);
        default:
            break;
    }
    if (facts.output == nullptr) return false;
    const Shape& shape = facts.output->shape;
    switch (term.kind) {
        case Kind::Field: {
            const auto field = value_field(*facts.output, term.text);
            if (!field) return false;
            return term.comparison == Comparison::None ? *field != 0 : compares(*field, term.comparison, term.number);
        }
        case Kind::WholeShape:
            return (shape == term.shape) == (term.comparison == Comparison::Equal);
        case Kind::ShapeAt: {
            const auto dimensions = static_cast<std::int64_t>(shape.size());
            const std::int64_t at = term.index < 0 ? term.index + dimensions : term.index;
            return at >= 0 && at < dimensions &&
                   compares(static_cast<double>(shape[static_cast<std::size_t>(at)]), term.comparison, term.number);
        }
        case Kind::Dimensions:
            return compares(static_cast<double>(shape.size()), term.comparison, term.number);
        case Kind::Dtype:
            return (facts.output->dtype == term.text) == (term.comparison == Comparison::Equal);
        case Kind::ShapeDiffers:
            return facts.shape_before != nullptr && *facts.shape_before != shape;
        default:
            return false;
    }
}

bool is_of_output(const Term& term) { return term.parts.empty() && !term.is_over_variables(); }
bool is_of_variables(const Term& term) { return term.parts.empty() && term.is_over_variables(); }

void collect_expressions(const Term& term, std::vector<const Term*>& out) {
    if (is_of_variables(term)) out.push_back(&term);
    for (const TermPtr& part : term.parts) collect_expressions(*part, out);
}

// What Python has without being asked for.
constexpr std::array kBuiltins = std::to_array<std::string_view>(
    {"abs",      "all",   "any",     "bool",       "dict",   "enumerate", "float",  "getattr",
     "hasattr",  "id",    "int",     "isinstance", "len",    "list",      "max",    "min",
     "range",    "repr",  "round",   "self",       "set",    "sorted",    "str",    "sum",
     "torch",    "tuple", "type",    "zip",        "nan",    "inf",       "bin",    "bytes",
     "callable", "chr",   "complex", "dir",        "divmod", "filter",    "format", "frozenset",
     "globals",  "hash",  "hex",     "issubclass", "iter",   "locals",    "map",    "next",
     "object",   "oct",   "ord",     "pow",        "print",  "reversed",  "slice",  "vars"});

bool holds_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || !is_word_character(text[at - 1]);
        const bool ends = at + word.size() == text.size() || !is_word_character(text[at + word.size()]);
        if (begins && ends) return true;
    }
    return false;
}

// Why the variables of a term cannot be asked for; empty when they can.
ConditionProblem check_variables(const Term& term, const Breakpoint& breakpoint, const ModelInfo* model) {
    ConditionProblem problem{{}, term.begin, term.begin + term.text.size()};
    std::string_view name = term.text;
    while (!name.empty() && !is_word_character(name.back())) name.remove_suffix(1);
    const auto end = std::find_if(name.begin(), name.end(), [](char c) { return !is_word_character(c); });
    const std::string first(name.begin(), end);
    const std::string no_quantity = first.empty() ? std::string()
                                                  : concat("'", first, "' is no quantity of an output: there are ",
                                                           field_names(), ", shape, ndim, dtype");
    if (breakpoint.kind != Breakpoint::Kind::Line) {
        problem.text = concat(no_quantity.empty() ? "this asks for nothing that an operator made" : no_quantity,
                              ". Variables of a model source can be asked for at its lines");
        return problem;
    }
    if (model == nullptr) return {};
    const auto source = std::find_if(model->sources.begin(), model->sources.end(),
                                     [&](const SourceFile& file) { return file.name == breakpoint.text; });
    const bool is_source = source != model->sources.end() && source->is_editable;
    if (source != model->sources.end() && !(is_source && model->form == ModelForm::Evaluated)) {
        problem.text = concat(
            no_quantity, ". Variables can be asked for where the lines themselves run: ",
            is_source ? "this model runs scripted or traced" : "this file is a graph that was saved, not a .py source");
        return problem;
    }
    if (source == model->sources.end()) return {};
    const std::vector<std::string> words = python::names_in(term.text);
    if (words.empty()) return {};
    const auto known = python::names_at(source->text, breakpoint.line);
    for (const std::string& word : words) {
        if (std::find(kBuiltins.begin(), kBuiltins.end(), word) != kBuiltins.end()) continue;
        const bool is_in_source = holds_word(source->text, word);
        if (known ? known->contains(word) : is_in_source) continue;
        const std::string file = breakpoint.text.substr(breakpoint.text.rfind('/') + 1);
        const std::string_view what = is_in_source ? "' has no value at line " : "' is neither a name in ";
        problem.text =
            concat("'", word, what, is_in_source ? concat(breakpoint.line, " of ", file) : file,
                   is_in_source ? ": the function there gives it none, nor does the file; and it is no" : " nor a",
                   " quantity of an output (", field_names(), ", shape, ndim, dtype)");
        if (const auto at = term.text.find(word); at != std::string::npos)
            problem = {problem.text, term.begin + at, term.begin + at + word.size()};
        return problem;
    }
    return {};
}

}  // namespace

Condition::Condition(std::string_view text) {
    try {
        root_ = Reader(text).read();
    } catch (const Misread& misread) {
        throw Error(ErrorKind::Usage, concat("'", text, "' is no condition: ", misread.problem.text));
    }
}

bool Condition::needs_output() const { return root_ != nullptr && root_->any(is_of_output); }
bool Condition::needs_variables() const { return root_ != nullptr && root_->any(is_of_variables); }
bool Condition::holds(const ConditionFacts& facts) const { return root_ == nullptr || holds_of(*root_, facts); }

ConditionProblem check_condition(const Breakpoint& breakpoint, const ModelInfo* model) {
    try {
        const TermPtr root = Reader(breakpoint.condition).read();
        if (root == nullptr) return {};
        if (breakpoint.kind == Breakpoint::Kind::Phase) {
            return {
                "Where a phase begins no operator has made anything yet: leave the condition empty, or break at an "
                "operator *",
                0, breakpoint.condition.size()};
        }
        std::vector<const Term*> expressions;
        collect_expressions(*root, expressions);
        for (const Term* term : expressions) {
            if (ConditionProblem problem = check_variables(*term, breakpoint, model); !problem.text.empty())
                return problem;
        }
        return {};
    } catch (const Misread& misread) {
        return misread.problem;
    }
}

std::vector<ConditionWord> condition_words() {
    std::vector<ConditionWord> words;
    for (const Quantity& field : kFields) words.push_back({std::string(field.name), std::string(field.meaning)});
    for (const auto& [text, meaning] : {std::pair{"shape differs", "from what the operator gave when it ran before"},
                                        {"shape == ", "as in shape == 1x64x8x8"},
                                        {"shape[0] == ", "one size of it"},
                                        {"ndim == ", "number of dimensions"},
                                        {"dtype == ", "as in dtype == float16"},
                                        {"and", ""},
                                        {"or", ""},
                                        {"not", ""}}) {
        words.push_back({text, meaning});
    }
    return words;
}

std::vector<std::string> variable_names(const std::string& source) {
    static const std::set<std::string, std::less<>> kKeywords{
        "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
        "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
        "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
        "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
    std::set<std::string> names;
    std::size_t i = 0;
    while (i < source.size()) {
        const char c = source[i];
        if (c == '#') {
            i = std::min(source.find('\n', i), source.size());
        } else if (c == '"' || c == '\'') {
            const std::string quote =
                source.compare(i, 3, std::string(3, c)) == 0 ? std::string(3, c) : std::string(1, c);
            const std::size_t end = source.find(quote, i + quote.size());
            i = end == std::string::npos ? source.size() : end + quote.size();
        } else if (is_word_character(c)) {
            const std::size_t begin = i;
            while (i < source.size() && is_word_character(source[i])) ++i;
            std::size_t next = i;
            while (next < source.size() && source[next] == ' ') ++next;
            const bool is_attribute = begin > 0 && source[begin - 1] == '.';
            const bool is_called = next < source.size() && source[next] == '(';
            const std::string word = source.substr(begin, i - begin);
            const bool is_number = std::isdigit(static_cast<unsigned char>(c)) != 0;
            if (!is_attribute && !is_called && !is_number && !kKeywords.contains(word)) names.insert(word);
        } else {
            ++i;
        }
    }
    return {names.begin(), names.end()};
}

std::vector<std::string> variable_names(const std::string& source, int line) {
    std::vector<std::string> names = variable_names(source);
    if (const auto known = python::names_at(source, line))
        std::erase_if(names, [&](const std::string& name) { return !known->contains(name); });
    return names;
}

std::optional<double> value_field(const Value& value, std::string_view field) {
    if (field == "bytes") return static_cast<double>(value.bytes);
    if (!value.statistics) return std::nullopt;
    const Statistics& s = *value.statistics;
    if (field == "nan") return static_cast<double>(s.nan_count);
    if (field == "inf") return static_cast<double>(s.inf_count);
    if (field == "zero") return static_cast<double>(s.zero_count);
    if (field == "count") return static_cast<double>(s.count);
    if (!s.finite) return std::nullopt;
    if (field == "min") return s.finite->min;
    if (field == "max") return s.finite->max;
    if (field == "mean") return s.finite->mean;
    if (field == "std") return s.finite->standard_deviation();
    if (field == "var") return s.finite->variance;
    if (field == "absmax") return s.finite->abs_max;
    if (field == "absmean") return s.finite->abs_mean;
    if (field == "norm") return s.finite->norm;
    return std::nullopt;
}

}  // namespace loupe::session
