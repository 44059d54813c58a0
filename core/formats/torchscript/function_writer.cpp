// SPDX-License-Identifier: Apache-2.0
#include "core/formats/torchscript/function_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

using ir::Block;
using ir::Value;
namespace prim = ir::prim;

[[noreturn]] void refuse(std::string what) { throw Error(ErrorKind::Unsupported, std::move(what)); }

constexpr std::array<std::string_view, 48> kReserved = {
    "_",      "as",      "aten",     "attribute", "CONSTANTS", "fork",   "getattr",       "inf",
    "nan",    "infj",    "nanj",     "ops",       "and",       "assert", "async",         "await",
    "break",  "class",   "continue", "def",       "del",       "elif",   "else",          "except",
    "False",  "finally", "for",      "from",      "global",    "if",     "import",        "in",
    "is",     "lambda",  "None",     "nonlocal",  "not",       "or",     "pass",          "raise",
    "return", "True",    "try",      "with",      "while",     "yield",  "uninitialized", "unchecked_cast"};

bool is_reserved(std::string_view name) {
    return name == "__torch__" || std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string as_identifier(std::string_view name) {
    std::string out;
    if (name.empty() || is_digit(name[0])) out += '_';
    for (const char c : name) out += is_letter(c) || is_digit(c) ? c : '_';
    return out;
}

// "x" of "x.12".
std::string_view name_base(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const bool is_numbered = dot != std::string_view::npos && dot > 0 && dot + 1 < name.size() &&
                             std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(), is_digit);
    return is_numbered ? name.substr(0, dot) : name;
}

std::int64_t version_of(std::string_view operator_name) {
    struct Changed {
        std::string_view name;
        std::int64_t version;
    };
    static constexpr std::array kChanged = {Changed{"aten::div", 4},      Changed{"aten::div_", 4},
                                            Changed{"aten::full", 5},     Changed{"aten::linspace", 8},
                                            Changed{"aten::logspace", 9}, Changed{"aten::gelu", 10},
                                            Changed{"aten::gelu_", 10}};
    const auto found =
        std::find_if(kChanged.begin(), kChanged.end(), [&](const Changed& c) { return c.name == operator_name; });
    return found == kChanged.end() ? 3 : found->version;
}

std::string float_text(double value) {
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    if (std::isnan(value)) return "nan";
    return constant_text(value);
}

bool is_union(const Type& type) { return type.kind() == TypeKind::Union || type.kind() == TypeKind::Optional; }

bool has_own_type(const Type& type) {
    return !is_union(type) && type.kind() != TypeKind::Any && type.kind() != TypeKind::Interface &&
           type.kind() != TypeKind::Number;
}

// isinstance in a condition would refine types that the graph has refined already.
bool may_stand_inline(const Value& value) {
    const ir::Node& node = *value.node();
    if (node.outputs().size() != 1 || value.uses().size() != 1 || node.block_count() > 0) return false;
    const ir::Use& use = value.uses().front();
    if (value.has_name() && use.user->kind() != prim::Return) return false;
    if (use.user->kind() == prim::Loop && use.offset >= 2) return false;
    return use.user->kind() != prim::fork && node.kind() != prim::isinstance &&
           node.kind() != prim::ModuleContainerIndex && node.kind() != prim::Enter && node.kind() != prim::Exit &&
           node.kind() != prim::fork;
}

const ir::Node* before(const ir::Node& node) {
    const ir::Node* at = node.prev();
    while (at->kind() == prim::Constant) at = at->prev();
    return at;
}

// Constant true: an iteration that runs to its count, `for`.
struct LoopShape {
    bool is_always = false;  // the condition never ends it
    bool has_count = false;
};

LoopShape shape_of(const ir::Node& node) {
    const auto is_true = [](const Value* value) {
        const auto known = ir::constant_of(value);
        return known && known->is_bool() && known->to_bool();
    };
    const Block& body = *node.block_at(0);
    const auto count = ir::constant_of(node.input(0));
    LoopShape shape;
    shape.is_always = is_true(node.input(1)) && is_true(body.outputs()[0]);
    shape.has_count = !count || !count->is_int() || count->to_int() != std::numeric_limits<std::int64_t>::max() ||
                      body.inputs()[0]->has_uses();
    return shape;
}

bool says_default(const Argument& argument, const Value* value) {
    if (!argument.default_value) return false;
    const auto given = ir::constant_of(value);
    return given && given->tag() == argument.default_value->tag() && values_equal(*given, *argument.default_value);
}

}  // namespace

bool is_code_identifier(std::string_view name) {
    if (name.empty() || !is_letter(name[0]) || is_reserved(name)) return false;
    return std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

void FunctionWriter::Text::add(const Text& more) {
    for (const ir::GeneratedFrom& place : more.places) places.push_back({text.size() + place.offset, place.range});
    text += more.text;
}

std::string FunctionWriter::write() {
    const ir::Graph& graph = *function_.graph();
    begin_line();
    write_head();
    scan(*graph.block());
    write_body(*graph.block());
    return out_.text;
}

void FunctionWriter::write_head() {
    const ir::Graph& graph = *function_.graph();
    const FunctionSchema& schema = function_.schema();
    out_.add(concat("def ", function_.name(), "("));
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        const Argument& argument = schema.arguments.at(i);
        const std::string variable =
            new_name(argument.name.empty() ? concat("argument_", i) : as_identifier(argument.name));
        const std::string type = annotation(*argument.type);
        if (i > 0) out_.add(",\n    ");
        out_.add(i == 0 && first_ == FirstArgument::Bare ? variable : concat(variable, ": ", type));
        if (argument.default_value) out_.add(concat("=", constant(*argument.default_value)));
        names_[graph.inputs()[i]] = {variable, {}};
    }
    const std::string result = schema.returns.size() == 1 ? annotation(*schema.returns[0].type) : "NoneType";
    out_.add(concat(") -> ", result, ":\n"));
}

void FunctionWriter::write_body(const Block& body) {
    ++indent_;
    write_constants(body);
    write_block(body, true);
    write_node(*body.return_node());
    --indent_;
}

// Constants are inlined at their uses; long ones are at the top in the order of their first use.
void FunctionWriter::write_constants(const Block& body) {
    const auto visit_uses = [this](const ir::Node& node) {
        for (const Value* input : node.inputs()) {
            const bool is_new =
                input->node()->kind() == prim::Constant && !names_.contains(input) && !expressions_.contains(input);
            if (is_new) write_expression_node(*input->node());
        }
    };
    for (const ir::Node* node : body.nodes()) {
        visit_uses(*node);
        for (std::size_t i = 0; i < node->block_count(); ++i) write_constants(*node->block_at(i));
    }
    visit_uses(*body.return_node());
}

// --- inlined expressions ---

void FunctionWriter::scan(const Block& block) {
    scan(*block.return_node());
    for (const ir::Node* node = block.return_node()->prev(); node != block.param_node(); node = node->prev())
        scan(*node);
}

// Looks from the node backwards, its last input first: as long as the nodes stand in the order in which an expression
// of them is evaluated, they may be one. Returns the node before the first of them.
const ir::Node* FunctionWriter::scan(const ir::Node& node) {
    if (inlined_.contains(&node)) return &node;
    for (std::size_t i = 0; i < node.block_count(); ++i) scan(*node.block_at(i));
    if (node.kind() == prim::fork) scan(*node.g(ir::attr::Subgraph)->block());
    const ir::Node* point = before(node);
    for (std::size_t i = node.inputs().size(); i-- > 0;) point = scan(point, *node.input(i));
    return point;
}

const ir::Node* FunctionWriter::scan(const ir::Node* point, const Value& value) {
    const ir::Node* node = value.node();
    if (node->kind() == prim::Constant) {
        inlined_.insert(node);
        return point;
    }
    if (node != point || node->kind() == prim::Param || !may_stand_inline(value)) return point;
    point = scan(*node);
    inlined_.insert(node);
    return point;
}

// What stands before an expression that is too long to stand in another must run before it too.
void FunctionWriter::split_long(const ir::Node& node) {
    const auto is_inline = [&](const Value* value) {
        return inlined_.contains(value->node()) && !names_.contains(value);
    };
    std::size_t end = 0;
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        const Value* input = node.input(i);
        if (is_inline(input) && is_long(use(input))) end = i + 1;
    }
    const ir::Node* last = nullptr;
    for (std::size_t i = 0; i < end; ++i) {
        const bool is_split = is_inline(node.input(i)) && node.input(i)->node()->kind() != prim::Constant;
        if (is_split) last = node.input(i)->node();
    }
    // Also those that precede it in an enclosing expression.
    const auto until = last == nullptr ? pending_.begin() : std::find(pending_.begin(), pending_.end(), last);
    const std::vector<const ir::Node*> defined(pending_.begin(),
                                               until == pending_.end() || last == nullptr ? until : until + 1);
    for (const ir::Node* each : defined) {
        const Text value = use(each->output());
        define(*each, value);
    }
    std::erase_if(pending_, [&](const ir::Node* each) {
        return names_.contains(each->output()) || std::any_of(node.inputs().begin(), node.inputs().end(),
                                                              [&](const Value* v) { return v->node() == each; });
    });
}

// --- names ---

std::string FunctionWriter::new_name(const std::string& wanted) {
    std::string name = wanted;
    while (taken_.contains(name) || is_reserved(name)) name = concat(wanted, next_number_[name]++);
    taken_.insert(name);
    return name;
}

void FunctionWriter::name(const Value* value) {
    names_[value] = {new_name(value->has_name() ? as_identifier(name_base(value->debug_name())) : "_"), {}};
}

const FunctionWriter::Text& FunctionWriter::use(const Value* value) {
    if (const auto found = names_.find(value); found != names_.end()) return found->second;
    if (const auto found = expressions_.find(value); found != expressions_.end()) return found->second;
    refuse(concat("a value without a form in source: ", value->node()->kind().str()));
}

std::string FunctionWriter::annotation(const Type& type) {
    dependencies_.types.push_back(TypePtr(&type));
    return type.annotation_str();
}

FunctionWriter::Text FunctionWriter::values(const std::vector<Value*>& all, std::string_view before_all,
                                            std::string_view behind, std::size_t first) {
    Text out;
    out.add(before_all);
    for (std::size_t i = first; i < all.size(); ++i) {
        if (i > first) out.add(", ");
        out.add(use(all[i]));
    }
    out.add(behind);
    return out;
}

// --- statements ---

void FunctionWriter::write_block(const Block& block, bool has_more) {
    if (!has_more && block.nodes().empty()) {
        begin_line();
        out_.add("pass\n");
    }
    for (const ir::Node* node : block.nodes()) {
        if (node->kind() != prim::Constant) write_node(*node);
    }
}

void FunctionWriter::write_node(const ir::Node& node) {
    split_long(node);
    if (node.kind() == prim::Return) return write_return(node);
    if (node.kind() == prim::Loop) return write_loop(node);
    if (node.kind() == prim::If) return write_if(node);
    if (node.kind() == prim::TupleUnpack || node.kind() == prim::ListUnpack) return write_unpack(node);
    if (node.kind() == prim::SetAttr) return write_attribute(node);
    if (node.kind() == prim::fork) return write_fork(node);
    if (node.kind() == prim::Enter) return enter(node);
    if (node.kind() == prim::Exit) return leave(node);
    write_expression_node(node);
}

void FunctionWriter::write_expression_node(const ir::Node& node) {
    Text value;
    const ir::SourceRange range = node.range().original();
    if (range) value.places.push_back({0, range});
    value.add(expression(node));
    const bool is_hoisted = node.kind() == prim::Constant && is_long(value);
    if (!inlined_.contains(&node) || is_hoisted) {
        define(node, value);
    } else {
        expressions_[node.output()] = std::move(value);
        if (node.kind() != prim::Constant) pending_.push_back(&node);
    }
}

void FunctionWriter::define(const ir::Node& node, const Text& value) {
    begin_line();
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
        name(node.output(i));
        if (i > 0) out_.add(", ");
        out_.add(names_.at(node.output(i)));
    }
    // A module is known by its type only.
    if (node.kind() == prim::ModuleContainerIndex) out_.add(concat(" : ", annotation(*node.output()->type())));
    if (!node.outputs().empty()) out_.add(" = ");
    out_.add(value);
    out_.add("\n");
}

void FunctionWriter::write_return(const ir::Node& node) {
    begin_line();
    out_.add(node.inputs().empty() ? Text{"return None", {}} : values(node.inputs(), "return ", ""));
    out_.add("\n");
}

// The comma behind the last makes it an unpacking.
void FunctionWriter::write_unpack(const ir::Node& node) {
    for (const Value* output : node.outputs()) name(output);
    const Text source = use(node.input());
    begin_line();
    if (!node.outputs().empty()) out_.add(values(node.outputs(), "", ", = "));
    out_.add(source);
    out_.add("\n");
}

void FunctionWriter::write_attribute(const ir::Node& node) {
    const std::string& attribute = node.s(ir::attr::name);
    begin_line();
    if (is_code_identifier(attribute)) {
        out_.add(use(node.input(0)));
        out_.add(concat(".", attribute, " = "));
        out_.add(use(node.input(1)));
    } else {
        out_.add("setattr(");
        out_.add(use(node.input(0)));
        out_.add(concat(", ", quoted(attribute), ", "));
        out_.add(use(node.input(1)));
        out_.add(")");
    }
    out_.add("\n");
}

// The forked code is a function inside this one, which sees its variables.
void FunctionWriter::write_fork(const ir::Node& node) {
    const ir::Graph& graph = *node.g(ir::attr::Subgraph);
    const std::string function = new_name("__forked_function");
    begin_line();
    out_.add(concat("def ", function, "():\n"));
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) names_[graph.inputs()[i]] = use(node.input(i));
    write_body(*graph.block());
    define(node, {concat("fork(", function, ")"), {}});
}

void FunctionWriter::enter(const ir::Node& node) {
    begin_line();
    out_.add("with ");
    out_.add(use(node.input()));
    if (node.output()->has_uses()) {
        name(node.output());
        out_.add(" as ");
        out_.add(names_.at(node.output()));
    }
    out_.add(":\n");
    ++indent_;
}

void FunctionWriter::leave(const ir::Node& node) {
    if (before(node)->kind() == prim::Enter) {
        begin_line();
        out_.add("pass\n");
    }
    --indent_;
}

// A simultaneous assignment: the right sides are read before the left ones change.
void FunctionWriter::assign(const std::vector<Value*>& to, const std::vector<Value*>& from, std::size_t skip_to,
                            std::size_t skip_from) {
    if (to.size() <= skip_to) return;
    begin_line();
    out_.add(values(to, "", "", skip_to));
    if (to.size() == skip_to + 1) {
        const Value* only = to.back();
        if (is_union(*only->type()) && annotated_.insert(names_.at(only).text).second)
            out_.add(concat(" : ", annotation(*only->type())));
    }
    out_.add(" = ");
    out_.add(values(from, "", "\n", skip_from));
}

void FunctionWriter::assign_initial(const Value* to, const Value* from) {
    begin_line();
    out_.add(use(to));
    const bool is_annotated =
        is_union(*to->type()) ? annotated_.insert(names_.at(to).text).second : !to->type()->equals(*from->type());
    if (is_annotated) out_.add(concat(": ", annotation(*to->type())));
    out_.add(" = ");
    out_.add(use(from));
    out_.add("\n");
}

void FunctionWriter::write_if(const ir::Node& node) {
    for (const Value* output : node.outputs()) name(output);
    for (std::size_t i = 0; i < 2; ++i) {
        begin_line();
        if (i == 0) {
            out_.add("if ");
            out_.add(use(node.input()));
            out_.add(":\n");
        } else {
            out_.add("else:\n");
        }
        ++indent_;
        const Block& block = *node.block_at(i);
        write_block(block, !node.outputs().empty());
        split_long(*block.return_node());
        assign(node.outputs(), block.outputs(), 0, 0);
        --indent_;
    }
}

void FunctionWriter::write_loop(const ir::Node& node) {
    const Block& body = *node.block_at(0);
    const LoopShape shape = shape_of(node);
    if (!shape.is_always && shape.has_count) return write_counted_while(node);
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
        name(node.output(i));
        names_[body.inputs()[i + 1]] = names_.at(node.output(i));
    }
    for (std::size_t i = 0; i < node.outputs().size(); ++i) assign_initial(node.output(i), node.input(i + 2));
    const Value* counter = body.inputs()[0];
    const bool is_for = shape.is_always && shape.has_count;
    name(counter);
    if (!is_for) assign({body.inputs()[0]}, {node.input(1)}, 0, 0);
    begin_line();
    out_.add(is_for ? "for " : "while ");
    out_.add(use(counter));
    if (is_for) {
        out_.add(" in range(");
        out_.add(use(node.input(0)));
        out_.add(")");
    }
    out_.add(":\n");
    ++indent_;
    const std::size_t skipped = is_for ? 1 : 0;  // the condition, which never ends it
    write_block(body, body.inputs().size() > skipped);
    split_long(*body.return_node());
    assign(body.inputs(), body.outputs(), skipped, skipped);
    --indent_;
}

// A count and a condition, as passes leave them: no loop of Python has both.
void FunctionWriter::write_counted_while(const ir::Node& node) {
    const Block& body = *node.block_at(0);
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
        name(node.output(i));
        names_[body.inputs()[i + 1]] = names_.at(node.output(i));
    }
    for (std::size_t i = 0; i < node.outputs().size(); ++i) assign_initial(node.output(i), node.input(i + 2));
    name(body.inputs()[0]);
    const std::string counter = use(body.inputs()[0]).text;
    const std::string condition = new_name("_");
    const std::string count = use(node.input(0)).text;
    const auto line = [&](const std::string& text) {
        begin_line();
        out_.add(concat(text, "\n"));
    };
    line(concat(counter, " = 0"));
    line(concat(condition, " = torch.__and__(", use(node.input(1)).text, ", torch.gt(", count, ", 0))"));
    line(concat("while ", condition, ":"));
    ++indent_;
    write_block(body, true);
    split_long(*body.return_node());
    const std::string again = new_name("_");
    line(concat(again, " = ", use(body.outputs()[0]).text));
    assign(body.inputs(), body.outputs(), 1, 1);
    line(concat(counter, " = torch.add(", counter, ", 1)"));
    line(concat(condition, " = torch.__and__(", again, ", torch.lt(", counter, ", ", count, "))"));
    --indent_;
}

// --- expressions ---

std::string FunctionWriter::elements(const std::vector<IValue>& all) {
    std::vector<std::string> texts;
    for (const IValue& value : all) texts.push_back(constant(value));
    return join(texts, ", ");
}

std::string FunctionWriter::constant(const IValue& value) {
    const auto is_plain = [](const std::string& text) {
        return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    };
    switch (value.tag()) {
        case IValue::Tag::None:
            return "None";
        case IValue::Tag::Bool:
            return value.to_bool() ? "True" : "False";
        case IValue::Tag::Int:
            return std::to_string(value.to_int());
        case IValue::Tag::Double:
            return float_text(value.to_double());
        case IValue::Tag::Complex:
            return concat(float_text(value.to_complex().real()), std::signbit(value.to_complex().imag()) ? "" : "+",
                          float_text(value.to_complex().imag()), "j");
        case IValue::Tag::String:
            if (is_plain(value.to_string())) return quoted(value.to_string());
            break;
        case IValue::Tag::Device:
            return concat("torch.device(", quoted(python_str(value)), ")");
        case IValue::Tag::List: {
            const ListObject& list = value.to_list();
            if (list.element_type) annotation(*list.element_type);
            if (list.elements.empty()) return concat("annotate(", annotation(*type_of(value)), ", [])");
            const bool is_evident = !list.element_type || has_own_type(*list.element_type);
            return is_evident ? concat("[", elements(list.elements), "]")
                              : concat("annotate(", annotation(*type_of(value)), ", [", elements(list.elements), "])");
        }
        case IValue::Tag::Dict: {
            std::vector<std::string> entries;
            for (const auto& [key, held] : value.to_dict().entries())
                entries.push_back(concat(constant(key), ": ", constant(held)));
            const std::string made = concat("{", join(entries, ", "), "}");
            return entries.empty() ? concat("annotate(", annotation(*type_of(value)), ", {})") : made;
        }
        case IValue::Tag::Tuple: {
            const TupleObject& tuple = value.to_tuple();
            const bool is_named = tuple.type != nullptr && !tuple.type->name().empty();
            return concat(is_named ? annotation(*tuple.type) : "", "(", elements(tuple.elements),
                          tuple.elements.size() == 1 ? ",)" : ")");
        }
        case IValue::Tag::Enum:
            annotation(*value.to_enum().type);
            return concat(value.to_enum().type->name(), ".", value.to_enum().name);
        default:
            break;
    }
    const auto same =
        std::find_if(constants_.begin(), constants_.end(), [&](const IValue& other) { return other.is_same(value); });
    const auto index = static_cast<std::size_t>(same - constants_.begin());
    if (same == constants_.end()) constants_.push_back(value);
    return concat("CONSTANTS.c", index);
}

FunctionWriter::Text FunctionWriter::constant_node(const ir::Node& node) {
    if (const Function* function = ir::function_of(node.output())) {
        const auto* script = dynamic_cast<const ir::ScriptFunction*>(function);
        if (script == nullptr) {
            refuse(concat("Could not export Python function call '", function->name(),
                          "'. Remove calls to Python functions before export. Did you forget to add @script or "
                          "@script_method annotation? If "
                          "this is a nn.ModuleList, add it to __constants__"));
        }
        dependencies_.functions.push_back(script);
        return {script->qualified_name(), {}};
    }
    const auto value = ir::constant_of(&node);
    if (!value) refuse("a constant without a form in source");
    const bool is_list_of_enums = value->is_list() && node.output()->type()->kind() == TypeKind::List &&
                                  node.output()->type()->element()->kind() == TypeKind::Enum;
    if (is_list_of_enums) annotation(*node.output()->type());
    const bool is_typed_list =
        value->is_list() && value->to_list().elements.empty() && node.output()->type()->kind() == TypeKind::List;
    return {is_typed_list ? concat("annotate(", annotation(*node.output()->type()), ", [])") : constant(*value), {}};
}

FunctionWriter::Text FunctionWriter::expression(const ir::Node& node) {
    if (node.kind() == prim::Constant) return constant_node(node);
    if (node.kind() == prim::CallMethod) return call_method(node);
    if (node.kind() == prim::CallFunction) return call_function(node);
    if (node.kind() == prim::ListConstruct) return list(node);
    if (node.kind() == prim::DictConstruct) return dict(node);
    bool is_known = true;
    Text text = structure(node, is_known);
    if (is_known) return text;
    if (node.block_count() > 0) refuse(concat(node.kind().str(), " has no form in source"));
    return call(node);
}

// What has a form of its own, "(x).name".
FunctionWriter::Text FunctionWriter::structure(const ir::Node& node, bool& is_known) {
    static const ir::Symbol begin = ir::Symbol::intern("beg");
    static const ir::Symbol end = ir::Symbol::intern("end");
    const ir::Symbol kind = node.kind();
    const std::string& name = kind.str();
    const auto around = [&](std::string_view before_it, std::string_view behind) {
        Text out;
        out.add(before_it);
        out.add(use(node.input(0)));
        out.add(behind);
        return out;
    };
    const auto result_type = [&] { return annotation(*node.output()->type()); };
    if (kind == prim::GetAttr) {
        const std::string& attribute = node.s(ir::attr::name);
        return is_code_identifier(attribute) ? around("", concat(".", attribute))
                                             : around("getattr(", concat(", ", quoted(attribute), ")"));
    }
    if (kind == prim::TupleConstruct) {
        const TypePtr& type = node.output()->type();
        return values(node.inputs(), type->name().empty() ? "(" : concat(annotation(*type), "("),
                      node.inputs().size() == 1 ? ",)" : ")");
    }
    if (kind == prim::TupleSlice) return around("(", concat(")[", node.i(begin), ":", node.i(end), "]"));
    if (kind == prim::EnumName) return around("(", ").name");
    if (kind == prim::EnumValue) return around("(", ").value");
    if (kind == prim::tolist) return around(concat("annotate(", result_type(), ", "), ".tolist())");
    if (kind == prim::unchecked_cast || name == "prim::unchecked_unwrap_optional")
        return around(concat("unchecked_cast(", result_type(), ", "), ")");
    if (kind == prim::Uninitialized) return {concat("uninitialized(", result_type(), ")"), {}};
    if (kind == prim::Print) return values(node.inputs(), "print(", ")");
    if (kind == prim::CreateObject) {
        const std::string type = result_type();
        return {concat(type, ".__new__(", type, ")"), {}};
    }
    if (kind == prim::isinstance) {
        std::vector<std::string> types;
        for (const TypePtr& type : node.tys(ir::attr::types)) types.push_back(annotation(*type));
        return around("isinstance(",
                      concat(", ", types.size() == 1 ? types[0] : concat("(", join(types, ", "), ")"), ")"));
    }
    if (kind == prim::TupleIndex || kind == prim::ModuleContainerIndex || name == "aten::__getitem__") {
        const bool is_name =
            kind != prim::TupleIndex && std::all_of(use(node.input(0)).text.begin(), use(node.input(0)).text.end(),
                                                    [](char c) { return is_letter(c) || is_digit(c); });
        Text out = around(is_name ? "" : "(", is_name ? "[" : ")[");
        out.add(use(node.input(1)));
        out.add("]");
        return out;
    }
    if (kind == prim::ConstantChunk)
        return around("torch.chunk(", concat(", ", node.i(ir::attr::chunks), ", ", node.i(ir::attr::dim), ")"));
    if (name == "aten::ScalarImplicit" || name == "aten::FloatImplicit" || name == "aten::IntImplicit")
        return around(concat("annotate(", result_type(), ", "), ")");
    struct Conversion {
        std::string_view kind;
        std::string_view function;
    };
    static constexpr std::array kConversions = {Conversion{"aten::Int", "int("}, Conversion{"aten::Float", "float("},
                                                Conversion{"aten::Bool", "bool("}, Conversion{"aten::str", "str("},
                                                Conversion{"aten::sorted", "sorted("}};
    for (const Conversion& conversion : kConversions) {
        if (name == conversion.kind) return values(node.inputs(), conversion.function, ")");
    }
    // By its type, which of the two.
    if (name == "aten::_unwrap_optional" && node.input()->type()->kind() == TypeKind::None) {
        return around(concat("torch._unwrap_optional(annotate(Optional[", result_type(), "], "), "))");
    }
    is_known = false;
    return {};
}

FunctionWriter::Text FunctionWriter::call_function(const ir::Node& node) {
    Text out = use(node.input(0));
    out.add("(");
    for (std::size_t i = 1; i < node.inputs().size(); ++i) {
        out.add(use(node.input(i)));
        out.add(", ");
    }
    out.add(")");
    return out;
}

FunctionWriter::Text FunctionWriter::call_method(const ir::Node& node) {
    Text out;
    out.add("(");
    out.add(use(node.input(0)));
    out.add(concat(").", node.s(ir::attr::name), "("));
    for (std::size_t i = 1; i < node.inputs().size(); ++i) {
        out.add(use(node.input(i)));
        out.add(", ");
    }
    out.add(")");
    return out;
}

FunctionWriter::Text FunctionWriter::list(const ir::Node& node) {
    const TypePtr& type = node.output()->type();
    const bool is_evident = !node.inputs().empty() && has_own_type(*type->element());
    return is_evident ? values(node.inputs(), "[", "]")
                      : values(node.inputs(), concat("annotate(", annotation(*type), ", ["), "])");
}

FunctionWriter::Text FunctionWriter::dict(const ir::Node& node) {
    const TypePtr& type = node.output()->type();
    const auto& parts = type->contained();
    const bool is_evident = !node.inputs().empty() && std::all_of(parts.begin(), parts.end(), [](const TypePtr& part) {
        return has_own_type(*part);
    });
    Text out;
    out.add(is_evident ? "{" : concat("annotate(", annotation(*type), ", {"));
    for (std::size_t i = 0; i + 1 < node.inputs().size(); i += 2) {
        if (i > 0) out.add(", ");
        out.add(use(node.input(i)));
        out.add(": ");
        out.add(use(node.input(i + 1)));
    }
    out.add(is_evident ? "}" : "})");
    return out;
}

// Arguments at the end that say the default are left out; behind the star they go by name.
FunctionWriter::Text FunctionWriter::call(const ir::Node& node) {
    const std::string& name = node.kind().str();
    version_ = std::max(version_, version_of(name));
    const bool is_aten = node.kind().space() == "aten";
    Text out;
    out.add(is_aten ? concat("torch.", node.kind().name(), "(")
                    : concat("ops.", node.kind().space(), ".", node.kind().name(), "("));
    const FunctionSchema* schema = node.schema();
    const bool has_schema = schema != nullptr && !schema->is_vararg && schema->arguments.size() >= node.inputs().size();
    if (!has_schema) {
        out.add(values(node.inputs(), "", ")"));
        return out;
    }
    const auto is_out = [](const Argument& argument) { return argument.kwarg_only && argument.alias.has_value(); };
    std::size_t end = node.inputs().size();
    std::size_t outs = 0;
    while (end > 0 && is_out(schema->arguments[end - 1])) --end, ++outs;
    while (end > 0 && says_default(schema->arguments[end - 1], node.input(end - 1))) --end;
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        if (i >= end && i < node.inputs().size() - outs) continue;
        if (i > 0) out.add(", ");
        if (schema->arguments[i].kwarg_only) out.add(concat(schema->arguments[i].name, "="));
        out.add(use(node.input(i)));
    }
    out.add(")");
    return out;
}

}  // namespace loupe
