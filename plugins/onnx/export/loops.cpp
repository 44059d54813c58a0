// SPDX-License-Identifier: Apache-2.0
// The body of a Loop: what goes round is written until it has the same types after a round as before it.
#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/onnx/export/control_flow.h"
#include "plugins/onnx/proto/data_types.h"

namespace loupe::onnx_export {

namespace {

// A list becomes a sequence for the time of the loop; its state is put back when the loop cannot be written.
class GrownLists {
  public:
    explicit GrownLists(std::vector<ListState*> lists) : lists_(std::move(lists)) {
        for (ListState* list : lists_) before_.push_back(*list);
    }
    ~GrownLists() {
        if (is_kept_) return;
        for (std::size_t i = 0; i < lists_.size(); ++i) *lists_[i] = before_[i];
    }
    GrownLists(const GrownLists&) = delete;
    GrownLists& operator=(const GrownLists&) = delete;

    const std::vector<ListState*>& all() const { return lists_; }
    void keep() { is_kept_ = true; }

  private:
    std::vector<ListState*> lists_;
    std::vector<ListState> before_;
    bool is_kept_ = false;
};

}  // namespace

OnnxValue ControlFlow::sequence_of(const ListState& list) {
    if (list.sequence) return *list.sequence;
    OnnxValue sequence;
    if (list.elements.empty()) {
        const auto known = exporter_.appended_.find(&list);
        const ScalarType dtype = known == exporter_.appended_.end() ? ScalarType::Float32 : known->second;
        sequence = b_.emit("SequenceEmpty", OnnxValues{}, {{"dtype", std::int64_t{onnx::data_type_of(dtype)}}}, dtype);
    } else {
        OnnxValues elements;
        for (const Operand& each : list.elements) {
            if (!each.is_tensor()) unsupported("a loop that appends other values than tensors to a list");
            elements.push_back(each.tensor->value);
        }
        sequence = b_.emit("SequenceConstruct", elements, {}, elements[0].dtype);
    }
    sequence.is_sequence = true;
    return sequence;
}

// What one try to write a loop has: its inputs, and what became of the body.
struct ControlFlow::Round {
    Operands initial;                  // all that goes round
    std::vector<std::size_t> carried;  // of these the ones that an iteration changes
    OnnxValues inputs;                 // of the node
    std::vector<Flow> flows;           // one a carried value
    std::vector<ScalarType> dtypes;    // of the results
    bool is_stable = true;
};

ControlFlow::Round ControlFlow::begin_round(const ir::Node& node, const std::vector<ListState*>& lists) {
    const ir::Block& body = *node.block_at(0);
    Round round;
    // Values that an iteration hands on as they are stay outside.
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
        round.initial.push_back(exporter_.at(node.input(i + 2)));
        if (body.outputs()[i + 1] != body.inputs()[i + 1]) round.carried.push_back(i);
    }
    round.inputs.resize(2);
    const Operand trips = exporter_.at(node.input(0));
    const bool is_endless = trips.kind == Operand::Kind::Constant &&
                            trips.constant.to_int() >= std::numeric_limits<std::int64_t>::max() - 1;
    if (!is_endless) round.inputs[0] = exporter_.value_of(trips);
    const Operand begins = exporter_.at(node.input(1));
    const bool is_always = begins.kind == Operand::Kind::Constant && begins.constant.to_bool();
    if (!is_always) round.inputs[1] = exporter_.value_of(begins);
    for (const std::size_t i : round.carried) round.inputs.push_back(exporter_.value_of(round.initial[i]));
    for (ListState* list : lists) round.inputs.push_back(sequence_of(*list));
    return round;
}

void ControlFlow::bind_body(const ir::Block& body, const Round& round, const std::vector<ListState*>& lists,
                            const std::vector<bool>& is_grown) {
    const OnnxValue trip{.name = b_.unique("iteration"), .dtype = ScalarType::Int64, .sizes = Dims()};
    const OnnxValue goes_in{.name = b_.unique("condition"), .dtype = ScalarType::Bool, .sizes = Dims()};
    b_.graph().inputs = {{trip.name, ScalarType::Int64, std::vector<DimDef>(), false},
                         {goes_in.name, ScalarType::Bool, std::vector<DimDef>(), false}};
    exporter_.set(body.inputs()[0], Exporter::number_operand(trip));
    for (std::size_t i = 0; i < round.initial.size(); ++i) exporter_.set(body.inputs()[i + 1], round.initial[i]);
    for (const std::size_t i : round.carried) {
        const Operand& initial = round.initial[i];
        OnnxValue value = exporter_.value_of(initial);
        value.name = b_.unique("carried");
        value.constant = Tensor();
        ValueDef def{.name = value.name, .dtype = value.dtype};
        if (!initial.is_tensor()) {
            def.dims.emplace();
            exporter_.set(body.inputs()[i + 1], Exporter::number_operand(value));
        } else if (initial.tensor->sizes && !is_grown[i]) {
            exporter_.set(body.inputs()[i + 1], exporter_.tensor_operand(value, *initial.tensor->sizes));
        } else {
            if (value.sizes) value.sizes = Dims(value.sizes->size(), -1);
            exporter_.set(body.inputs()[i + 1], exporter_.tensor_operand(value));
        }
        b_.graph().inputs.push_back(std::move(def));
    }
    for (std::size_t n = 0; n < lists.size(); ++n) {
        const ScalarType dtype = round.inputs[2 + round.carried.size() + n].dtype;
        OnnxValue sequence{.name = b_.unique("list"), .dtype = dtype, .is_sequence = true};
        b_.graph().inputs.push_back({.name = sequence.name, .dtype = dtype, .is_sequence = true});
        lists[n]->sequence = std::move(sequence);
        lists[n]->elements.clear();
        lists[n]->depth = b_.depth();
    }
}

void ControlFlow::close_body(const ir::Block& body, Round& round, const std::vector<ListState*>& lists,
                             std::vector<bool>& is_grown) {
    add_output(exporter_.value_of(exporter_.at(body.outputs()[0])), ScalarType::Bool);
    for (const std::size_t i : round.carried) {
        const Operand next = exporter_.at(body.outputs()[i + 1]);
        exporter_.refresh(next);
        const auto flow = joined(exporter_.at(body.inputs()[i + 1]), next);
        if (!flow || flow->kind == Operand::Kind::Constant)
            unsupported("a loop whose values change their types from round to round");
        const bool has_changed =
            flow->kind == Operand::Kind::Tensor && flow->sizes && std::ranges::count((*flow->sizes)[0], -1) > 0;
        if (has_changed && !is_grown[i]) {
            is_grown[i] = true;
            round.is_stable = false;
        }
        round.flows.push_back(*flow);
        round.dtypes.push_back(flow->dtype);
        add_output(exporter_.value_of(next), flow->dtype);
    }
    for (const ListState* list : lists) {
        const auto appended = exporter_.appended_.find(list);
        const bool is_other = appended != exporter_.appended_.end() && appended->second != list->sequence->dtype;
        round.is_stable = round.is_stable && !is_other;
        add_output(*list->sequence, list->sequence->dtype);
        round.dtypes.push_back(list->sequence->dtype);
    }
}

bool ControlFlow::write_loop(const ir::Node& node, std::vector<bool>& is_grown) {
    const ir::Block& body = *node.block_at(0);
    GrownLists lists(grown_lists(node));
    if (!lists.all().empty() && b_.opset() < 13) unsupported("a loop that appends to a list needs opset 13");
    Round round = begin_round(node, lists.all());
    begin_graph("body");
    try {
        bind_body(body, round, lists.all(), is_grown);
        exporter_.visit_block(body);
        b_.set_place(node.scope(), exporter_.scopes_.metadata_of(node));
        close_body(body, round, lists.all(), is_grown);
    } catch (...) {
        end_graph();
        throw;
    }
    auto graph = std::make_shared<GraphDef>(end_graph());
    if (!round.is_stable) return false;
    b_.set_place(node.scope(), exporter_.scopes_.metadata_of(node));
    const OnnxValues results = b_.emit_many("Loop", round.inputs, {{"body", std::move(graph)}}, round.dtypes);
    for (std::size_t i = 0; i < round.initial.size(); ++i) exporter_.set(node.output(i), round.initial[i]);
    const std::size_t count = round.carried.size();
    for (std::size_t n = 0; n < count; ++n)
        exporter_.set(node.output(round.carried[n]), operand_of(round.flows[n], results[n]));
    for (std::size_t n = 0; n < lists.all().size(); ++n) {
        OnnxValue sequence = results[count + n];
        sequence.is_sequence = true;
        sequence.sizes = lists.all()[n]->sequence->sizes;
        lists.all()[n]->sequence = std::move(sequence);
        lists.all()[n]->depth = b_.depth();
    }
    lists.keep();
    return true;
}

}  // namespace loupe::onnx_export
