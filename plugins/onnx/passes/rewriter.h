// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the rules that write operators of PyTorch for operators of ONNX share.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace loupe::onnx {

using Values = std::vector<ir::Value*>;

// Knows the graph's values, and makes nodes where the graph inserts them.
class Rewriter {
  public:
    // module: the graph's first input; null when there is none.
    Rewriter(ir::Graph& graph, Ptr<Object> module) : graph_(graph), module_(std::move(module)) {}

    // --- what is known ---
    // A parameter, a buffer or a constant.
    std::optional<Tensor> tensor_of(const ir::Value* value) const;
    std::optional<std::int64_t> rank_of(const ir::Value* value) const;
    std::optional<std::int64_t> size_of(const ir::Value* value, std::int64_t dim) const;
    std::optional<ScalarType> dtype_of(const ir::Value* value) const;
    // The number of a constant with one element.
    std::optional<double> number_of(const ir::Value* value) const;
    // Whole numbers of a constant list or of a constant tensor, of an argument; nullopt for others, None too.
    std::optional<Dims> whole_numbers(const ir::Value* value) const;
    std::optional<Dims> whole_numbers(const ir::Node* node, std::string_view argument) const;
    static std::optional<std::int64_t> whole_number(const ir::Node* node, std::string_view argument);
    static std::string text(const ir::Node* node, std::string_view argument);
    static bool is_none(const ir::Node* node, std::string_view argument);

    // --- what is made ---
    ir::Value* constant(IValue value) const { return graph_.insert_constant(std::move(value)); }
    ir::Value* none() const;
    ir::Value* numbers(const Dims& values) const { return constant(IValue(values)); }
    // A list of these whole numbers; a constant when all are.
    ir::Value* number_list(const Values& values) const;
    // name is full: "aten::add.Tensor". Its arguments beyond the inputs are the defaults.
    ir::Value* call(const char* name, Values inputs) const;

  private:
    std::optional<IValue> attribute_of(const ir::Value* value) const;

    ir::Graph& graph_;
    Ptr<Object> module_;
};

// The value that takes the place of a node's first result; null when the rule does not fit.
using Rule = ir::Value* (*)(const Rewriter& rewriter, ir::Node* node);
struct NamedRule {
    std::string_view operator_name;  // full: "onnx::Add.v7"
    Rule rule;
};
// An operator of ONNX as the operator of PyTorch that it was.
std::span<const NamedRule> direct_rules();
std::span<const NamedRule> shape_rules();
// Of those what takes sizes from a tensor. They read the nodes that the other rules replace, and come first.
std::span<const NamedRule> size_rules();
// Several operators of PyTorch as the one that was taken apart; by the last of them.
std::span<const NamedRule> joining_rules();

// The elements of a one-dimensional tensor of sizes, each as a number in the graph: what becomes of Shape, Gather,
// Concat, and arithmetic between. nullopt when it is something else.
std::optional<Values> sizes_in(const Rewriter& rewriter, const ir::Value* value);

}  // namespace loupe::onnx
