// SPDX-License-Identifier: Apache-2.0
#include "tree_text.h"

#include <array>

#include "core/base/strings.h"

namespace loupe::script {
namespace {

std::string_view operator_text(OperatorKind op) {
    static constexpr std::array<std::string_view, 27> kNames = {
        "+", "-",  "*",  "@",  "/",  "//", "%",     "**", "<<",  ">>", "&",   "|", "^",  "<",
        ">", "<=", ">=", "==", "!=", "is", "isnot", "in", "and", "or", "not", "~", "neg"};
    return kNames[static_cast<std::size_t>(op)];
}

template <typename Span>
std::string list_text(const Span& items) {
    std::string out;
    for (const auto* item : items) out += (out.empty() ? "" : " ") + tree_text(item);
    return out;
}

std::string call_text(const Call& call) {
    std::string out = "(call " + tree_text(call.callee);
    for (const Expr* argument : call.arguments) out += " " + tree_text(argument);
    for (const Keyword& keyword : call.keywords) out += concat(" ", keyword.name, "=", tree_text(keyword.value));
    return out + ")";
}

std::string dict_text(const Dict& dict) {
    std::string out = "{";
    for (std::size_t i = 0; i < dict.keys.size(); ++i) {
        out += (i == 0 ? "" : ", ") + tree_text(dict.keys[i]) + ": " + tree_text(dict.values[i]);
    }
    return out + "}";
}

std::string def_text(const Def& def) {
    std::string out = concat("(def ", def.name, " (");
    for (const Param& param : def.params) {
        if (&param != def.params.data()) out += ", ";
        out += concat(param.kwarg_only ? "*" : "", param.name);
        if (param.annotation != nullptr) out += ":" + tree_text(param.annotation);
        if (param.default_value != nullptr) out += "=" + tree_text(param.default_value);
    }
    out += ")";
    if (def.return_annotation != nullptr) out += " -> " + tree_text(def.return_annotation);
    return out + " " + tree_text(def.body) + ")";
}

}  // namespace

std::string tree_text(const Expr* e) {
    if (e == nullptr) return "_";
    switch (e->kind) {
        case ExprKind::Name:
            return std::string(as<Name>(e)->id);
        case ExprKind::Number:
            return std::string(as<Number>(e)->text);
        case ExprKind::String:
            return python_repr(as<String>(e)->value);
        case ExprKind::True:
            return "True";
        case ExprKind::False:
            return "False";
        case ExprKind::None:
            return "None";
        case ExprKind::Ellipsis:
            return "...";
        case ExprKind::Attribute:
            return concat("(. ", tree_text(as<Attribute>(e)->object), " ", as<Attribute>(e)->name, ")");
        case ExprKind::Call:
            return call_text(*as<Call>(e));
        case ExprKind::Subscript:
            return concat("(at ", tree_text(as<Subscript>(e)->value), " ", list_text(as<Subscript>(e)->indices), ")");
        case ExprKind::Slice:
            return concat("(: ", tree_text(as<Slice>(e)->start), " ", tree_text(as<Slice>(e)->stop), " ",
                          tree_text(as<Slice>(e)->step), ")");
        case ExprKind::Unary:
            return concat("(", operator_text(as<Unary>(e)->op), " ", tree_text(as<Unary>(e)->operand), ")");
        case ExprKind::Binary:
            return concat("(", operator_text(as<Binary>(e)->op), " ", tree_text(as<Binary>(e)->left), " ",
                          tree_text(as<Binary>(e)->right), ")");
        case ExprKind::Ternary:
            return concat("(if ", tree_text(as<Ternary>(e)->condition), " ", tree_text(as<Ternary>(e)->if_true), " ",
                          tree_text(as<Ternary>(e)->if_false), ")");
        case ExprKind::Tuple:
            return "(tuple " + list_text(as<Tuple>(e)->elements) + ")";
        case ExprKind::List:
            return "[" + list_text(as<List>(e)->elements) + "]";
        case ExprKind::Dict:
            return dict_text(*as<Dict>(e));
        case ExprKind::ListComp:
            return concat("[", tree_text(as<ListComp>(e)->element), " for ", tree_text(as<ListComp>(e)->target), " in ",
                          tree_text(as<ListComp>(e)->iterable), "]");
        case ExprKind::DictComp:
            return concat("{", tree_text(as<DictComp>(e)->key), ": ", tree_text(as<DictComp>(e)->value), " for ",
                          tree_text(as<DictComp>(e)->target), " in ", tree_text(as<DictComp>(e)->iterable), "}");
        case ExprKind::Starred:
            return "(* " + tree_text(as<Starred>(e)->value) + ")";
        default:
            return "?";  // of Python
    }
}

std::string tree_text(Body body) { return "{" + list_text(body) + "}"; }

std::string tree_text(const Stmt* s) {
    switch (s->kind) {
        case StmtKind::Expression:
            return tree_text(as<ExprStmt>(s)->value);
        case StmtKind::Assign: {
            const auto& assign = *as<Assign>(s);
            std::string out = "(= " + list_text(assign.targets);
            if (assign.annotation != nullptr) out += " :" + tree_text(assign.annotation);
            return out + " " + tree_text(assign.value) + ")";
        }
        case StmtKind::AugAssign:
            return concat("(", operator_text(as<AugAssign>(s)->op), "= ", tree_text(as<AugAssign>(s)->target), " ",
                          tree_text(as<AugAssign>(s)->value), ")");
        case StmtKind::If:
            return concat("(if ", tree_text(as<If>(s)->condition), " ", tree_text(as<If>(s)->if_true), " ",
                          tree_text(as<If>(s)->if_false), ")");
        case StmtKind::While:
            return concat("(while ", tree_text(as<While>(s)->condition), " ", tree_text(as<While>(s)->body), ")");
        case StmtKind::For:
            return concat("(for ", list_text(as<For>(s)->targets), " in ", list_text(as<For>(s)->iterables), " ",
                          tree_text(as<For>(s)->body), ")");
        case StmtKind::With: {
            std::string out = "(with";
            for (const WithItem& item : as<With>(s)->items) {
                out += " " + tree_text(item.context);
                if (item.target != nullptr) out += concat(" as ", item.target->id);
            }
            return out + " " + tree_text(as<With>(s)->body) + ")";
        }
        case StmtKind::Return:
            return "(return " + tree_text(as<Return>(s)->value) + ")";
        case StmtKind::Raise:
            return "(raise " + tree_text(as<Raise>(s)->value) + ")";
        case StmtKind::Assert:
            return concat("(assert ", tree_text(as<Assert>(s)->condition), " ", tree_text(as<Assert>(s)->message), ")");
        case StmtKind::Break:
            return "break";
        case StmtKind::Continue:
            return "continue";
        case StmtKind::Pass:
            return "pass";
        case StmtKind::Delete:
            return "(del " + list_text(as<Delete>(s)->targets) + ")";
        case StmtKind::Def:
            return def_text(*as<Def>(s));
        case StmtKind::Class: {
            const auto& type = *as<Class>(s);
            return concat("(class ", type.name, " ", tree_text(type.base), " ", tree_text(type.body), ")");
        }
        default:
            return "?";  // of Python
    }
}

}  // namespace loupe::script
