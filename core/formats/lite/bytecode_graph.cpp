// SPDX-License-Identifier: Apache-2.0
#include "core/formats/lite/bytecode_graph.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/registry.h"
#include "core/formats/archive/byte_reader.h"
#include "core/ir/schema_match.h"

namespace loupe {
namespace {

using ir::Block;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

constexpr int kDeepest = 200;                 // blocks in blocks
constexpr std::size_t kMostValues = 1 << 16;  // of one node

// Instructions for one operator each ("promoted" operators in PyTorch).
struct Promoted {
    std::string_view instruction;
    std::string_view op;
    std::int64_t count;
};
constexpr std::array kPromoted = {
    Promoted{"__IS__", "aten::__is__", 2},         Promoted{"__ISNOT__", "aten::__isnot__", 2},
    Promoted{"__NOT__", "aten::__not__", 1},       Promoted{"DIM", "aten::dim", 1},
    Promoted{"DTYPE", "prim::dtype", 1},           Promoted{"DEVICE", "prim::device", 1},
    Promoted{"IS_CUDA", "prim::is_cuda", 1},       Promoted{"NUM_TO_TENSOR", "prim::NumToTensor", 1},
    Promoted{"DICT_INDEX", "aten::__getitem__", 2}};

// The abstract state at one point of the program.
struct State {
    std::vector<Value*> stack;
    std::unordered_map<std::int64_t, Value*> registers;
};

class Lifter {
  public:
    explicit Lifter(const BytecodeFunction& function) : function_(function), graph_(make_ptr<ir::Graph>()) {}

    Ptr<ir::Graph> run() {
        State state;
        for (const Argument& argument : function_.schema.arguments)
            state.stack.push_back(graph_->add_input(argument.name, argument.type));
        lift(0, function_.instructions.size(), state, 0);
        if (!has_returned_ || state.stack.size() != 1) fail("does not return one value");
        const auto& returns = function_.schema.returns;
        graph_->add_output(returns.size() == 1 ? refined(state.stack.back(), returns[0].type) : state.stack.back());
        return graph_;
    }

  private:
    [[noreturn]] static void fail(const std::string& what) { throw_file_error(concat("bytecode: ", what)); }

    // --- the stack ---

    static Value* pop(State& state) {
        if (state.stack.empty()) fail("takes a value from an empty stack");
        Value* value = state.stack.back();
        state.stack.pop_back();
        return value;
    }
    static std::vector<Value*> pop_many(State& state, std::int64_t count) {
        if (count < 0 || static_cast<std::size_t>(count) > state.stack.size())
            fail("takes more values than the stack holds");
        const auto first = state.stack.end() - static_cast<std::ptrdiff_t>(count);
        std::vector<Value*> values(first, state.stack.end());
        state.stack.erase(first, state.stack.end());
        return values;
    }
    static Value* read(const State& state, std::int64_t at) {
        const auto found = state.registers.find(at);
        if (found == state.registers.end()) fail(concat("reads register ", at, ", which holds nothing"));
        return found->second;
    }
    void push(Node* node, State& state) {
        graph_->insert(node);
        node->set_inlined_from(call_);
        for (Value* output : node->outputs()) state.stack.push_back(output);
    }

    // Bytecode omits type refinements; they are inferred from uses.
    Value* refined(Value* value, const TypePtr& formal) {
        ir::TypeBindings bindings;
        const TypePtr& type = value->type();
        if (ir::match_type(formal, type, bindings)) return value;
        if (type->kind() == TypeKind::Optional && ir::match_type(formal, type->element(), bindings))
            return cast(value, type->element());
        const bool is_open =
            formal->kind() == TypeKind::Var || formal->kind() == TypeKind::Optional || formal->kind() == TypeKind::Any;
        // None where it cannot be: code behind an exception.
        const bool is_unknown = type->kind() == TypeKind::Any || type->kind() == TypeKind::None;
        return is_unknown && !is_open ? cast(value, without_variables(formal)) : value;
    }
    static TypePtr without_variables(const TypePtr& type) {
        if (type->kind() == TypeKind::Var) return types::any();
        std::unordered_map<std::string, TypePtr> bindings;
        bind_to_any(*type, bindings);
        return bindings.empty() ? type : ir::substitute(type, bindings);
    }
    static void bind_to_any(const Type& type, ir::TypeBindings& bindings) {
        if (type.kind() == TypeKind::Var) bindings.emplace(type.str(), types::any());
        for (const TypePtr& part : type.contained()) bind_to_any(*part, bindings);
    }
    Value* cast(Value* value, const TypePtr& type) {
        Node* node = graph_->insert(graph_->create(prim::unchecked_cast, {value}));
        return node->output()->set_type(type);
    }
    // A tuple, list or object that may have been None before it was tested.
    Value* present(Value* value) {
        return value->type()->kind() == TypeKind::Optional ? cast(value, value->type()->element()) : value;
    }

    template <typename T>
    static const T& at(const std::vector<T>& table, std::int64_t index, const char* what) {
        if (index < 0 || static_cast<std::size_t>(index) >= table.size()) fail(concat("has no ", what, " ", index));
        return table[static_cast<std::size_t>(index)];
    }

    // --- stretches of code ---

    std::size_t target(std::size_t from, std::int64_t distance, std::size_t end) const {
        if (distance < 1 || static_cast<std::uint64_t>(distance) > end - from)
            fail(concat("jumps out of its block at ", from));
        return from + static_cast<std::size_t>(distance);
    }

    void lift(std::size_t begin, std::size_t end, State& state, int depth) {
        if (depth > kDeepest) fail("nests too deep");
        for (std::size_t i = begin; i < end;) {
            const BytecodeInstruction& each = function_.instructions[i];
            enter_place(i);
            if (each.name == "JF")
                i = lift_if(i, end, state, depth);
            else if (each.name == "LOOP")
                i = lift_loop(i, end, state, depth);
            else if (each.name == "RET") {
                if (depth > 0 || i + 1 != end) fail("returns from inside");
                has_returned_ = true;
                return;
            } else {
                lift_plain(each, state);
                ++i;
            }
        }
    }

    // Insertion point of new nodes.
    void enter_place(std::size_t instruction) {
        if (instruction >= function_.places.size()) return;
        const LitePlace& place = function_.places[instruction];
        graph_->set_current_range(place.range);
        graph_->set_current_scope(place.call ? place.call->scope : std::string());
        call_ = place.call;
    }

    // A nested block: values that it pushes are its results.
    std::vector<Value*> lift_block(Block* block, std::size_t begin, std::size_t end, State state, int depth) {
        const std::size_t height = state.stack.size();
        Node* const before = graph_->insert_point();
        graph_->set_insert_point(block);
        lift(begin, end, state, depth + 1);
        graph_->set_insert_point(before);
        if (state.stack.size() < height) fail("a block takes values that are not its own");
        return {state.stack.begin() + static_cast<std::ptrdiff_t>(height), state.stack.end()};
    }

    std::size_t lift_if(std::size_t at, std::size_t end, State& state, int depth) {
        const std::size_t otherwise = target(at, function_.instructions[at].x, end);
        if (otherwise < at + 2) fail("an if without a branch");
        const BytecodeInstruction& jump = function_.instructions[otherwise - 1];
        if (jump.name != "JMP") fail("an if whose branch does not leave it");
        const std::size_t next = target(otherwise - 1, jump.x, end);
        Value* condition = pop(state);
        if (const auto known = decided(condition)) {
            if (*known)
                lift(at + 1, otherwise - 1, state, depth + 1);
            else
                lift(otherwise, next, state, depth + 1);
            return next;
        }
        Node* node = graph_->create(prim::If, {condition}, 0);
        graph_->insert(node);
        std::vector<Value*> results[2];
        Block* blocks[2] = {node->add_block(), node->add_block()};
        results[0] = lift_block(blocks[0], at + 1, otherwise - 1, state, depth);
        results[1] = lift_block(blocks[1], otherwise, next, state, depth);
        if (results[0].size() != results[1].size()) fail("branches with different numbers of results");
        for (std::size_t i = 0; i < results[0].size(); ++i) {
            take_type(results[0][i], results[1][i]);
            take_type(results[1][i], results[0][i]);
            for (int b = 0; b < 2; ++b) blocks[b]->add_output(results[b][i]);
            state.stack.push_back(node->add_output()->set_type(joined(results[0][i]->type(), results[1][i]->type())));
        }
        return next;
    }

    // Conditions that are constant by type (None checks, flags): types do not fit in the branch that is not taken.
    static std::optional<bool> decided(const Value* condition) {
        if (const auto known = ir::constant_of(condition))
            return known->is_bool() ? std::optional(known->to_bool()) : std::nullopt;
        const Node* node = condition->node();
        const std::string& name = node->kind().str();
        if (name == "aten::__not__") {
            const auto inner = decided(node->input(0));
            return inner ? std::optional(!*inner) : std::nullopt;
        }
        if (name != "aten::__is__" && name != "aten::__isnot__") return std::nullopt;
        const TypeKind a = node->input(0)->type()->kind();
        const TypeKind b = node->input(1)->type()->kind();
        const auto is_open = [](TypeKind kind) {
            return kind == TypeKind::Optional || kind == TypeKind::Any || kind == TypeKind::Union;
        };
        if ((a != TypeKind::None && b != TypeKind::None) || is_open(a) || is_open(b)) return std::nullopt;
        return (a == b) == (name == "aten::__is__");
    }

    // The stack before: rounds so far, most, condition, carried values; the body leaves the next condition and values.
    std::size_t lift_loop(std::size_t at, std::size_t end, State& state, int depth) {
        const BytecodeInstruction& loop = function_.instructions[at];
        const std::size_t next = target(at, loop.x, end);
        if (loop.n < 2 || function_.instructions[next - 1].name != "JMP" || next < at + 2)
            fail("a loop that does not come back");
        const std::vector<Value*> inputs = pop_many(state, loop.n);
        pop(state);  // rounds so far: 0
        Node* node = graph_->create(prim::Loop, inputs, 0);
        graph_->insert(node);
        Block* body = node->add_block();
        State inner{{body->add_input()->set_type(types::integer())}, state.registers};
        std::vector<TypePtr> carried;
        for (std::size_t i = 2; i < inputs.size(); ++i) {
            carried.push_back(inputs[i]->type());
            inner.stack.push_back(body->add_input()->set_type(carried.back()));
        }
        const std::vector<Value*> results = lift_body(body, at + 1, next - 1, std::move(inner), depth);
        if (results.size() != inputs.size() - 1) fail("a loop's body leaves another number of values");
        for (Value* result : results) body->add_output(result);
        for (const TypePtr& type : carried) state.stack.push_back(node->add_output()->set_type(type));
        return next;
    }
    // The inputs are on the stack, and the body pops them.
    std::vector<Value*> lift_body(Block* block, std::size_t begin, std::size_t end, State state, int depth) {
        Node* const before = graph_->insert_point();
        graph_->set_insert_point(block);
        lift(begin, end, state, depth + 1);
        graph_->set_insert_point(before);
        return state.stack;
    }

    // An unread value has the type of its replacement.
    static void take_type(Value* value, const Value* other) {
        if (value->node()->kind() == prim::Uninitialized && value->type()->kind() == TypeKind::Any)
            value->set_type(other->type());
    }
    static TypePtr joined(const TypePtr& a, const TypePtr& b) {
        if (a->equals(*b) || b->kind() == TypeKind::None)
            return b->kind() == TypeKind::None && a->kind() != TypeKind::None ? optional(a) : a;
        if (a->kind() == TypeKind::None) return optional(b);
        if (a->kind() == TypeKind::Tensor && b->kind() == TypeKind::Tensor) return types::tensor();
        if (a->kind() == TypeKind::Optional || b->kind() == TypeKind::Optional) {
            const TypePtr inner = joined(a->kind() == TypeKind::Optional ? a->element() : a,
                                         b->kind() == TypeKind::Optional ? b->element() : b);
            return inner->kind() == TypeKind::Any ? inner : optional(inner);
        }
        const bool are_tuples = a->kind() == TypeKind::Tuple && b->kind() == TypeKind::Tuple && a->name() == b->name();
        if (!are_tuples || a->contained().size() != b->contained().size() || !a->name().empty()) return types::any();
        std::vector<TypePtr> elements;
        for (std::size_t i = 0; i < a->contained().size(); ++i)
            elements.push_back(joined(a->contained()[i], b->contained()[i]));
        return types::tuple(std::move(elements));
    }
    static TypePtr optional(const TypePtr& type) {
        return type->kind() == TypeKind::Optional ? type : types::optional(type);
    }

    // --- instructions ---

    void lift_plain(const BytecodeInstruction& each, State& state) {
        const std::string& name = each.name;
        if (name == "LOAD" || name == "MOVE") {
            state.stack.push_back(read(state, each.x));
        } else if (name == "STORE") {
            state.registers[each.x] = pop(state);
        } else if (name == "STOREN") {
            const std::vector<Value*> values = pop_many(state, each.n);
            for (std::size_t i = 0; i < values.size(); ++i)
                state.registers[each.x + static_cast<std::int64_t>(i)] = values[i];
        } else if (name == "DROP") {
            pop(state);
        } else if (name == "DROPR") {
            state.registers.erase(each.x);
        } else if (name == "LOADC") {
            state.stack.push_back(graph_->insert_constant(at(function_.constants, each.x, "constant")));
        } else if (name == "GET_ATTR" || name == "SET_ATTR") {
            lift_attribute(each, state);
        } else if (name == "OP" || name == "OPN") {
            lift_operator(each, state);
        } else {
            lift_construct(each, state);
        }
    }

    void lift_attribute(const BytecodeInstruction& each, State& state) {
        Value* value = each.name == "SET_ATTR" ? pop(state) : nullptr;
        Value* object = present(pop(state));
        const auto* type = object->type()->as<ClassType>();
        if (type == nullptr) fail("reads an attribute of what is no object");
        if (value != nullptr && type == function_.restored.get())
            set_type_of(*function_.restored, each.x, value->type());
        const auto& attribute = at(type->attributes(), each.x, "attribute");
        Node* node = value != nullptr ? graph_->create(prim::SetAttr, {object, value}, 0)
                                      : graph_->create(prim::GetAttr, {object});
        node->set_s(ir::attr::name, attribute.name);
        if (value == nullptr) node->output()->set_type(attribute.type);
        push(node, state);
    }

    static void set_type_of(ClassType& type, std::int64_t slot, const TypePtr& of_value) {
        if (slot < 0 || static_cast<std::uint64_t>(slot) > kMostValues) fail(concat("sets attribute ", slot));
        const auto at = static_cast<std::size_t>(slot);
        while (type.attributes().size() <= at)
            type.add_attribute(std::to_string(type.attributes().size()), types::none());
        type.set_attribute_type(at, of_value, AttributeKind::Attribute);
    }

    void lift_construct(const BytecodeInstruction& each, State& state) {
        const std::string& name = each.name;
        if (lift_promoted(each, state)) return;
        if (name == "LIST_CONSTRUCT" || name == "DICT_CONSTRUCT" || name == "NAMED_TUPLE_CONSTRUCT") {
            const TypePtr& type = at(function_.types, each.x, "type");
            const TypeKind wanted = name == "LIST_CONSTRUCT"   ? TypeKind::List
                                    : name == "DICT_CONSTRUCT" ? TypeKind::Dict
                                                               : TypeKind::Tuple;
            if (type->kind() != wanted) fail(concat(name, " of ", type->str()));
            const Symbol kind = wanted == TypeKind::List   ? prim::ListConstruct
                                : wanted == TypeKind::Dict ? prim::DictConstruct
                                                           : prim::TupleConstruct;
            std::vector<Value*> values = pop_many(state, each.n);
            if (wanted == TypeKind::List) {
                for (Value*& value : values) value = refined(value, type->element());
            }
            Node* node = graph_->create(kind, values);
            node->output()->set_type(type);
            push(node, state);
        } else if (name == "TUPLE_CONSTRUCT") {
            Node* node = graph_->create(prim::TupleConstruct, pop_many(state, each.x));
            std::vector<TypePtr> elements;
            for (const Value* input : node->inputs()) elements.push_back(input->type());
            node->output()->set_type(types::tuple(std::move(elements)));
            push(node, state);
        } else if (name == "TUPLE_INDEX") {
            lift_tuple_index(state);
        } else if (name == "TUPLE_SLICE") {
            lift_tuple_slice(each, state);
        } else if (name == "ISINSTANCE") {
            Node* node = graph_->create(prim::isinstance, {pop(state)});
            std::vector<TypePtr> wanted;
            for (std::int64_t i = 0; i < each.n; ++i) wanted.push_back(at(function_.types, each.x + i, "type"));
            node->set_attribute(ir::attr::types, std::move(wanted));
            node->output()->set_type(types::boolean());
            push(node, state);
        } else if (name == "LIST_UNPACK") {
            Value* list = present(pop(state));
            if (each.x < 0 || static_cast<std::uint64_t>(each.x) > kMostValues)
                fail(concat("unpacks ", each.x, " values"));
            const TypePtr element = list->type()->kind() == TypeKind::List ? list->type()->element() : types::tensor();
            push_unpacked(prim::ListUnpack, list, std::vector<TypePtr>(static_cast<std::size_t>(each.x), element),
                          state);
        } else if (name == "RAISE_EXCEPTION") {
            const std::vector<Value*> values = pop_many(state, 2);
            push(graph_->create(prim::RaiseException, values, 0), state);
        } else if (name == "WARN") {
            const std::vector<Value*> values = pop_many(state, 2);
            push(graph_->create(Symbol::intern("aten::warn"), values, 0), state);
        } else if (name == "UN_INITIALIZED") {
            Node* node = graph_->create(prim::Uninitialized);
            node->output()->set_type(types::any());
            push(node, state);
        } else {
            throw Error(ErrorKind::Unsupported, concat("bytecode instruction ", name, " is not supported"));
        }
    }

    void lift_tuple_index(State& state) {
        Value* index = pop(state);
        Value* tuple = present(pop(state));
        const auto position = ir::constant_of(index);
        if (tuple->type()->kind() != TypeKind::Tuple || !position || !position->is_int())
            fail("reads an element of what is no tuple");
        const auto& elements = tuple->type()->contained();
        const std::int64_t i = position->to_int() < 0 ? position->to_int() + static_cast<std::int64_t>(elements.size())
                                                      : position->to_int();
        Node* node = graph_->create(prim::TupleIndex, {tuple, index});
        node->output()->set_type(at(elements, i, "element"));
        push(node, state);
    }

    void lift_tuple_slice(const BytecodeInstruction& each, State& state) {
        Value* tuple = present(pop(state));
        const auto* type = tuple->type()->as<TupleType>();
        if (type == nullptr || each.x < 0 || each.n < 0 ||
            each.x > static_cast<std::int64_t>(type->contained().size()) - each.n) {
            fail("takes a part of what is no tuple");
        }
        Node* node = graph_->create(prim::TupleSlice, {tuple});
        node->set_i(Symbol::intern("beg"), each.x);
        node->set_i(Symbol::intern("end"), each.x + each.n);
        const auto first = type->contained().begin() + each.x;
        node->output()->set_type(types::tuple({first, first + each.n}));
        push(node, state);
    }

    void push_unpacked(Symbol kind, Value* from, const std::vector<TypePtr>& element_types, State& state) {
        Node* node = graph_->create(kind, {from}, element_types.size());
        for (std::size_t i = 0; i < element_types.size(); ++i) node->output(i)->set_type(element_types[i]);
        push(node, state);
    }

    void lift_operator(const BytecodeInstruction& each, State& state) {
        const BytecodeOperator& named = at(function_.operators, each.x, "operator");
        const Operator* op =
            find_operator(named.overload.empty() ? named.name : concat(named.name, ".", named.overload));
        const bool is_vararg = each.name == "OPN";
        std::int64_t count = is_vararg ? each.n : named.argument_count;
        if (count < 0) count = op != nullptr ? static_cast<std::int64_t>(op->schema.arguments.size()) : 1;
        std::vector<Value*> inputs = pop_many(state, count);
        if (op == nullptr) return lift_unknown(named, std::move(inputs), state);
        fill_defaults(op->schema, inputs);
        create_call(*op, std::move(inputs), state);
    }

    void create_call(const Operator& called, std::vector<Value*> inputs, State& state) {
        const Operator* op = &called;
        for (std::size_t i = 0; i < inputs.size() && i < op->schema.arguments.size(); ++i) {
            inputs[i] = refined(inputs[i], op->schema.arguments[i].type);
        }
        ir::TypeBindings bindings;
        for (std::size_t i = 0; i < inputs.size() && i < op->schema.arguments.size(); ++i) {
            ir::match_type(op->schema.arguments[i].type, inputs[i]->type(), bindings);
        }
        Node* node = graph_->create(Symbol::intern(op->schema.name), inputs, op->schema.returns.size());
        node->set_op(op);
        for (std::size_t i = 0; i < op->schema.returns.size(); ++i) {
            node->output(i)->set_type(without_variables(ir::substitute(op->schema.returns[i].type, bindings)));
        }
        push(node, state);
    }

    bool lift_promoted(const BytecodeInstruction& each, State& state) {
        if (each.name == "FORMAT") {
            create_call(*find_operator("aten::format"), pop_many(state, each.x), state);
        } else if (each.name == "UNCHECKED_CAST") {
            state.stack.push_back(present(pop(state)));
        } else if (each.name == "TO_LIST") {
            lift_to_list(state);
        } else {
            const auto found = std::find_if(kPromoted.begin(), kPromoted.end(),
                                            [&](const Promoted& p) { return p.instruction == each.name; });
            if (found == kPromoted.end()) return false;
            const bool takes_none = found->op == "aten::__is__" || found->op == "aten::__isnot__";
            std::vector<Value*> inputs = pop_many(state, found->count);
            if (!takes_none) inputs[0] = present(inputs[0]);
            std::vector<TypePtr> types;
            for (const Value* input : inputs) types.push_back(input->type());
            const Operator* op = ir::match_operator(found->op, types);
            if (op == nullptr) fail(concat(each.name, " of ", types[0]->str()));
            create_call(*op, std::move(inputs), state);
        }
        return true;
    }

    // The number of dimensions and of the element's type are on the stack.
    void lift_to_list(State& state) {
        const std::vector<Value*> inputs = pop_many(state, 3);
        const auto dimensions = ir::constant_of(inputs[1]);
        const auto kind = ir::constant_of(inputs[2]);
        const std::array kinds = {types::integer(), types::floating(), types::boolean(), types::complex()};
        if (!dimensions || !kind || !dimensions->is_int() || !kind->is_int() || dimensions->to_int() < 0 ||
            dimensions->to_int() > kDeepest || kind->to_int() < 0 ||
            static_cast<std::uint64_t>(kind->to_int()) >= kinds.size()) {
            fail("a list of an unknown type");
        }
        TypePtr type = kinds[static_cast<std::size_t>(kind->to_int())];
        for (std::int64_t i = 0; i < dimensions->to_int(); ++i) type = types::list(type);
        Node* node = graph_->create(prim::tolist, inputs);
        node->output()->set_type(type);
        push(node, state);
    }

    // A file may omit arguments equal to the default.
    void fill_defaults(const FunctionSchema& schema, std::vector<Value*>& inputs) {
        if (schema.is_vararg) return;
        if (inputs.size() > schema.arguments.size()) fail(concat("gives ", schema.full_name(), " too many arguments"));
        for (std::size_t i = inputs.size(); i < schema.arguments.size(); ++i) {
            if (!schema.arguments[i].default_value) fail(concat("gives ", schema.full_name(), " too few arguments"));
            inputs.push_back(graph_->insert_constant(*schema.arguments[i].default_value));
        }
    }

    // Nodes that the interpreter runs without an operator, and operators that the engine lacks.
    void lift_unknown(const BytecodeOperator& named, std::vector<Value*> inputs, State& state) {
        const Symbol kind = Symbol::intern(named.name);
        if (kind == prim::TupleUnpack) {
            if (inputs.size() == 1) inputs[0] = present(inputs[0]);
            if (inputs.size() != 1 || inputs[0]->type()->kind() != TypeKind::Tuple) fail("unpacks what is no tuple");
            return push_unpacked(kind, inputs[0], inputs[0]->type()->contained(), state);
        }
        if (kind == prim::unchecked_cast || kind == Symbol::intern("aten::_unwrap_optional")) {
            if (inputs.size() != 1) fail("casts more than one value");
            const TypePtr& type = inputs[0]->type();
            Node* node = graph_->create(prim::unchecked_cast, inputs);
            node->output()->set_type(type->kind() == TypeKind::Optional ? type->element() : type);
            return push(node, state);
        }
        Node* node = graph_->create(kind, inputs, kind == prim::Print ? 0 : 1);
        push(node, state);
    }

    const BytecodeFunction& function_;
    Ptr<ir::Graph> graph_;
    std::shared_ptr<const ir::InlinedCall> call_;
    bool has_returned_ = false;
};

}  // namespace

Ptr<ir::Graph> graph_of(const BytecodeFunction& function) { return Lifter(function).run(); }

}  // namespace loupe
