// SPDX-License-Identifier: Apache-2.0
// Expressions.
#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/generator.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/runner.h"

namespace loupe::python {

using namespace script;

namespace {

// Levels of a tree that take little stack: what check_stack keeps is enough for them.
constexpr int kShallow = 16;

}  // namespace

IValue Runner::evaluate(const Expr* e) {
    if (e->depth > kShallow) check_stack();
    switch (e->kind) {
        case ExprKind::Name:
            return read_name(*as<Name>(e));
        case ExprKind::Number:
            return frame_.unit.constants[as<Number>(e)->constant];
        case ExprKind::String:
            return frame_.unit.constants[as<String>(e)->constant];
        case ExprKind::True:
            return true;
        case ExprKind::False:
            return false;
        case ExprKind::None:
            return {};
        case ExprKind::Ellipsis:
            return ellipsis();
        case ExprKind::Attribute:
            return evaluate_attribute(*as<Attribute>(e));
        case ExprKind::Call:
            return evaluate_call(*as<Call>(e));
        case ExprKind::Subscript:
            return evaluate_subscript(*as<Subscript>(e));
        case ExprKind::Slice:
            return evaluate_slice(*as<Slice>(e));
        case ExprKind::Unary:
            return evaluate_unary(*as<Unary>(e));
        case ExprKind::Binary:
            return evaluate_binary(*as<Binary>(e));
        case ExprKind::Comparison:
            return evaluate_comparison(*as<Comparison>(e));
        case ExprKind::Ternary: {
            const auto& ternary = *as<Ternary>(e);
            return evaluate(truth(evaluate(ternary.condition)) ? ternary.if_true : ternary.if_false);
        }
        case ExprKind::Tuple:
            return make_tuple(evaluate_all(as<Tuple>(e)->elements));
        case ExprKind::List:
            return make_list(evaluate_all(as<List>(e)->elements));
        case ExprKind::Dict:
            return evaluate_dict(*as<Dict>(e));
        case ExprKind::Set:
            return evaluate_set(*as<Set>(e));
        case ExprKind::Lambda:
            return evaluate_lambda(*as<Lambda>(e));
        case ExprKind::Comprehension:
            return evaluate_comprehension(*as<Comprehension>(e));
        case ExprKind::JoinedString:
            return evaluate_joined(*as<JoinedString>(e));
        case ExprKind::Bytes:
            return make_bytes(std::string(as<Bytes>(e)->value));
        case ExprKind::NamedExpr: {
            const auto& named = *as<NamedExpr>(e);
            IValue value = evaluate(named.value);
            assign(named.target, value);
            return value;
        }
        case ExprKind::Yield:
            return evaluate_yield(*as<Yield>(e));
        case ExprKind::Starred:
            frame_.where = e->range;
            throw_error("SyntaxError", "can't use starred expression here");
        default:
            break;
    }
    throw Error(ErrorKind::Internal, "an expression of TorchScript in a tree of Python");
}

// The reference holds until the slot is written: callers copy.
const IValue& Runner::read_name(const Name& name) {
    const NamePlace place = frame_.unit.scopes.names[name.index];
    const IValue* value = nullptr;
    switch (place.kind) {
        case NameKind::Local:
            value = &frame_.locals[place.slot];
            break;
        case NameKind::Cell:
            value = &frame_.cells[place.slot]->value;
            break;
        case NameKind::ClassGlobal:
        case NameKind::ClassCell:
            if (frame_.class_names != nullptr) {
                if (const IValue* own = frame_.class_names->find(name.id)) return *own;
            }
            if (place.kind == NameKind::ClassCell) {
                value = &frame_.cells[place.slot]->value;
                break;
            }
            [[fallthrough]];
        case NameKind::Global:
            value = &frame_.unit.globals->at(place.slot);
            if (is_unbound(*value)) value = &frame_.unit.globals->builtin_at(place.slot);
            break;
    }
    if (is_unbound(*value)) {
        frame_.where = name.range;
        fail_unbound(place, name.id);
    }
    return *value;
}

void Runner::fail_unbound(NamePlace place, std::string_view name) {
    switch (place.kind) {
        case NameKind::Local:
            throw_error("UnboundLocalError",
                        concat("cannot access local variable '", name, "' where it is not associated with a value"));
        case NameKind::Cell:
        case NameKind::ClassCell:
            if (place.slot >= frame_.code.own_cells) {
                throw_error("NameError", concat("cannot access free variable '", name,
                                                "' where it is not associated with a value in enclosing scope"));
            }
            throw_error("UnboundLocalError",
                        concat("cannot access local variable '", name, "' where it is not associated with a value"));
        default:
            throw_error("NameError", concat("name '", name, "' is not defined"));
    }
}

IValue Runner::evaluate_attribute(const Attribute& e) {
    const IValue object = evaluate(e.object);
    frame_.where = e.range;
    return get_attribute(object, e.name);
}

IValue Runner::evaluate_unary(const Unary& e) {
    const IValue operand = evaluate(e.operand);
    if (e.op == OperatorKind::Not) {
        frame_.where = e.range;
        return !truth(operand);
    }
    if (operand.is_double() && e.op == OperatorKind::Negate) return -operand.to_double();
    frame_.where = e.range;
    return unary(e.op, operand);
}

namespace {

// The operators that loops spend their time in, on two ints; false where the general way must be taken.
bool int_binary(OperatorKind op, std::int64_t a, std::int64_t b, IValue& out) {
    std::int64_t result = 0;
    switch (op) {
        case OperatorKind::Add:
            if (__builtin_add_overflow(a, b, &result)) return false;
            break;
        case OperatorKind::Sub:
            if (__builtin_sub_overflow(a, b, &result)) return false;
            break;
        case OperatorKind::Mul:
            if (__builtin_mul_overflow(a, b, &result)) return false;
            break;
        case OperatorKind::BitAnd:
            result = a & b;
            break;
        case OperatorKind::Lt:
            out = a < b;
            return true;
        case OperatorKind::Gt:
            out = a > b;
            return true;
        case OperatorKind::Le:
            out = a <= b;
            return true;
        case OperatorKind::Ge:
            out = a >= b;
            return true;
        case OperatorKind::Eq:
            out = a == b;
            return true;
        case OperatorKind::Ne:
            out = a != b;
            return true;
        case OperatorKind::Mod:
        case OperatorKind::FloorDiv: {
            if (b <= 0) return false;
            const std::int64_t rest = a % b;
            const bool is_below = rest < 0;
            result = op == OperatorKind::Mod ? (is_below ? rest + b : rest) : a / b - (is_below ? 1 : 0);
            break;
        }
        default:
            return false;
    }
    out = result;
    return true;
}

bool double_binary(OperatorKind op, double a, double b, IValue& out) {
    switch (op) {
        case OperatorKind::Add:
            out = a + b;
            return true;
        case OperatorKind::Sub:
            out = a - b;
            return true;
        case OperatorKind::Mul:
            out = a * b;
            return true;
        case OperatorKind::Lt:
            out = a < b;
            return true;
        case OperatorKind::Gt:
            out = a > b;
            return true;
        case OperatorKind::Div:
            if (b == 0) return false;
            out = a / b;
            return true;
        default:
            return false;
    }
}

}  // namespace

bool fast_binary(OperatorKind op, const IValue& a, const IValue& b, IValue& out) {
    if (a.is_int() && b.is_int()) return int_binary(op, a.to_int(), b.to_int(), out);
    const bool are_real = (a.is_double() && (b.is_double() || b.is_int())) || (a.is_int() && b.is_double());
    // Not every int beyond 53 bits is a double: those are compared as they are.
    const auto is_wide = [](const IValue& v) {
        return v.is_int() && (v.to_int() > (std::int64_t{1} << 53) || v.to_int() < -(std::int64_t{1} << 53));
    };
    return are_real && !is_wide(a) && !is_wide(b) && double_binary(op, a.to_double(), b.to_double(), out);
}

IValue Runner::evaluate_binary(const Binary& e) {
    if (e.depth > kShallow) return evaluate_chain(e);
    return evaluate_right(e, evaluate(e.left));
}

// a + b + ... leans to the left: its left sides are walked, so that a long chain takes no more stack than a short one.
IValue Runner::evaluate_chain(const Binary& e) {
    std::vector<const Binary*> chain{&e};
    while (const auto* left = as<Binary>(chain.back()->left)) chain.push_back(left);
    IValue value = evaluate(chain.back()->left);
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) value = evaluate_right(**at, std::move(value));
    return value;
}

IValue Runner::evaluate_right(const Binary& e, IValue left) {
    if (e.op == OperatorKind::And || e.op == OperatorKind::Or) {
        return truth(left) == (e.op == OperatorKind::Or) ? left : evaluate(e.right);
    }
    const IValue right = evaluate(e.right);
    IValue result;
    if (fast_binary(e.op, left, right, result)) return result;
    if (e.op == OperatorKind::Is) return left.is_same(right);
    if (e.op == OperatorKind::IsNot) return !left.is_same(right);
    frame_.where = e.range;
    if (e.op == OperatorKind::In) return contains(right, left);
    return binary(e.op, left, right);
}

// Each operand is evaluated once, and only as far as the answer needs.
IValue Runner::evaluate_comparison(const Comparison& e) {
    IValue left = evaluate(e.operands.front());
    IValue result;
    for (std::size_t i = 0; i < e.operators.size(); ++i) {
        IValue right = evaluate(e.operands[i + 1]);
        frame_.where = e.range;
        switch (e.operators[i]) {
            case OperatorKind::Is:
                result = left.is_same(right);
                break;
            case OperatorKind::IsNot:
                result = !left.is_same(right);
                break;
            case OperatorKind::In:
                result = contains(right, left);
                break;
            default:
                result = binary(e.operators[i], left, right);
        }
        if (e.negated[i].value) result = !truth(result);
        if (i + 1 < e.operators.size() && !truth(result)) return result;
        left = std::move(right);
    }
    return result;
}

std::vector<IValue> Runner::evaluate_all(std::span<const Expr* const> elements) {
    std::vector<IValue> values;
    values.reserve(elements.size());
    for (const Expr* element : elements) {
        if (const auto* starred = as<Starred>(element)) {
            const IValue value = evaluate(starred->value);
            frame_.where = element->range;
            if (!is_iterable(value)) {
                throw_type_error(concat("Value after * must be an iterable, not ", type_name(value)));
            }
            for_each(value, [&](const IValue& item) {
                values.push_back(item);
                return true;
            });
        } else {
            values.push_back(evaluate(element));
        }
    }
    return values;
}

IValue Runner::evaluate_dict(const Dict& e) {
    auto dict = python::make_dict();
    for (std::size_t i = 0; i < e.keys.size(); ++i) {
        if (e.keys[i] == nullptr) {
            const IValue other = evaluate(e.values[i]);
            frame_.where = e.values[i]->range;
            update_dict(*dict, other);
            continue;
        }
        IValue key = evaluate(e.keys[i]);
        IValue value = evaluate(e.values[i]);
        frame_.where = e.range;
        check_hashable(key);
        set_key(*dict, std::move(key), std::move(value));
    }
    return dict;
}

IValue Runner::evaluate_set(const Set& e) {
    auto set = make_ptr<SetObject>();
    for (const IValue& element : evaluate_all(e.elements)) {
        frame_.where = e.range;
        set->add(element);
    }
    return IValue::other(set);
}

IValue Runner::evaluate_slice(const Slice& e) {
    const auto part = [&](const Expr* bound) { return bound == nullptr ? IValue() : evaluate(bound); };
    IValue start = part(e.start);
    IValue stop = part(e.stop);
    return IValue::other(make_ptr<SliceObject>(std::move(start), std::move(stop), part(e.step)));
}

IValue Runner::evaluate_key(const Subscript& e) {
    if (e.indices.size() == 1 && e.indices.front()->kind != ExprKind::Starred) return evaluate(e.indices.front());
    return make_tuple(evaluate_all(e.indices));
}

IValue Runner::evaluate_subscript(const Subscript& e) {
    const IValue object = evaluate(e.value);
    const IValue key = evaluate_key(e);
    if (key.is_int() && object.is_list()) {
        const auto& elements = object.to_list().elements;
        const auto index = static_cast<std::size_t>(key.to_int());
        if (index < elements.size()) return elements[index];
    }
    frame_.where = e.range;
    return get_item(object, key);
}

IValue Runner::evaluate_joined(const JoinedString& e) {
    std::string out;
    for (const JoinedPart& part : e.parts) {
        out += part.text;
        if (part.value == nullptr) continue;
        IValue value = evaluate(part.value);
        const std::string spec = part.format != nullptr ? evaluate(part.format).to_string() : std::string();
        frame_.where = part.value->range;
        if (part.conversion == 'r') value = IValue(repr(value));
        if (part.conversion == 'a') value = IValue(ascii_repr(value));
        if (part.conversion == 's') value = IValue(str(value));
        out += spec.empty() && value.is_string() ? value.to_string() : format(value, spec);
    }
    return IValue(std::move(out));
}

IValue Runner::evaluate_lambda(const Lambda& e) { return IValue::other(make_function(&e, e.params)); }

IValue Runner::evaluate_yield(const Yield& e) {
    const IValue value = e.value != nullptr ? evaluate(e.value) : IValue();
    frame_.where = e.range;
    if (frame_.generator == nullptr) throw_error("RuntimeError", "yield outside of a generator that runs");
    return e.is_from ? frame_.generator->yield_from(value) : frame_.generator->yield(value);
}

}  // namespace loupe::python
