// SPDX-License-Identifier: Apache-2.0
#include "canonical_graph.h"

#include <algorithm>
#include <map>

#include "core/base/strings.h"
#include "core/ir/printer.h"
#include "core/script/convert_to_ssa.h"

namespace loupe::script {
namespace {

std::vector<ir::Node*> nodes_of(const ir::Block* block) {
    std::vector<ir::Node*> nodes;
    for (ir::Node* node : block->nodes()) nodes.push_back(node);
    return nodes;
}

// Tuples that are taken apart where they are known.
void lower_tuples(ir::Graph& graph, ir::Block* block) {
    for (ir::Node* node : nodes_of(block)) {
        for (std::size_t i = 0; i < node->block_count(); ++i) lower_tuples(graph, node->block_at(i));
        if (node->kind() != ir::prim::TupleUnpack && node->kind() != ir::prim::TupleIndex) continue;
        const ir::Node* made = node->input()->node();
        if (made->kind() != ir::prim::TupleConstruct) continue;
        if (node->kind() == ir::prim::TupleUnpack) {
            for (std::size_t i = 0; i < made->inputs().size(); ++i)
                node->output(i)->replace_all_uses_with(made->input(i));
        } else if (const auto index = ir::constant_of(node->input(1))) {
            const auto count = static_cast<std::int64_t>(made->inputs().size());
            const std::int64_t at = index->to_int() < 0 ? index->to_int() + count : index->to_int();
            node->output()->replace_all_uses_with(made->input(static_cast<std::size_t>(at)));
        }
    }
}

bool has_effects(const ir::Node* node) {
    if (node->has_side_effects()) return true;
    for (std::size_t i = 0; i < node->block_count(); ++i) {
        for (const ir::Node* inner : node->block_at(i)->nodes()) {
            if (has_effects(inner)) return true;
        }
    }
    return false;
}

bool remove_dead(ir::Block* block) {
    bool changed = false;
    std::vector<ir::Node*> nodes = nodes_of(block);
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
        ir::Node* node = *it;
        if (!node->has_uses() && !has_effects(node)) {
            node->destroy();
            changed = true;
            continue;
        }
        if (node->kind() == ir::prim::If) {
            for (std::size_t i = node->outputs().size(); i-- > 0;) {
                if (node->output(i)->has_uses()) continue;
                node->erase_output(i);
                node->block_at(0)->erase_output(i);
                node->block_at(1)->erase_output(i);
                changed = true;
            }
        }
        for (std::size_t i = 0; i < node->block_count(); ++i) changed = remove_dead(node->block_at(i)) || changed;
    }
    return changed;
}

// A carried value that only makes itself is dead.
bool remove_dead_carried(ir::Block* block) {
    bool changed = false;
    for (ir::Node* node : nodes_of(block)) {
        for (std::size_t i = 0; i < node->block_count(); ++i)
            changed = remove_dead_carried(node->block_at(i)) || changed;
        if (node->kind() != ir::prim::Loop) continue;
        ir::Block* body = node->block_at(0);
        for (std::size_t i = node->outputs().size(); i-- > 0;) {
            if (node->output(i)->has_uses()) continue;
            ir::Value* carried = body->inputs()[i + 1];
            const bool is_only_own =
                std::all_of(carried->uses().begin(), carried->uses().end(),
                            [&](const ir::Use& use) { return use.user == body->return_node() && use.offset == i + 1; });
            const bool unchanged = body->outputs()[i + 1] == carried;
            if (!is_only_own && !unchanged && carried->has_uses()) continue;
            if (unchanged) carried->replace_all_uses_with(node->input(i + 2));
            body->erase_output(i + 1);
            if (carried->has_uses()) continue;
            body->erase_input(i + 1);
            node->erase_output(i);
            node->remove_input(i + 2);
            changed = true;
        }
    }
    return changed;
}

class Writer {
  public:
    Writer(ir::Graph& graph, bool with_places) : graph_(graph), with_places_(with_places) {}
    std::string run() {
        for (const ir::Value* input : graph_.inputs()) out_ += concat(name(input), " : ", input->type()->str(), "\n");
        write(graph_.block(), 1);
        return out_;
    }

  private:
    std::string name(const ir::Value* value) {
        const bool is_tensor = value->type()->kind() == TypeKind::Tensor;
        if (value->node()->kind() == ir::prim::Constant && is_tensor) return "<Tensor>";
        if (value->node()->kind() == ir::prim::Constant) {
            return concat("<", value->type()->str(), " ", ir::print_attributes(*value->node()), ">");
        }
        if (value->node()->kind() == ir::prim::Uninitialized) return concat("<any ", value->type()->str(), ">");
        const auto [place, is_new] = numbers_.try_emplace(value, numbers_.size());
        return concat("%", place->second, value->has_name() ? ":" + value->debug_name() : "");
    }

    void write(const ir::Block* block, std::size_t depth) {
        for (const ir::Node* node : block->nodes()) {
            if (node->kind() == ir::prim::Constant || node->kind() == ir::prim::Uninitialized) continue;
            write(node, depth);
        }
        if (block->owning_node() == nullptr || block->owning_node()->kind() == ir::prim::fork) {
            out_ += std::string(depth * 2, ' ') + "->";
            for (const ir::Value* output : block->outputs()) out_ += " " + name(output);
            out_ += "\n";
        }
    }

    void write(const ir::Node* node, std::size_t depth) {
        const bool is_control = node->kind() == ir::prim::If || node->kind() == ir::prim::Loop;
        std::vector<std::size_t> order(is_control ? node->outputs().size() : 0);
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        out_ += std::string(depth * 2, ' ');
        if (!is_control) {
            for (const ir::Value* output : node->outputs())
                out_ += concat(name(output), " : ", output->type()->str(), ", ");
        }
        out_ += node->kind().str();
        const bool is_warning = node->kind().str() == "aten::warn";  // numbered as they are compiled
        if (node->kind() != ir::prim::fork && !is_warning) out_ += concat("[", ir::print_attributes(*node), "]");
        out_ += "(";
        const std::size_t plain = node->kind() == ir::prim::Loop ? 2 : node->inputs().size();
        for (std::size_t i = 0; i < plain; ++i) out_ += concat(i == 0 ? "" : ", ", name(node->input(i)));
        if (node->kind() == ir::prim::Loop) {
            for (const std::size_t i : order) out_ += ", " + name(node->input(i + 2));
        }
        out_ += ")";
        const std::string printed = ir::print_node(*node);
        // PyTorch names no place for what a text was written for by machine.
        const auto at = printed.rfind(" # ");
        const auto is = [&](std::string_view start) { return printed.compare(at, start.size(), start) == 0; };
        if (with_places_ && at != std::string::npos && !is(" # :0:0") && !is(" # code/")) out_ += printed.substr(at);
        out_ += "\n";
        if (is_control) write_blocks(node, order, depth);
        if (node->kind() == ir::prim::fork) {
            out_ += Writer(*node->g(ir::attr::Subgraph), with_places_).run();
        }
    }

    void write_blocks(const ir::Node* node, const std::vector<std::size_t>& order, std::size_t depth) {
        const bool is_loop = node->kind() == ir::prim::Loop;
        for (std::size_t b = 0; b < node->block_count(); ++b) {
            const ir::Block* block = node->block_at(b);
            out_ += std::string(depth * 2, ' ') + "block";
            if (is_loop) {
                out_ += " " + name(block->inputs()[0]);
                for (const std::size_t i : order)
                    out_ += concat(" ", name(block->inputs()[i + 1]), " : ", block->inputs()[i + 1]->type()->str());
            }
            out_ += "\n";
            write(block, depth + 1);
            out_ += std::string(depth * 2 + 2, ' ') + "->";
            if (is_loop) out_ += " " + name(block->outputs()[0]);
            for (const std::size_t i : order) out_ += " " + name(block->outputs()[i + (is_loop ? 1 : 0)]);
            out_ += "\n";
        }
        out_ += std::string(depth * 2, ' ') + "=";
        for (const std::size_t i : order)
            out_ += concat(" ", name(node->output(i)), " : ", node->output(i)->type()->str());
        out_ += "\n";
    }

    ir::Graph& graph_;
    bool with_places_;
    std::map<const ir::Value*, std::size_t> numbers_;
    std::string out_;
};

}  // namespace

std::string canonical_text(ir::Graph& graph, bool with_places) {
    lower_tuples(graph, graph.block());
    while (remove_dead(graph.block()) || remove_dead_carried(graph.block())) {
    }
    canonicalize_outputs(graph);
    return Writer(graph, with_places).run();
}

}  // namespace loupe::script
