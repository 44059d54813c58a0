// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/control_flow.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/passes/graph_tools.h"

namespace loupe::onnx_export {

namespace prim = ir::prim;

namespace {

// Loops of known length that have no form of their own are written out up to this many times.
constexpr std::int64_t kMostUnrolled = 512;

bool only_raises(const ir::Block& block) {
    return std::any_of(block.nodes().begin(), block.nodes().end(),
                       [](const ir::Node* node) { return node->kind() == prim::RaiseException; });
}

bool is_constant(const Operand& operand) { return operand.kind == Operand::Kind::Constant; }

std::optional<std::int64_t> known_int(const Operand& operand) {
    if (!is_constant(operand) || !operand.constant.is_int()) return std::nullopt;
    return operand.constant.to_int();
}
std::optional<bool> known_bool(const Operand& operand) {
    if (is_constant(operand) && operand.constant.is_bool()) return operand.constant.to_bool();
    return std::nullopt;
}

// A loop without a condition and without a number of rounds has the largest number there is.
bool is_endless(std::int64_t trips) { return trips >= std::numeric_limits<std::int64_t>::max() - 1; }

}  // namespace

void ControlFlow::visit(const ir::Node& node) { node.kind() == prim::If ? visit_if(node) : visit_loop(node); }

void ControlFlow::begin_graph(const std::string& name) {
    b_.open_graph(b_.unique(name));
    exporter_.journals_.emplace_back();
}

GraphDef ControlFlow::end_graph() {
    for (auto& [state, before] : exporter_.journals_.back()) *state = before;
    exporter_.journals_.pop_back();
    return b_.close_graph();
}

void ControlFlow::add_output(const OnnxValue& value, ScalarType dtype) {
    const OnnxValue cast = b_.cast(value, dtype);
    const auto& nodes = b_.graph().nodes;
    const bool is_made_here = std::any_of(nodes.begin(), nodes.end(), [&](const NodeDef& node) {
        return std::find(node.outputs.begin(), node.outputs.end(), cast.name) != node.outputs.end();
    });
    const auto& outputs = b_.graph().outputs;
    const bool is_taken =
        std::any_of(outputs.begin(), outputs.end(), [&](const ValueDef& output) { return output.name == cast.name; });
    // A value from outside, a constant, or one that is an output already.
    const bool is_own = is_made_here && !is_taken && !cast.name.empty();
    const OnnxValue own = is_own ? cast : b_.emit("Identity", {cast}, {}, dtype, value.sizes);
    ValueDef def{.name = own.name, .dtype = dtype, .is_sequence = value.is_sequence};
    if (value.sizes && !value.is_sequence) {
        def.dims.emplace();
        for (const std::int64_t size : *value.sizes) def.dims->push_back({size, {}});
    }
    b_.graph().outputs.push_back(std::move(def));
}

std::optional<ControlFlow::Flow> ControlFlow::joined(const Operand& a, const Operand& b) {
    const auto is_number = [](const Operand& each) {
        return each.kind == Operand::Kind::Number || (is_constant(each) && each.constant.is_number());
    };
    if (is_constant(a) && is_constant(b) && values_equal(a.constant, b.constant)) return Flow{.constant = a.constant};
    if (is_number(a) && is_number(b)) {
        const auto dtype = [](const Operand& each) {
            if (each.kind == Operand::Kind::Number) return each.number.dtype;
            return each.constant.is_bool()  ? ScalarType::Bool
                   : each.constant.is_int() ? ScalarType::Int64
                                            : ScalarType::Float64;
        };
        if (dtype(a) != dtype(b)) return std::nullopt;
        return Flow{.kind = Operand::Kind::Number, .dtype = dtype(a)};
    }
    if (!a.is_tensor() || !b.is_tensor()) return std::nullopt;
    const TensorState& x = *a.tensor;
    const TensorState& y = *b.tensor;
    if (x.value.dtype != y.value.dtype) return std::nullopt;
    Flow flow{.kind = Operand::Kind::Tensor, .dtype = x.value.dtype};
    if (!x.sizes || !y.sizes || (*x.sizes)[0].size() != (*y.sizes)[0].size()) return flow;
    flow.sizes = x.sizes;
    for (std::size_t d = 0; d < (*x.sizes)[0].size(); ++d) {
        const bool is_same = (*x.sizes)[0][d] == (*y.sizes)[0][d] && (*x.sizes)[1][d] == (*y.sizes)[1][d];
        if (!is_same) (*flow.sizes)[0][d] = -1;
    }
    return flow;
}

Operand ControlFlow::operand_of(const Flow& flow, OnnxValue value) {
    if (flow.kind == Operand::Kind::Constant) return constant_operand(flow.constant);
    value.dtype = flow.dtype;
    if (flow.kind == Operand::Kind::Number) return Exporter::number_operand(std::move(value));
    value.sizes.reset();
    if (!flow.sizes) return exporter_.tensor_operand(std::move(value));
    auto sizes = *flow.sizes;
    for (std::size_t d = 0; d < sizes[0].size(); ++d) {
        if (sizes[0][d] >= 0) continue;
        const auto fresh = exporter_.fresh_size();
        for (std::size_t c = 0; c < kChoices; ++c) sizes[c][d] = fresh[c];
    }
    return exporter_.tensor_operand(std::move(value), std::move(sizes));
}

// ---- branches

ControlFlow::Branch ControlFlow::write_branch(const ir::Block& block) {
    begin_graph("branch");
    Branch branch;
    try {
        exporter_.visit_block(block);
        for (const ir::Value* output : block.outputs()) {
            exporter_.refresh(exporter_.at(output));
            branch.results.push_back(exporter_.at(output));
        }
    } catch (...) {
        end_graph();
        throw;
    }
    branch.graph = end_graph();
    return branch;
}

void ControlFlow::visit_if(const ir::Node& node) {
    const Operand condition = exporter_.at(node.input(0));
    std::optional<bool> decided = known_bool(condition);
    // An assertion: ONNX has no exceptions.
    if (!decided && only_raises(*node.block_at(0))) decided = false;
    if (!decided && only_raises(*node.block_at(1))) decided = true;
    if (decided) {
        const ir::Block& taken = *node.block_at(*decided ? 0 : 1);
        exporter_.visit_block(taken);
        for (std::size_t i = 0; i < node.outputs().size(); ++i) {
            const ir::Value* result = taken.outputs()[i];
            if (const auto object = exporter_.objects_.find(result); object != exporter_.objects_.end())
                exporter_.objects_[node.output(i)] = object->second;
            else
                exporter_.set(node.output(i), Operand(exporter_.at(result)));
        }
        return;
    }
    std::array<Branch, 2> branches{write_branch(*node.block_at(0)), write_branch(*node.block_at(1))};
    b_.set_place(node.scope(), exporter_.scopes_.metadata_of(node));
    std::vector<Flow> flows;
    std::vector<ScalarType> dtypes;
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
        auto flow = joined(branches[0].results[i], branches[1].results[i]);
        if (!flow) unsupported("branches that give values of different types");
        flows.push_back(*flow);
        if (flow->kind != Operand::Kind::Constant) dtypes.push_back(flow->dtype);
    }
    Attributes attributes;
    for (std::size_t n = 0; n < 2; ++n) {
        // Opened again for its outputs.
        const std::string name = branches[n].graph.name;
        b_.open_graph(name);
        b_.graph() = std::move(branches[n].graph);
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (flows[i].kind != Operand::Kind::Constant)
                add_output(exporter_.value_of(branches[n].results[i]), flows[i].dtype);
        }
        attributes.push_back({n == 0 ? "then_branch" : "else_branch", std::make_shared<GraphDef>(b_.close_graph())});
    }
    const OnnxValue chosen = b_.cast(exporter_.value_of(condition), ScalarType::Bool);
    if (dtypes.empty()) {
        for (std::size_t i = 0; i < flows.size(); ++i)
            exporter_.set(node.output(i), constant_operand(flows[i].constant));
        return;
    }
    const OnnxValues results = b_.emit_many("If", {chosen}, std::move(attributes), dtypes);
    for (std::size_t i = 0, at = 0; i < flows.size(); ++i) {
        const bool is_constant_result = flows[i].kind == Operand::Kind::Constant;
        exporter_.set(node.output(i), operand_of(flows[i], is_constant_result ? OnnxValue() : results[at++]));
    }
}

// ---- loops

void ControlFlow::unroll(const ir::Node& node, std::int64_t trips) {
    const ir::Block& body = *node.block_at(0);
    const std::size_t count = node.outputs().size();
    Operands carried;
    for (std::size_t i = 0; i < count; ++i) carried.push_back(exporter_.at(node.input(i + 2)));
    std::optional<bool> goes_on = known_bool(exporter_.at(node.input(1)));
    for (std::int64_t trip = 0; trip < trips; ++trip) {
        if (!goes_on) unsupported("a loop whose end depends on what it computes, which has no form in ONNX");
        if (!*goes_on) break;
        if (trip >= kMostUnrolled) unsupported(concat("a loop of more than ", kMostUnrolled, " rounds"));
        exporter_.set(body.inputs()[0], constant_operand(IValue(trip)));
        for (std::size_t i = 0; i < count; ++i) exporter_.set(body.inputs()[i + 1], carried[i]);
        exporter_.visit_block(body);
        goes_on = known_bool(exporter_.at(body.outputs()[0]));
        for (std::size_t i = 0; i < count; ++i) carried[i] = exporter_.at(body.outputs()[i + 1]);
    }
    for (std::size_t i = 0; i < count; ++i) exporter_.set(node.output(i), carried[i]);
}

void ControlFlow::visit_loop(const ir::Node& node) {
    const Operand trips = exporter_.at(node.input(0));
    const Operand begins = exporter_.at(node.input(1));
    if (known_bool(begins) == false || known_int(trips) == 0) return unroll(node, 0);
    std::string why;
    try {
        std::vector<bool> is_grown(node.outputs().size());
        for (std::size_t round = 0; round <= node.outputs().size() + 2; ++round) {
            if (write_loop(node, is_grown)) return;
        }
        why = "a loop whose values change their types from round to round";
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Unsupported) throw;
        // A short loop of known length can be written out.
        const auto known = known_int(trips);
        if (!known || (!is_endless(*known) && *known > kMostUnrolled)) throw;
    }
    const auto known = known_int(trips);
    if (!known) unsupported(why);
    unroll(node, *known);
}

// Lists from outside that an iteration appends to.
std::vector<ListState*> ControlFlow::grown_lists(const ir::Node& node) {
    std::vector<ListState*> lists;
    passes::for_each_node(node.block_at(0), [&](ir::Node* inside) {
        const std::string& name = inside->kind().str();
        if (name != "aten::append" || inside->inputs().empty()) return;
        const auto found = exporter_.values_.find(inside->input(0));
        if (found == exporter_.values_.end() || found->second.kind != Operand::Kind::List) return;
        const ir::Block* made = inside->input(0)->node()->block();
        if (made != nullptr && made->is_inside(node.block_at(0))) return;
        ListState* list = found->second.list.get();
        if (std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(list);
    });
    return lists;
}

}  // namespace loupe::onnx_export
