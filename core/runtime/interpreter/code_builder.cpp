// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/passes/bailout_graph.h"
#include "core/runtime/interpreter/code.h"
#include "core/runtime/interpreter/pass_operators.h"
#include "core/runtime/interpreter/structural.h"

namespace loupe::runtime {
namespace {

using ir::Block;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

// Values whose last use in their block is a node: moved out by it, or dropped after it.
struct Death {
    const Value* value;
    bool is_direct;  // only as an input, not in a block of the node
};

class Builder {
  public:
    explicit Builder(Code& code) : code_(code) {}

    void build() {
        const Block& block = *code_.graph().block();
        for (const Value* input : block.inputs()) home_[input] = code_.register_count++;
        find_deaths(block);
        drop_unused(block.inputs(), nullptr);
        emit_nodes(block);
        Instruction& last = emit(OpCode::Return, block.return_node());
        set_inputs(last, block.outputs(), block.return_node());
    }

  private:
    // Values that other nodes refer to in the graph itself.
    static bool makes_nothing(const Node* node) {
        return node->kind() == prim::Constant || node->kind() == passes::bailout_template_kind();
    }

    // --- liveness ---

    static const Node* ancestor_in(const Block& block, const Node* node) {
        while (node->block() != &block) node = node->owning_node();
        return node;
    }

    void find_death(const Block& block, const Value* value) {
        const Node* last = nullptr;
        for (const ir::Use& use : value->uses()) {
            const Node* user = ancestor_in(block, use.user);
            if (last == nullptr || last->is_before(user)) last = user;
        }
        if (last == nullptr) return;
        const bool direct = std::all_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
            return use.user == last || ancestor_in(block, use.user) != last;
        });
        deaths_[last].push_back({value, direct});
    }

    void find_deaths(const Block& block) {
        for (const Value* input : block.inputs()) find_death(block, input);
        for (const Node* node : block.nodes()) {
            if (makes_nothing(node)) continue;
            for (const Value* output : node->outputs()) find_death(block, output);
            for (std::size_t i = 0; i < node->block_count(); ++i) find_deaths(*node->block_at(i));
        }
    }

    bool dies_at(const Value* value, const Node* node) const {
        const auto found = deaths_.find(node);
        if (found == deaths_.end()) return false;
        return std::any_of(found->second.begin(), found->second.end(),
                           [value](const Death& d) { return d.value == value && d.is_direct; });
    }

    // --- registers ---

    std::uint32_t take_register() {
        if (free_.empty()) return code_.register_count++;
        const std::uint32_t reg = free_.back();
        free_.pop_back();
        return reg;
    }
    void release_register(std::uint32_t reg) {
        if (!std::count(pinned_.begin(), pinned_.end(), reg)) free_.push_back(reg);
    }
    std::uint32_t register_of(const Value* value) const { return home_.at(value); }

    // --- instructions ---

    Instruction& emit(OpCode opcode, const Node* node) {
        Instruction instruction;
        instruction.code = opcode;
        instruction.node = node;
        code_.instructions.push_back(instruction);
        return code_.instructions.back();
    }
    std::uint32_t here() const { return static_cast<std::uint32_t>(code_.instructions.size()); }

    std::uint32_t constant_index(const Value* value) {
        const auto [place, is_new] = constants_.try_emplace(value, static_cast<std::uint32_t>(code_.constants.size()));
        if (is_new) {
            const auto constant = ir::constant_of(value);
            if (!constant && value->type()->kind() != TypeKind::Function) {
                throw Error(ErrorKind::Unsupported,
                            concat("the elements of constant %", value->debug_name(), " are not known"));
            }
            code_.constants.push_back(constant.value_or(IValue()));
        }
        return place->second;
    }

    // The inputs of an instruction; each is moved at its last use, by `node`.
    template <typename Values>
    void set_inputs(Instruction& instruction, const Values& values, const Node* node) {
        instruction.inputs = static_cast<std::uint32_t>(code_.operands.size());
        instruction.input_count = static_cast<std::uint16_t>(std::size(values));
        for (auto value = std::begin(values); value != std::end(values); ++value) {
            if (ir::is_constant(*value)) {
                code_.operands.emplace_back(Operand::Kind::Constant, constant_index(*value));
                continue;
            }
            const bool moves =
                dies_at(*value, node) && std::find(std::next(value), std::end(values), *value) == std::end(values);
            code_.operands.emplace_back(moves ? Operand::Kind::Move : Operand::Kind::Copy, register_of(*value));
        }
        note_window(instruction);
    }

    void set_outputs(Instruction& instruction, const std::vector<std::uint32_t>& registers) {
        instruction.outputs = static_cast<std::uint32_t>(code_.registers.size());
        instruction.output_count = static_cast<std::uint16_t>(registers.size());
        code_.registers.insert(code_.registers.end(), registers.begin(), registers.end());
        note_window(instruction);
    }

    void note_window(const Instruction& instruction) {
        const std::uint32_t size = static_cast<std::uint32_t>(instruction.input_count) + instruction.output_count;
        code_.window_size = std::max(code_.window_size, size);
    }

    // Registers of values that the node used last are free for its outputs: inputs are gathered first.
    void release_moved(const Node* node) {
        const auto found = deaths_.find(node);
        if (found == deaths_.end()) return;
        for (const Death& death : found->second) {
            if (death.is_direct) release_register(register_of(death.value));
        }
    }

    void drop_nested(const Node* node) {
        const auto found = deaths_.find(node);
        if (found == deaths_.end()) return;
        std::vector<std::uint32_t> registers;
        for (const Death& death : found->second) {
            if (death.is_direct) continue;
            registers.push_back(register_of(death.value));
            release_register(registers.back());
        }
        if (!registers.empty()) set_outputs(emit(OpCode::Drop, node), registers);
    }

    void drop_unused(const std::vector<Value*>& values, const Node* node) {
        std::vector<std::uint32_t> registers;
        for (const Value* value : values) {
            if (value->has_uses()) continue;
            registers.push_back(register_of(value));
            release_register(registers.back());
        }
        if (!registers.empty()) set_outputs(emit(OpCode::Drop, node), registers);
    }

    std::vector<std::uint32_t> output_registers(const Node& node) {
        std::vector<std::uint32_t> registers;
        for (const Value* output : node.outputs()) {
            registers.push_back(output->has_uses() ? (home_[output] = take_register()) : kDiscard);
        }
        return registers;
    }

    // --- nodes ---

    void emit_nodes(const Block& block) {
        for (const Node* node : block.nodes()) {
            if (makes_nothing(node)) continue;
            if (node->kind() == prim::If)
                emit_if(*node);
            else if (node->kind() == prim::Loop)
                emit_loop(*node);
            else
                emit_plain(*node);
        }
    }

    void emit_plain(const Node& node) {
        const std::size_t index = here();
        emit(OpCode::Structural, &node);
        choose(code_.instructions[index], node);
        // The function itself, with the graph of the rest.
        const bool skips_first = node.kind() == prim::CallFunction || node.kind() == passes::bailout_kind();
        std::vector<Value*> inputs(node.inputs().begin() + (skips_first ? 1 : 0), node.inputs().end());
        set_inputs(code_.instructions[index], inputs, &node);
        release_moved(&node);
        set_outputs(code_.instructions[index], output_registers(node));
    }

    void choose(Instruction& instruction, const Node& node) {
        const Symbol kind = node.kind();
        if (kind == prim::CallMethod) {
            choose_call(instruction, OpCode::CallMethod, node, node.s(ir::attr::name));
        } else if (kind == prim::CallFunction) {
            choose_call(instruction, OpCode::CallFunction, node, {});
            code_.call_sites.back().function = ir::function_of(node.input(0));
        } else if (kind == prim::Enter || kind == prim::Exit) {
            const bool enters = kind == prim::Enter;
            choose_call(instruction, enters ? OpCode::Enter : OpCode::Exit, node, enters ? "__enter__" : "__exit__");
        } else if (kind == prim::fork) {
            choose_call(instruction, OpCode::Fork, node, {});
            code_.call_sites.back().forked = Code::make(node.g(ir::attr::Subgraph), code_.function_name());
        } else if (kind == prim::GetAttr || kind == prim::SetAttr) {
            instruction.code = kind == prim::GetAttr ? OpCode::GetAttribute : OpCode::SetAttribute;
            instruction.is_observed = kind == prim::SetAttr;
            instruction.target = static_cast<std::uint32_t>(code_.attribute_sites.size());
            code_.attribute_sites.push_back({node.s(ir::attr::name), nullptr, 0});
        } else if (kind == passes::bailout_kind()) {
            instruction.code = OpCode::BailOut;
        } else if (const StructuralFunction function = find_structural(kind)) {
            instruction.structural = function;
            instruction.is_observed = kind == prim::Print || kind == prim::RaiseException;
        } else if (const StructuralFunction group = find_group(kind)) {
            instruction.structural = group;
            instruction.is_observed = !node.has_attribute(ir::attr::Subgraph);  // its operators are
        } else if (const StructuralFunction batched = find_pass_operator(kind)) {
            instruction.structural = batched;
            instruction.is_observed = true;
        } else {
            choose_operator(instruction, node);
        }
    }

    static StructuralFunction find_group(Symbol kind) {
        for (const GroupOperator& group : group_operators()) {
            if (group.kind == kind) return group.run;
        }
        return nullptr;
    }

    // An operator that the engine lacks is no fault before it is reached.
    static void choose_operator(Instruction& instruction, const Node& node) {
        const Operator* op = node.op();
        if (op == nullptr) {
            instruction.structural = missing_operator;
            instruction.is_observed = true;
            return;
        }
        instruction.code = OpCode::Operator;
        instruction.op = op;
        instruction.is_observed = loupe::is_observed(*op);
    }

    void choose_call(Instruction& instruction, OpCode opcode, const Node& node, const std::string& method) {
        instruction.code = opcode;
        instruction.target = static_cast<std::uint32_t>(code_.call_sites.size());
        CallSite site;
        site.name = method;
        if (opcode == OpCode::CallMethod) site.relative_scope = module_path(node.input(0));
        code_.call_sites.push_back(std::move(site));
    }

    // The path of a module value from self: "layer1.0" when it was read as self.layer1.0.
    static std::string module_path(const Value* value) {
        std::string path;
        for (const Node* node = value->node(); node->kind() == prim::GetAttr; node = node->input(0)->node()) {
            path = path.empty() ? node->s(ir::attr::name) : concat(node->s(ir::attr::name), ".", path);
        }
        return path;
    }

    void emit_if(const Node& node) {
        const std::size_t branch = here();
        set_inputs(emit(OpCode::JumpIfFalse, &node), node.inputs(), &node);
        release_moved(&node);
        const std::vector<std::uint32_t> results = output_registers(node);
        emit_branch(*node.block_at(0), results);
        const std::size_t skip = here();
        emit(OpCode::Jump, &node);
        code_.instructions[branch].target = here();
        emit_branch(*node.block_at(1), results);
        code_.instructions[skip].target = here();
        drop_nested(&node);
    }

    void emit_branch(const Block& block, const std::vector<std::uint32_t>& results) {
        emit_nodes(block);
        if (results.empty()) return;
        const std::size_t index = here();
        emit(OpCode::Assign, block.return_node());
        set_inputs(code_.instructions[index], block.outputs(), block.return_node());
        release_moved(block.return_node());
        set_outputs(code_.instructions[index], results);
    }

    void emit_loop(const Node& node) {
        const Block& body = *node.block_at(0);
        const std::size_t start = here();
        set_inputs(emit(OpCode::LoopStart, &node), node.inputs(), &node);
        release_moved(&node);
        std::vector<std::uint32_t> registers{take_register(), take_register()};  // counter, max
        for (const Value* input : body.inputs()) registers.push_back(home_[input] = take_register());
        pinned_.insert(pinned_.end(), registers.begin(), registers.end());
        set_outputs(code_.instructions[start], registers);
        const std::uint32_t first = here();
        drop_unused(body.inputs(), &node);
        emit_nodes(body);
        const std::size_t next = here();
        set_inputs(emit(OpCode::LoopNext, &node), body.outputs(), body.return_node());
        release_moved(body.return_node());
        set_outputs(code_.instructions[next], registers);
        code_.instructions[next].target = first;
        code_.instructions[start].target = here();
        pinned_.resize(pinned_.size() - registers.size());
        finish_loop(node, registers);
    }

    // The carried registers hold the loop's results; the others are free.
    void finish_loop(const Node& node, const std::vector<std::uint32_t>& registers) {
        for (std::size_t i = 0; i < 3; ++i) free_.push_back(registers[i]);
        std::vector<std::uint32_t> unused{registers[2]};
        for (std::size_t i = 0; i < node.outputs().size(); ++i) {
            home_[node.output(i)] = registers[i + 3];
            if (node.output(i)->has_uses()) continue;
            unused.push_back(registers[i + 3]);
            free_.push_back(registers[i + 3]);
        }
        set_outputs(emit(OpCode::Drop, &node), unused);
        drop_nested(&node);
    }

    Code& code_;
    std::unordered_map<const Value*, std::uint32_t> home_;
    std::unordered_map<const Value*, std::uint32_t> constants_;
    std::unordered_map<const Node*, std::vector<Death>> deaths_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> pinned_;
};

}  // namespace

Ptr<const Code> Code::make(Ptr<const ir::Graph> graph, std::string function_name) {
    Ptr<Code> code(new Code(std::move(graph), std::move(function_name)));
    Builder(*code).build();
    return code;
}

const Code& code_of(const ir::ScriptFunction& function) {
    if (!function.cached_code()) {
        const Ptr<const ir::Graph> graph = function.graph();
        const Ptr<const Code> code = Code::make(graph, function.qualified_name());
        function.set_cached_code(Ptr<RefCounted>(const_cast<Code*>(code.get())));
    }
    return static_cast<const Code&>(*function.cached_code());
}

namespace {

constexpr const char* kOpCodeNames[] = {"op",         "prim",      "assign",      "drop",     "jump",  "jump_if_false",
                                        "loop_start", "loop_next", "call_method", "call",     "enter", "exit",
                                        "fork",       "get",       "set",         "bail_out", "return"};

std::string operand_text(Operand operand) {
    static constexpr const char* kKinds[] = {"r", "move r", "c"};
    return concat(kKinds[static_cast<std::size_t>(operand.kind())], operand.index());
}

}  // namespace

std::string Code::str() const {
    std::string out;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        const Instruction& instruction = instructions[i];
        out += concat(i, ": ");
        for (std::size_t k = 0; k < instruction.output_count; ++k) {
            const std::uint32_t reg = registers[instruction.outputs + k];
            out += reg == kDiscard ? "_ " : concat("r", reg, " ");
        }
        out +=
            concat(instruction.output_count > 0 ? "= " : "", kOpCodeNames[static_cast<std::size_t>(instruction.code)]);
        if (instruction.code == OpCode::Operator) out += concat(" ", instruction.op->full_name);
        if (instruction.code == OpCode::Structural) out += concat(" ", instruction.node->kind().str());
        for (std::size_t k = 0; k < instruction.input_count; ++k)
            out += concat(" ", operand_text(operands[instruction.inputs + k]));
        const bool jumps = instruction.code >= OpCode::Jump && instruction.code <= OpCode::LoopNext;
        out += jumps ? concat(" -> ", instruction.target, "\n") : "\n";
    }
    return out;
}

}  // namespace loupe::runtime
