// SPDX-License-Identifier: Apache-2.0
#include "core/formats/lite/lite_bytecode.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/function.h"
#include "core/passes/pass_manager.h"

namespace loupe {
namespace {

using ir::Block;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

constexpr std::int64_t kBytecodeVersion = 8;
const ir::Symbol kWarn = ir::Symbol::intern("aten::warn");

[[noreturn]] void refuse(const Node& node) {
    ErrorContext context;
    context.source = node.range().short_text();
    context.hint = "write a .pt file instead";
    throw Error(ErrorKind::Unsupported, concat("the lite interpreter has no instruction for ", node.kind().str()),
                std::move(context));
}

IValue tuple(std::vector<IValue> elements) { return make_ptr<TupleObject>(std::move(elements)); }

class FunctionBytecode {
  public:
    explicit FunctionBytecode(const ir::Graph& graph) : graph_(graph) {}

    IValue write() {
        current_ = graph_.param_node();
        store_block_inputs(*graph_.block());
        write_nodes(*graph_.block());
        current_ = graph_.return_node();
        load_all(graph_.outputs(), graph_.return_node());
        emit("RET");
        std::vector<IValue> instructions;
        for (const Instruction& each : instructions_) instructions.push_back(tuple({each.name, each.x, each.n}));
        return tuple({field("instructions", tuple(std::move(instructions))), field("operators", tuple(operators_)),
                      field("constants", tuple(constants_)), field("types", tuple(types_)),
                      field("register_size", registers_)});
    }
    // Of each instruction.
    std::vector<LitePlace> take_places() { return std::move(places_); }

  private:
    struct Instruction {
        const char* name;
        std::int64_t x;
        std::int64_t n;
    };

    static IValue field(const char* name, IValue value) { return tuple({name, std::move(value)}); }

    std::size_t emit(const char* name, std::int64_t x = 0, std::int64_t n = 0) {
        instructions_.push_back({name, x, n});
        places_.push_back({current_->kind().str(), current_->range().original(), current_->inlined_from()});
        return instructions_.size() - 1;
    }
    std::int64_t distance(std::size_t from) const { return static_cast<std::int64_t>(instructions_.size() - from); }
    // A jump to the next instruction that will be written.
    void land(std::size_t jump) { instructions_[jump].x = distance(jump); }

    // --- registers ---

    // The node of the value's block that contains its last use; null when unused.
    const Node* last_user(const Value* value) {
        const auto [found, is_new] = last_users_.emplace(value, nullptr);
        if (!is_new) return found->second;
        const Block* home = value->node()->block();
        for (const ir::Use& use : value->uses()) {
            const Node* user = use.user;
            while (user->block() != home) user = user->owning_node();
            if (found->second == nullptr || (found->second != user && found->second->is_before(user)))
                found->second = user;
        }
        return found->second;
    }
    static bool is_used_inside(const Value* value, const Node* node) {
        return std::ranges::any_of(
            value->uses(), [&](const ir::Use& use) { return use.user != node && use.user->block() != node->block(); });
    }
    // Moved by the last instruction that reads it, so that memory is freed early; dropped after a node in whose blocks
    // it is read, since only one of them runs.
    void load(const Value* value, const Node* user, std::size_t offset) {
        if (const auto constant = ir::constant_of(value)) return void(emit("LOADC", constant_index(*constant)));
        const std::int64_t at = registers_of_.at(value);
        const bool is_last =
            value->node()->block() == user->block() && last_user(value) == user && !is_used_inside(value, user) &&
            std::ranges::none_of(value->uses(),
                                 [&](const ir::Use& use) { return use.user == user && use.offset > offset; });
        emit(is_last ? "MOVE" : "LOAD", at);
    }
    void load_all(const std::vector<Value*>& values, const Node* user) {
        for (std::size_t i = 0; i < values.size(); ++i) load(values[i], user, i);
    }
    void store(std::span<Value* const> values) {
        if (values.empty()) return;
        if (values.size() == 1 && !values[0]->has_uses()) return void(emit("DROP"));
        const std::int64_t first = registers_ + 1;
        for (const Value* value : values) registers_of_[value] = ++registers_;
        if (values.size() == 1) return void(emit("STORE", first));
        emit("STOREN", first, static_cast<std::int64_t>(values.size()));
        for (const Value* value : values) {
            if (!value->has_uses()) emit("DROPR", registers_of_[value]);
        }
    }
    void store_block_inputs(const Block& block) {
        const auto& inputs = block.inputs();
        if (inputs.empty()) return;
        const std::int64_t first = registers_ + 1;
        for (const Value* value : inputs) registers_of_[value] = ++registers_;
        emit("STOREN", first, static_cast<std::int64_t>(inputs.size()));
        for (const Value* value : inputs) {
            if (!value->has_uses()) emit("DROPR", registers_of_[value]);
        }
    }
    // Values from outside that the node's blocks were the last to read.
    void drop_after(const Node& node) {
        for (const auto& [value, at] :
             std::vector<std::pair<const Value*, std::int64_t>>(registers_of_.begin(), registers_of_.end())) {
            if (value->node()->block() == node.block() && value->has_uses() && last_user(value) == &node &&
                is_used_inside(value, &node)) {
                dropped_.push_back(at);
            }
        }
        std::ranges::sort(dropped_);
        for (const std::int64_t at : dropped_) emit("DROPR", at);
        dropped_.clear();
    }

    // --- tables ---

    std::int64_t constant_index(const IValue& constant) {
        constants_.push_back(constant);
        for (std::size_t i = 0; i + 1 < constants_.size(); ++i) {
            const bool is_inline = constant.is_none() || constant.is_number() || constant.is_string();
            if (constants_[i].tag() == constant.tag() &&
                (is_inline ? values_equal(constants_[i], constant) : constants_[i].is_same(constant))) {
                constants_.pop_back();
                return static_cast<std::int64_t>(i);
            }
        }
        return static_cast<std::int64_t>(constants_.size()) - 1;
    }
    std::int64_t type_index(const Type& type) {
        types_.emplace_back(type_text(type));
        return static_cast<std::int64_t>(types_.size()) - 1;
    }
    // A named tuple lists its fields: "__torch__.Point[NamedTuple, [[x, int],[y, float]]]".
    static std::string type_text(const Type& type) {
        const auto* named = type.as<TupleType>();
        if (named == nullptr || named->name().empty()) return type.annotation_str();
        std::vector<std::string> fields;
        for (std::size_t i = 0; i < named->fields().size(); ++i) {
            fields.push_back(concat("[", named->fields()[i], ", ", named->contained()[i]->annotation_str(), "]"));
        }
        return concat(named->name(), "[NamedTuple, [", join(fields, ","), "]]");
    }
    std::int64_t operator_index(const FunctionSchema& schema) {
        const auto count = static_cast<std::int64_t>(schema.arguments.size());
        return operator_index(schema.name, schema.overload, schema.is_vararg ? std::nullopt : std::optional(count));
    }
    std::int64_t operator_index(const std::string& name, const std::string& overload,
                                std::optional<std::int64_t> count) {
        const auto [found, is_new] =
            operator_indices_.emplace(concat(name, ".", overload), static_cast<std::int64_t>(operators_.size()));
        if (is_new) {
            operators_.push_back(tuple({name, overload, count.value_or(-1)}));
        }
        return found->second;
    }

    // --- nodes ---

    void write_nodes(const Block& block) {
        for (const Node* node : block.nodes()) write_node(*node);
    }

    void write_node(const Node& node) {
        const ir::Symbol kind = node.kind();
        if (kind == prim::Constant) return;
        current_ = &node;
        if (kind == prim::If) return write_if(node);
        if (kind == prim::Loop) return write_loop(node);
        load_all(node.inputs(), &node);
        if (!write_structural(node, kind)) write_operator(node);
        store(node.outputs());
    }

    bool write_structural(const Node& node, ir::Symbol kind) {
        const auto count = static_cast<std::int64_t>(node.inputs().size());
        if (kind == prim::GetAttr)
            emit("GET_ATTR", slot_of(node));
        else if (kind == prim::SetAttr)
            emit("SET_ATTR", slot_of(node));
        else if (kind == prim::ListConstruct)
            emit("LIST_CONSTRUCT", type_index(*node.output()->type()), count);
        else if (kind == prim::DictConstruct)
            emit("DICT_CONSTRUCT", type_index(*node.output()->type()), count);
        else if (kind == prim::TupleConstruct && node.output()->type()->name().empty())
            emit("TUPLE_CONSTRUCT", count);
        else if (kind == prim::TupleConstruct)
            emit("NAMED_TUPLE_CONSTRUCT", type_index(*node.output()->type()), count);
        else if (kind == prim::TupleSlice)
            write_tuple_slice(node);
        else if (kind == prim::TupleIndex)
            emit("TUPLE_INDEX");
        else if (kind == prim::RaiseException)
            emit("RAISE_EXCEPTION");
        else if (kind == prim::ListUnpack)
            emit("LIST_UNPACK", static_cast<std::int64_t>(node.outputs().size()));
        else if (kind == kWarn)
            emit("WARN");
        else if (kind == prim::Uninitialized)
            emit("UN_INITIALIZED");
        else if (kind == prim::isinstance)
            write_isinstance(node);
        else
            return false;
        return true;
    }

    static std::int64_t slot_of(const Node& node) {
        const auto* type = node.input()->type()->as<ClassType>();
        const auto slot = type == nullptr ? std::nullopt : type->find_attribute(node.s(ir::attr::name));
        if (!slot) refuse(node);
        return static_cast<std::int64_t>(*slot);
    }

    void write_tuple_slice(const Node& node) {
        const std::int64_t begin = node.i(ir::Symbol::intern("beg"));
        emit("TUPLE_SLICE", begin, node.i(ir::Symbol::intern("end")) - begin);
    }

    void write_isinstance(const Node& node) {
        const auto first = static_cast<std::int64_t>(types_.size());
        const std::vector<TypePtr>& wanted = node.tys(ir::attr::types);
        for (const TypePtr& type : wanted) type_index(*type);
        emit("ISINSTANCE", first, static_cast<std::int64_t>(wanted.size()));
    }

    void write_operator(const Node& node) {
        static constexpr std::array kUnknown = {prim::fork,         prim::Enter,       prim::Exit,
                                                prim::With,         prim::Closure,     prim::CallMethod,
                                                prim::CallFunction, prim::CreateObject};
        if (std::ranges::find(kUnknown, node.kind()) != kUnknown.end()) refuse(node);
        const auto count = static_cast<std::int64_t>(node.inputs().size());
        const FunctionSchema* schema = node.schema();
        if (schema == nullptr && node.kind().space() != "prim") refuse(node);
        if (schema != nullptr && schema->is_vararg) return void(emit("OPN", operator_index(*schema), count));
        emit("OP", schema != nullptr ? operator_index(*schema) : operator_index(node.kind().str(), "", count));
    }

    void write_if(const Node& node) {
        load_all(node.inputs(), &node);
        const std::size_t to_false = emit("JF");
        write_branch(*node.block_at(0), node);
        const std::size_t to_end = emit("JMP");
        land(to_false);
        write_branch(*node.block_at(1), node);
        land(to_end);
        store(node.outputs());
        drop_after(node);
    }
    void write_branch(const Block& block, const Node& owner) {
        write_nodes(block);
        current_ = &owner;
        load_all(block.outputs(), block.return_node());
    }

    // The stack at LOOP: count so far, most, condition, carried values.
    void write_loop(const Node& node) {
        emit("LOADC", constant_index(std::int64_t{0}));
        load_all(node.inputs(), &node);
        const std::size_t start = emit("LOOP", 0, static_cast<std::int64_t>(node.inputs().size()));
        const Block& body = *node.block_at(0);
        store_block_inputs(body);
        write_branch(body, node);
        emit("JMP", -distance(start));
        land(start);
        store(node.outputs());
        drop_after(node);
    }

    const ir::Graph& graph_;
    const Node* current_ = nullptr;  // that instructions are written for
    std::vector<Instruction> instructions_;
    std::vector<LitePlace> places_;
    std::vector<IValue> operators_, constants_, types_;
    std::unordered_map<std::string, std::int64_t> operator_indices_;
    std::unordered_map<const Value*, std::int64_t> registers_of_;
    std::unordered_map<const Value*, const Node*> last_users_;
    std::vector<std::int64_t> dropped_;
    std::int64_t registers_ = 0;
};

IValue schema_arguments(const std::vector<Argument>& arguments) {
    std::vector<IValue> all;
    for (const Argument& argument : arguments) {
        all.push_back(tuple({tuple({"name", argument.name}), tuple({"type", argument.type->annotation_str()}),
                             tuple({"default_value", argument.default_value.value_or(IValue())})}));
    }
    return tuple(std::move(all));
}

class ModelBytecode {
  public:
    LiteBytecode write(const nn::Module& module) {
        for (const auto& [name, method] : module.type()->methods()) add(*method);
        add_restoring(module);
        return {tuple(std::move(functions_)), std::move(places_)};
    }

  private:
    void add(const Function& method) {
        const auto* function = dynamic_cast<const ir::ScriptFunction*>(&method);
        if (function == nullptr || !seen_.insert(function->qualified_name()).second) return;
        const Ptr<ir::Graph> graph = function->graph()->copy();
        passes::PassManager manager;
        manager.keep_snapshots(false);
        manager.run(*graph, passes::pipeline_of("inline"));
        const FunctionSchema& schema = function->schema();
        const IValue types = tuple({tuple({"arguments", schema_arguments(schema.arguments)}),
                                    tuple({"returns", schema_arguments(schema.returns)})});
        FunctionBytecode code(*graph);
        functions_.push_back(tuple({function->qualified_name(), code.write(), types}));
        places_.push_back(code.take_places());
    }

    // The functions that restore objects inside when the file is read; these restore their own contents.
    void add_restoring(const Object& object) {
        if (!visited_.insert(&object).second) return;
        const ClassType& type = *object.type();
        const Function* get = type.find_method("__getstate__");
        const Function* set = type.find_method("__setstate__");
        if (get != nullptr && set != nullptr) {
            add(*set);
            add(*get);
            return;
        }
        for (std::size_t i = 0; i < object.slot_count(); ++i) {
            if (object.slot(i).is_object()) add_restoring(*object.slot(i).to_object());
        }
    }

    std::vector<IValue> functions_{kBytecodeVersion};
    std::vector<std::vector<LitePlace>> places_;
    std::unordered_set<std::string> seen_;
    std::unordered_set<const Object*> visited_;
};

}  // namespace

LiteBytecode lite_bytecode(const nn::Module& module) { return ModelBytecode().write(module); }

}  // namespace loupe
