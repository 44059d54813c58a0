// SPDX-License-Identifier: Apache-2.0
// Branches and loops of a traced program, and parts of it that run in another mode.
#include <algorithm>
#include <array>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/dispatch.h"
#include "core/formats/exported/program_enums.h"
#include "core/formats/exported/program_tracer.h"
#include "core/passes/fake_run.h"

namespace loupe::exported {
namespace {

constexpr const char* kGradRegion = "torch.ops.higher_order.wrap_with_set_grad_enabled";
constexpr const char* kAutocastRegion = "torch.ops.higher_order.wrap_with_autocast";
constexpr std::int64_t kMostTurns = 1'000'000;

// The leaves of containers, in order.
void collect_leaves(const IValue& value, std::vector<IValue>& leaves) {
    if (value.is_list()) {
        for (const IValue& each : value.to_list().elements) collect_leaves(each, leaves);
    } else if (value.is_tuple()) {
        for (const IValue& each : value.to_tuple().elements) collect_leaves(each, leaves);
    } else if (value.is_dict()) {
        for (const auto& [key, each] : value.to_dict().entries()) collect_leaves(each, leaves);
    } else {
        leaves.push_back(value);
    }
}

// The same containers with other leaves.
IValue with_leaves(const IValue& value, const std::vector<IValue>& leaves, std::size_t& next) {
    if (value.is_list()) {
        std::vector<IValue> elements;
        for (const IValue& each : value.to_list().elements) elements.push_back(with_leaves(each, leaves, next));
        return make_ptr<ListObject>(value.to_list().element_type, std::move(elements));
    }
    if (value.is_tuple()) {
        std::vector<IValue> elements;
        for (const IValue& each : value.to_tuple().elements) elements.push_back(with_leaves(each, leaves, next));
        return make_ptr<TupleObject>(std::move(elements), value.to_tuple().type);
    }
    if (value.is_dict()) {
        const auto dict = make_ptr<DictObject>(value.to_dict().key_type, value.to_dict().value_type);
        for (const auto& [key, each] : value.to_dict().entries()) dict->set(key, with_leaves(each, leaves, next));
        return dict;
    }
    return leaves.at(next++);
}

const RefCounted* key_of(const IValue& value) { return value.object_pointer(); }

void add_missing(std::vector<IValue>& to, const std::vector<IValue>& from) {
    for (const IValue& value : from) {
        if (std::ranges::none_of(to, [&](const IValue& each) { return key_of(each) == key_of(value); }))
            to.push_back(value);
    }
}

[[noreturn]] void refuse(std::string what) { throw Error(ErrorKind::Unsupported, std::move(what)); }

}  // namespace

// --- branches ---

void ProgramTracer::run_if(const ir::Node* node, Values& values) {
    const IValue condition = values[node->input(0)];
    bool is_taken = false;
    if (const auto number = number_in(condition)) {
        if (number->is_data) return record_cond(node, condition, values);
        is_taken = number->hint.to_bool();
        for (const IValue& sample : number->samples) {
            if (sample.to_bool() != is_taken)
                refuse(concat("takes another branch for other sizes: ", str(number->expression), " decides"));
        }
    } else {
        is_taken = condition.to_bool();
    }
    const ir::Block& block = *node->block_at(is_taken ? 0 : 1);
    run_block(block, values);
    frames_.back().at = node;
    for (std::size_t i = 0; i < node->outputs().size(); ++i) values[node->output(i)] = values[block.outputs()[i]];
}

// A tensor of one bool.
Tensor ProgramTracer::predicate(const IValue& condition) {
    const auto number = number_in(condition);
    if (!number->item_of.defined()) return {};
    IValue tensor = number->item_of;
    if (number->item_of.dtype() != ScalarType::Bool) return {};
    if (number->item_of.dim() > 0)
        tensor = call_by_name("aten::reshape", {tensor, IValue(std::vector<std::int64_t>())});
    return tensor.to_tensor();
}

// One branch of a decision, with its results, whose leaves are added.
std::unique_ptr<GraphRecorder> ProgramTracer::record_branch(const ir::Node* node, const ir::Block& block,
                                                            Values& values, Inputs& outputs, Inputs& leaves) {
    GraphRecorder* const outer = recorder_;
    auto branch = std::make_unique<GraphRecorder>(values_, metadata_, outer);
    recorder_ = branch.get();
    made_inside_.emplace_back();
    const std::size_t regions = regions_.size();
    run_block(block, values);
    if (regions_.size() != regions) refuse("begins a mode in a branch that does not end there");
    frames_.back().at = node;
    for (const ir::Value* output : block.outputs()) outputs.push_back(values[output]);
    for (const IValue& output : outputs) collect_leaves(output, leaves);
    made_inside_.pop_back();
    // A result that is taken from outside as it is would be an alias.
    for (IValue& leaf : leaves) {
        if (!leaf.is_tensor()) continue;
        materialized(leaf.to_tensor());
        recorder_->name_of(leaf.to_tensor());  // captures one of outside
        const auto& captured = recorder_->captured();
        if (std::ranges::any_of(captured, [&](const IValue& each) { return key_of(each) == key_of(leaf); }))
            leaf = call_by_name("aten::clone", {leaf});
    }
    if (recorder_->has_written_outer())
        refuse("changes a tensor of before in a branch that elements of tensors decide");
    recorder_ = outer;
    return branch;
}

void ProgramTracer::record_cond(const ir::Node* node, const IValue& condition, Values& values) {
    const Tensor decided_by = predicate(condition);
    GraphRecorder* const outer = recorder_;
    std::array<std::unique_ptr<GraphRecorder>, 2> branches;
    std::array<std::vector<IValue>, 2> results;  // of each, its leaves
    std::vector<IValue> structure;
    std::vector<IValue> operands;
    for (std::size_t b = 0; b < 2; ++b) {
        Inputs outputs;
        branches[b] = record_branch(node, *node->block_at(b), values, outputs, results[b]);
        if (b == 0) structure = std::move(outputs);
    }
    if (results[0].size() != results[1].size())
        refuse("the branches that elements of tensors decide give other containers");
    // Only tensors can differ.
    std::vector<IValue> leaves;
    std::array<std::vector<IValue>, 2> given;
    for (std::size_t i = 0; i < results[0].size(); ++i) {
        const IValue& a = results[0][i];
        const IValue& b = results[1][i];
        if (!a.is_tensor() || !b.is_tensor()) {
            if (!holds_number(a) && !holds_number(b) && values_equal(a, b)) {
                leaves.push_back(a);
                continue;
            }
            refuse("the branches that elements of tensors decide give other numbers");
        }
        const Tensor& one = a.to_tensor();
        const Tensor& other = b.to_tensor();
        const TensorFacts& facts = values_.at(one);
        if (one.dtype() != other.dtype() || !std::ranges::equal(one.sizes(), other.sizes()))
            refuse(
                concat("the branches that elements of tensors decide give ", describe(one), " and ", describe(other)));
        given[0].push_back(a);
        given[1].push_back(b);
        leaves.emplace_back(values_.add_sized(one.dtype(), facts.sizes).tensor);
    }
    for (const auto& branch : branches) add_missing(operands, branch->captured());
    std::vector<std::string> reads;
    Json inputs = Json::array();
    const IValue pred = decided_by.defined() ? IValue(decided_by) : condition;
    inputs.push_back(GraphRecorder::input({}, outer->argument(pred, nullptr, reads)));
    for (std::size_t b = 0; b < 2; ++b) {
        const std::string name = outer->fresh_name(b == 0 ? "true_graph" : "false_graph");
        inputs.push_back(GraphRecorder::input(
            {}, Json{{"as_graph", {{"name", name}, {"graph", branches[b]->finish_inner(operands, given[b])}}}}));
    }
    const IValue list = make_ptr<ListObject>(types::tensor(), operands);
    inputs.push_back(GraphRecorder::input({}, outer->argument(list, nullptr, reads)));
    Json outputs = Json::array();
    const std::string name = outer->fresh_name("cond");
    for (const IValue& leaf : leaves) {
        if (leaf.is_tensor()) outputs.push_back(outer->new_output(leaf.to_tensor(), "getitem"));
    }
    const bool is_pure = branches[0]->is_pure() && branches[1]->is_pure();
    outer->add_node("torch.ops.higher_order.cond", std::move(inputs), std::move(outputs), name, is_pure,
                    std::move(reads));
    std::size_t next = 0;
    for (std::size_t i = 0; i < node->outputs().size(); ++i)
        values[node->output(i)] = with_leaves(structure[i], leaves, next);
}

// --- loops ---

void ProgramTracer::run_loop(const ir::Node* node, Values& values) {
    const ir::Block& body = *node->block_at(0);
    const IValue most = values[node->input(0)];
    IValue condition = values[node->input(1)];
    std::vector<IValue> state;
    for (std::size_t i = 2; i < node->inputs().size(); ++i) state.push_back(values[node->input(i)]);
    const auto trips = number_in(most);
    if (trips && !trips->is_data) refuse("a loop whose number of turns depends on the sizes of the inputs");
    std::int64_t turn = 0;
    while (true) {
        const auto decided = number_in(condition);
        if (trips || decided) {
            // The turn, how many there may be, whether there is another, and what is carried.
            state.insert(state.begin(), {IValue(turn), most, condition});
            record_while(node, std::move(state), values);
            return;
        }
        if (!condition.to_bool() || turn >= most.to_int()) break;
        if (turn >= kMostTurns) refuse("a loop of more turns than a program can have nodes");
        values[body.inputs()[0]] = turn;
        for (std::size_t i = 0; i < state.size(); ++i) values[body.inputs()[i + 1]] = state[i];
        run_block(body, values);
        frames_.back().at = node;
        condition = values[body.outputs()[0]];
        for (std::size_t i = 0; i < state.size(); ++i) state[i] = values[body.outputs()[i + 1]];
        ++turn;
    }
    for (std::size_t i = 0; i < state.size(); ++i) values[node->output(i)] = state[i];
}

// while_loop carries tensors.
Tensor ProgramTracer::carried_tensor(const IValue& value) {
    if (value.is_tensor()) {
        materialized(value.to_tensor());
        return value.to_tensor();
    }
    const auto number = number_in(value);
    const IValue hint = number ? number->hint : value;
    if (!hint.is_int() && !hint.is_double() && !hint.is_bool())
        refuse(concat("a loop that elements of tensors decide carries a value of type ", value_type_name(value)));
    if (number && number->item_of.defined() && number->item_of.dim() == 0) return number->item_of;
    const ScalarType dtype = hint.is_bool()     ? ScalarType::Bool
                             : hint.is_double() ? ScalarType::Float64
                                                : ScalarType::Int64;
    return call_by_name("aten::scalar_tensor", {value, IValue(static_cast<std::int64_t>(dtype))}).to_tensor();
}

IValue ProgramTracer::carried_value(const IValue& like, const Tensor& tensor) {
    if (like.is_tensor()) return IValue(tensor);
    const auto number = number_in(like);
    const IValue hint = number ? number->hint : like;
    const TypeKind kind = hint.is_bool() ? TypeKind::Bool : hint.is_double() ? TypeKind::Float : TypeKind::Int;
    return IValue::other(values_.add_data_number(kind, tensor));
}

// Constants that no turn changes are no part of what is carried: None, strings.
ProgramTracer::Carried ProgramTracer::carried_by(const Inputs& state) {
    Carried out;
    for (const IValue& each : state) collect_leaves(each, out.leaves);
    for (std::size_t i = 0; i < out.leaves.size(); ++i) {
        const IValue& leaf = out.leaves[i];
        const bool is_plain = !leaf.is_tensor() && !leaf.is_number() && !number_in(leaf);
        if (is_plain) continue;
        out.places.push_back(i);
        out.tensors.push_back(carried_tensor(leaf));
    }
    return out;
}

// Begins a graph of the loop, with the carried values as they are inside of it.
ProgramTracer::LoopGraph ProgramTracer::begin_loop_graph(GraphRecorder* outer, const Carried& carried) {
    LoopGraph out{std::make_unique<GraphRecorder>(values_, metadata_, outer)};
    recorder_ = out.graph.get();
    for (std::size_t i = 0; i < carried.tensors.size(); ++i) {
        const Tensor& outside = carried.tensors[i];
        const Tensor fake = values_.add_sized(outside.dtype(), values_.at(outside).sizes).tensor;
        out.graph->bind(fake, out.graph->fresh_name(concat("arg", i, "_1")));
        out.inside.emplace_back(fake);
    }
    return out;
}

// One turn: what is carried behind it, its leaves.
std::vector<IValue> ProgramTracer::record_turn(const ir::Node* node, const Inputs& state, const Carried& carried,
                                               const LoopGraph& loop, Values& values) {
    const ir::Block& body = *node->block_at(0);
    std::vector<IValue> all = carried.leaves;
    for (std::size_t i = 0; i < carried.places.size(); ++i)
        all[carried.places[i]] = carried_value(carried.leaves[carried.places[i]], loop.inside[i].to_tensor());
    std::vector<IValue> turn;
    std::size_t next_leaf = 0;
    for (const IValue& each : state) turn.push_back(with_leaves(each, all, next_leaf));
    values[body.inputs()[0]] = turn[0];
    for (std::size_t i = 3; i < turn.size(); ++i) values[body.inputs()[i - 2]] = turn[i];
    run_block(body, values);
    frames_.back().at = node;
    std::vector<IValue> after{IValue(), turn[1], values[body.outputs()[0]]};
    for (std::size_t i = 1; i < body.outputs().size(); ++i) after.push_back(values[body.outputs()[i]]);
    after[0] = call_by_name("aten::add.Scalar", {loop.inside[0], IValue(1), IValue(1)});
    std::vector<IValue> leaves;
    for (const IValue& each : after) collect_leaves(each, leaves);
    if (leaves.size() != carried.leaves.size())
        refuse("a loop that elements of tensors decide carries a container that grows");
    return leaves;
}

// The results of the loop's body, which may be no aliases of what came in.
std::vector<IValue> ProgramTracer::carried_on(const std::vector<IValue>& leaves, const Carried& carried,
                                              const LoopGraph& loop) {
    std::vector<IValue> results;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const auto place = std::ranges::find(carried.places, i);
        if (place == carried.places.end()) {
            if (!values_equal(carried.leaves[i], leaves[i]))
                refuse("a loop that elements of tensors decide changes what is no number");
            continue;
        }
        Tensor next = carried_tensor(leaves[i]);
        const Tensor& before = carried.tensors[static_cast<std::size_t>(place - carried.places.begin())];
        if (next.dtype() != before.dtype() || !std::ranges::equal(next.sizes(), before.sizes()))
            refuse(
                concat("a loop that elements of tensors decide carries ", describe(before), ", then ", describe(next)));
        const bool is_outer =
            std::ranges::any_of(loop.inside, [&](const IValue& each) { return each.tensor_impl() == next.impl(); });
        if (is_outer || !recorder_->has_own(next)) next = call_by_name("aten::clone", {IValue(next)}).to_tensor();
        results.emplace_back(next);
    }
    return results;
}

// state: turn, most turns, condition, carried values.
void ProgramTracer::record_while(const ir::Node* node, Inputs state, Values& values) {
    GraphRecorder* const outer = recorder_;
    const Carried carried = carried_by(state);
    // Goes on while the condition holds and there are turns.
    LoopGraph condition = begin_loop_graph(outer, carried);
    const IValue has_turns = call_by_name("aten::lt.Tensor", {condition.inside[0], condition.inside[1]});
    condition.results = {call_by_name("aten::logical_and", {has_turns, condition.inside[2]})};
    LoopGraph body = begin_loop_graph(outer, carried);
    made_inside_.emplace_back();
    body.results = carried_on(record_turn(node, state, carried, body, values), carried, body);
    made_inside_.pop_back();
    if (condition.graph->has_written_outer() || body.graph->has_written_outer())
        refuse("changes a tensor of before in a loop that elements of tensors decide");
    recorder_ = outer;
    std::vector<IValue> others;
    for (const LoopGraph* loop : {&condition, &body}) add_missing(others, loop->graph->captured());
    std::vector<std::string> reads;
    Json inputs = Json::array();
    for (LoopGraph* loop : {&condition, &body}) {
        std::vector<IValue> order = loop->inside;
        order.insert(order.end(), others.begin(), others.end());
        Json graph = loop->graph->finish_inner(order, loop->results);
        const bool is_condition = loop == &condition;
        graph["is_single_tensor_return"] = is_condition;
        const std::string name = outer->fresh_name(is_condition ? "while_loop_cond_graph" : "while_loop_body_graph");
        inputs.push_back(GraphRecorder::input({}, Json{{"as_graph", {{"name", name}, {"graph", std::move(graph)}}}}));
    }
    const std::vector<IValue> operands(carried.tensors.begin(), carried.tensors.end());
    for (const auto& list : {operands, others})
        inputs.push_back(
            GraphRecorder::input({}, outer->argument(make_ptr<ListObject>(types::tensor(), list), nullptr, reads)));
    Json outputs = Json::array();
    const std::string name = outer->fresh_name("while_loop");
    std::vector<IValue> last = carried.leaves;
    for (std::size_t i = 0; i < carried.places.size(); ++i) {
        const Tensor& before = carried.tensors[i];
        const Tensor fake = values_.add_sized(before.dtype(), values_.at(before).sizes).tensor;
        outputs.push_back(outer->new_output(fake, "getitem"));
        last[carried.places[i]] = carried_value(carried.leaves[carried.places[i]], fake);
    }
    outer->add_node("torch.ops.higher_order.while_loop", std::move(inputs), std::move(outputs), name,
                    body.graph->is_pure(), std::move(reads));
    std::size_t next = 0;
    for (std::size_t i = 0; i < state.size(); ++i) {
        const IValue value = with_leaves(state[i], last, next);
        if (i >= 3) values[node->output(i - 3)] = value;
    }
}

// --- modes ---

void ProgramTracer::begin_region(const char* target, Json settings, bool grad_before) {
    auto graph = std::make_unique<GraphRecorder>(values_, metadata_, recorder_);
    recorder_ = graph.get();
    regions_.push_back({target, std::move(settings), grad_before, std::move(graph)});
}

// The mode of before.
ProgramTracer::Region ProgramTracer::leave_region() {
    Region region = std::move(regions_.back());
    regions_.pop_back();
    if (std::string_view(region.target) == kAutocastRegion)
        call_operator(*find_operator("aten::_exit_autocast"), {}, nullptr);
    return region;
}

void ProgramTracer::end_region(const char* target) {
    if (regions_.empty() || std::string_view(regions_.back().target) != target)
        refuse("modes of autocast and gradients end in another order than they began");
    Region region = leave_region();
    if (recorder_ != region.graph.get()) refuse("a mode begins or ends in a branch that elements of tensors decide");
    recorder_ = region.graph->outer();
    recorder_->add_region(region.target, recorder_->fresh_name("submod"), std::move(region.settings),
                          std::move(region.graph));
}

ProgramTracer::Inputs ProgramTracer::set_grad_mode(bool enabled) {
    const bool before = GradMode::is_enabled();
    if (enabled == before) return {};
    const bool ends = !regions_.empty() && std::string_view(regions_.back().target) == kGradRegion &&
                      regions_.back().grad_before == enabled;
    if (ends)
        end_region(kGradRegion);
    else
        begin_region(kGradRegion, Json::array({GraphRecorder::input({}, Json{{"as_bool", enabled}})}), before);
    GradMode::set_enabled(enabled);
    return {};
}

ProgramTracer::Inputs ProgramTracer::enter_autocast(const Inputs& inputs) {
    std::vector<std::string> reads;
    Json settings = Json::array();
    for (std::size_t i = 0; i < 4; ++i) {
        Json argument = recorder_->argument(inputs[i], nullptr, reads);
        if (i == 1 && inputs[i].is_int())
            argument = Json{{"as_scalar_type", serialized_dtype_number(inputs[i].to_int())}};
        settings.push_back(GraphRecorder::input({}, std::move(argument)));
    }
    call_operator(*find_operator("aten::_enter_autocast"), inputs, nullptr);
    begin_region(kAutocastRegion, std::move(settings), true);
    return {};
}

}  // namespace loupe::exported
