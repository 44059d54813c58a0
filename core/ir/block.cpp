// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "core/ir/graph.h"

namespace loupe::ir {

Block::Block(Graph* graph, Node* owner) : graph_(graph), owner_(owner) {
    param_ = new Node(graph, prim::Param, graph->next_node_id_++);
    return_ = new Node(graph, prim::Return, graph->next_node_id_++);
    for (Node* node : {param_, return_}) {
        node->block_ = this;
        node->op_resolved_ = true;
    }
    param_->next_ = param_->prev_ = return_;
    return_->next_ = return_->prev_ = param_;
}

Block::~Block() {
    for (Node* node = param_->next_; node != return_;) {
        Node* next = node->next_;
        delete node;
        node = next;
    }
    delete param_;
    delete return_;
}

Value* Block::add_input(const std::string& name) { return insert_input(inputs().size(), name); }

Value* Block::insert_input(std::size_t i, const std::string& name) {
    Value* value = param_->insert_output(i);
    if (!name.empty()) value->set_name(name);
    return value;
}

std::size_t Block::add_output(Value* value) {
    return_->add_input(value);
    return outputs().size() - 1;
}

std::size_t Block::insert_output(std::size_t i, Value* value) {
    return_->insert_input(i, value);
    return i;
}

Node* Block::append(Node* node) { return node->insert_before(return_); }

Node* Block::prepend(Node* node) { return node->insert_before(param_->next_); }

bool Block::is_inside(const Block* outer) const {
    for (const Block* block = this; block != nullptr;) {
        if (block == outer) return true;
        block = block->owner_ != nullptr ? block->owner_->block() : nullptr;
    }
    return false;
}

void Block::copy_from(const Block& other, ValueMap& map, bool keep_ids) {
    if (keep_ids) {
        param_->id_ = other.param_->id_;
        return_->id_ = other.return_->id_;
    }
    for (const Value* input : other.inputs()) {
        Value* copied = add_input();
        if (keep_ids) copied->id_ = input->id();
        map[input] = copied->copy_metadata(*input);
    }
    const auto mapped = [&map](Value* value) {
        const auto found = map.find(value);
        return found == map.end() ? value : found->second;
    };
    for (const Node* node : other.nodes()) {
        Node* copied = append(graph_->create_copy(*node, mapped, false, keep_ids));
        for (std::size_t i = 0; i < node->outputs().size(); ++i) {
            // Again, as in PyTorch: it decides the numeric suffixes of names in one graph.
            map[node->output(i)] = copied->output(i)->copy_metadata(*node->output(i));
        }
        for (std::size_t i = 0; i < node->block_count(); ++i) {
            copied->add_block()->copy_from(*node->block_at(i), map, keep_ids);
        }
    }
    for (Value* output : other.outputs()) add_output(mapped(output));
}

}  // namespace loupe::ir
