// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/parameter_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "core/base/strings.h"
#include "core/python/guess/syntax_walk.h"

namespace loupe::python {
namespace {

using script::as;
using script::Expr;
using script::OperatorKind;
using script::Stmt;

const std::string_view kRanges[] = {"range", "int", "sqrt", "math.sqrt", "torch.arange", "pow", "abs"};

class Uses {
  public:
    Uses(ParameterFacts& facts, std::string_view source, std::string_view name, bool is_constructor)
        : facts_(facts), source_(source), name_(name), is_constructor_(is_constructor) {}

    void walk(script::Body body) {
        for (const Stmt* s : body) {
            statement(*s);
            for_each_expression_of(
                *s, [&](const Expr& e) { for_each_expression(e, [&](const Expr& part) { use(part); }); });
            for (const script::Body& block : blocks_of(*s)) walk(block);
        }
    }

  private:
    bool is_it(const Expr* e) const { return e != nullptr && dotted_name(*e) == name_; }

    void statement(const Stmt& s) {
        if (const auto* each = as<script::For>(&s)) {
            for (std::size_t i = 0; i < each->iterables.size() && i < each->targets.size(); ++i)
                iterated(each->iterables[i], each->targets[i]);
        }
        const auto* assign = as<script::Assign>(&s);
        if (assign == nullptr || assign->targets.empty() || !is_it(assign->value)) return;
        if (const auto* tuple = as<script::Tuple>(assign->targets.front())) {
            facts_.is_iterated = true;
            facts_.arity = std::max(facts_.arity, tuple->elements.size());
        }
    }

    void iterated(const Expr* iterable, const Expr* target) {
        // zip(it, others), enumerate(it), reversed(it)
        const auto* call = as<script::Call>(iterable);
        const std::string callee = call != nullptr ? dotted_name(*call->callee) : std::string();
        const auto* tuple = as<script::Tuple>(target);
        if (callee == "enumerate" && !call->arguments.empty()) {
            iterated(call->arguments.front(),
                     tuple != nullptr && tuple->elements.size() == 2 ? tuple->elements[1] : target);
            return;
        }
        if (callee == "zip" || callee == "reversed" || callee == "list" || callee == "sorted") {
            for (std::size_t i = 0; i < call->arguments.size(); ++i) {
                const bool has_own = callee == "zip" && tuple != nullptr && i < tuple->elements.size();
                iterated(call->arguments[i], has_own ? tuple->elements[i] : target);
            }
            return;
        }
        if (!is_it(iterable)) return;
        facts_.is_iterated = true;
        if (tuple != nullptr) facts_.element_arity = std::max(facts_.element_arity, tuple->elements.size());
    }

    void choice(const Expr* e) {
        if (const auto* text = as<script::String>(e)) {
            const std::string literal = python_repr(text->value);
            if (std::find(facts_.choices.begin(), facts_.choices.end(), literal) == facts_.choices.end())
                facts_.choices.push_back(literal);
        }
        const auto* tuple = as<script::Tuple>(e);
        const auto* list = as<script::List>(e);
        const auto* set = as<script::Set>(e);
        const auto* dict = as<script::Dict>(e);
        for (const Expr* part : tuple != nullptr  ? tuple->elements
                                : list != nullptr ? list->elements
                                : set != nullptr  ? set->elements
                                : dict != nullptr ? dict->keys
                                                  : std::span<const Expr* const>())
            choice(part);
    }

    static bool is_arithmetic(OperatorKind op) {
        switch (op) {
            case OperatorKind::Sub:
            case OperatorKind::Div:
            case OperatorKind::FloorDiv:
            case OperatorKind::Pow:
            case OperatorKind::Mod:
            case OperatorKind::Lt:
            case OperatorKind::Gt:
            case OperatorKind::Le:
            case OperatorKind::Ge:
                return true;
            default:
                return false;
        }
    }

    void use(const Expr& e) {
        if (const auto* binary = as<script::Binary>(&e)) {
            const bool is_left = is_it(binary->left);
            const bool is_right = is_it(binary->right);
            if (binary->op == OperatorKind::Eq || binary->op == OperatorKind::Ne) {
                if (is_left) choice(binary->right);
                if (is_right) choice(binary->left);
            }
            if (binary->op == OperatorKind::In && is_left) choice(binary->right);
            if (is_arithmetic(binary->op) && (is_left || is_right)) facts_.is_number = true;
        } else if (const auto* comparison = as<script::Comparison>(&e)) {
            const auto& operands = comparison->operands;
            for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
                if (is_it(operands[i])) choice(operands[i + 1]);
            }
        } else if (const auto* attribute = as<script::Attribute>(&e)) {
            if (is_it(attribute->object)) attribute_read(std::string(attribute->name));
        } else if (const auto* subscript = as<script::Subscript>(&e)) {
            if (is_it(subscript->value)) indexed(*subscript);
        } else if (const auto* call = as<script::Call>(&e)) {
            called(*call);
        } else if (const auto* comp = as<script::Comprehension>(&e)) {
            for (const auto& clause : comp->clauses) iterated(clause.iterable, clause.target);
        } else if (const auto* starred = as<script::Starred>(&e)) {
            if (is_it(starred->value)) facts_.is_iterated = true;
        }
    }

    void attribute_read(const std::string& attribute) {
        ParameterFacts& inner = facts_.attributes[attribute];
        static_cast<void>(inner);
    }

    void indexed(const script::Subscript& subscript) {
        if (subscript.indices.size() != 1) return;
        if (const auto* key = as<script::String>(subscript.indices.front())) {
            facts_.has_keys = true;
            facts_.attributes[std::string(key->value)];
        } else if (const auto* number = as<script::Number>(subscript.indices.front())) {
            facts_.is_iterated = true;
            std::size_t index = 0;
            std::from_chars(number->text.data(), number->text.data() + number->text.size(), index);
            facts_.arity = std::max(facts_.arity, std::min<std::size_t>(index + 1, 16));
        }
    }

    void called(const script::Call& call) {
        const std::string callee = dotted_name(*call.callee);
        if (callee == name_) {
            facts_.is_called = true;
            if (is_constructor_)
                facts_.is_called_with_sizes = true;
            else
                facts_.is_module = true;
            return;
        }
        const bool is_first = !call.arguments.empty() && is_it(call.arguments.front());
        if (callee == "getattr" && is_first && call.arguments.size() > 1) {
            if (const auto* key = as<script::String>(call.arguments[1])) {
                ParameterFacts& inner = facts_.attributes[std::string(key->value)];
                if (call.arguments.size() > 2) inner.fallback = text_of(source_, *call.arguments[2]);
            }
        }
        if (const auto* method = as<script::Attribute>(call.callee); method != nullptr && is_it(method->object)) {
            const auto* key = call.arguments.empty() ? nullptr : as<script::String>(call.arguments.front());
            if ((method->name == "get" || method->name == "pop") && key != nullptr) {
                facts_.has_keys = true;
                ParameterFacts& inner = facts_.attributes[std::string(key->value)];
                if (call.arguments.size() > 1) inner.fallback = text_of(source_, *call.arguments[1]);
            } else if (method->name == "items" || method->name == "keys" || method->name == "values") {
                facts_.has_keys = true;
            }
        }
        if (!is_first) return;
        if (callee == "isinstance" && call.arguments.size() == 2) {
            for_each_expression(*call.arguments[1], [&](const Expr& part) {
                if (const auto* name = as<script::Name>(&part)) facts_.classes.emplace_back(name->id);
            });
        }
        if (callee == "len" || callee == "tuple" || callee == "list" || callee == "nn.ModuleList" || callee == "sum" ||
            callee == "max" || callee == "min")
            facts_.is_iterated = true;
        if (std::find(std::begin(kRanges), std::end(kRanges), callee) != std::end(kRanges)) facts_.is_number = true;
    }

    ParameterFacts& facts_;
    std::string_view source_;
    std::string name_;
    bool is_constructor_;
};

void add_inner(ParameterFacts& facts, script::Body body, std::string_view source, const std::string& name,
               bool is_constructor, int depth) {
    if (depth > 3) return;
    Uses(facts, source, name, is_constructor).walk(body);
    static const std::set<std::string, std::less<>> kMethods = {"items", "keys", "values", "get",
                                                                "pop",   "copy", "append"};
    for (const auto& method : kMethods) facts.attributes.erase(method);
    for (auto& [attribute, inner] : facts.attributes)
        add_inner(inner, body, source, concat(name, ".", attribute), is_constructor, depth + 1);
}

// Calls that give their first argument back, or hold it.
bool keeps_what_it_is_given(std::string_view callee) {
    static constexpr std::array<std::string_view, 12> kKeepers = {
        "ModuleList", "ModuleDict", "Sequential", "default", "default_val", "deepcopy",
        "list",       "tuple",      "dict",       "wrap",    "PreNorm",     "Residual"};
    const std::size_t dot = callee.rfind('.');
    const std::string_view name = dot == std::string_view::npos ? callee : callee.substr(dot + 1);
    return std::find(kKeepers.begin(), kKeepers.end(), name) != kKeepers.end();
}

}  // namespace

void add_uses(ParameterFacts& facts, script::Body body, std::string_view source, std::string_view name,
              bool is_constructor) {
    add_inner(facts, body, source, std::string(name), is_constructor, 0);
}

ParameterFacts facts_of_parameter(const FunctionObject& constructor, std::string_view parameter,
                                  const std::vector<const FunctionObject*>& methods) {
    ParameterFacts facts;
    const std::string& source = constructor.unit->source->text();
    add_uses(facts, constructor.code.body, source, parameter, true);
    // Attributes of self that hold it.
    std::vector<std::string> kept;
    const std::function<void(script::Body)> find = [&](script::Body body) {
        for (const Stmt* s : body) {
            const auto* assign = as<script::Assign>(s);
            if (assign != nullptr && assign->value != nullptr) {
                bool holds = dotted_name(*assign->value) == parameter;
                // self.layers = nn.ModuleList(layers), default(x, y); not nn.Conv2d(x, y), which is made of it
                if (const auto* call = as<script::Call>(assign->value); call != nullptr && !call->arguments.empty())
                    holds = holds || (keeps_what_it_is_given(dotted_name(*call->callee)) &&
                                      dotted_name(*call->arguments.front()) == parameter);
                for (const Expr* target : assign->targets) {
                    const std::string name = dotted_name(*target);
                    if (holds && name.starts_with("self.")) kept.push_back(name);
                }
            }
            for (const script::Body& block : blocks_of(*s)) find(block);
        }
    };
    find(constructor.code.body);
    for (const std::string& name : kept) {
        add_uses(facts, constructor.code.body, source, name, true);
        for (const FunctionObject* method : methods)
            add_uses(facts, method->code.body, method->unit->source->text(), name, false);
    }
    return facts;
}

}  // namespace loupe::python
