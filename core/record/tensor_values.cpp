// SPDX-License-Identifier: Apache-2.0
#include "core/record/tensor_values.h"

#include <algorithm>
#include <bit>

#include "core/autograd/accumulate_grad.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/operator_node.h"
#include "core/record/compute_statistics.h"
#include "core/record/finite_check.h"
#include "core/tensor/quantizer.h"

namespace loupe::session {
namespace {

constexpr std::int64_t kSmallConstant = 16;  // elements

Shape shape_from(IntSpan span) { return {span.begin(), span.end()}; }

}  // namespace

ValueId TensorValues::find(const Tensor& t) const {
    const auto found = known_.find(t.impl());
    return found == known_.end() ? 0 : found->second.value;
}

const TensorValues::Known* TensorValues::unwritten(const Tensor& t) const {
    const auto found = known_.find(t.impl());
    if (found == known_.end()) return nullptr;
    const Known& known = found->second;
    return known.storage == t.storage()->id() && known.version == t.version() ? &known : nullptr;
}

ValueId TensorValues::find_unchanged(const Tensor& t) const {
    const Known* known = unwritten(t);
    return known != nullptr && recording_.value(known->value).offset == t.storage_offset() ? known->value : 0;
}

ValueId TensorValues::before_run(const Tensor& t) const {
    const auto found = before_run_.find(t.impl());
    return found == before_run_.end() ? 0 : found->second;
}

// --- new values ---

// A parameter's gradients go with it.
bool TensorValues::is_left_out(std::string_view value) const {
    if (options_.left_out.empty()) return false;
    constexpr std::string_view kGradient = "grad of ";
    if (value.starts_with(kGradient)) value.remove_prefix(kGradient.size());
    return is_scope_left_out_ || (!value.empty() && options_.left_out.contains(value));
}

void TensorValues::name(const Tensor& t, const std::string& name, Category category) {
    const bool is_input = category == Category::Input;
    const bool is_late = options_.statistics && !t.device().is_cpu() && !is_left_out(name);
    const ValueId id = add(t, 0, name, !is_late && options_.statistics && (is_input || !is_all_finite(t)));
    before_run_.emplace(t.impl(), id);
    if (!is_late || id == 0) return bad_.note_given(id, t, category);
    writer_.hold();
    Late& late = late_.emplace_back();
    late.id = id;
    late.statistics = LateStatistics(t);
    late.as = Late::As::Given;
    late.is_wanted_finite = is_input;
    late.tensor = t;
    late.category = category;
}

LateStatistics TensorValues::measure(const Tensor& t) const {
    if (t.is_sparse() || !t.is_non_overlapping_and_dense()) return LateStatistics(t);
    const auto found = measured_.find(t.storage()->id());
    if (found == measured_.end()) return LateStatistics(t);
    const Stretch& before = found->second;
    if (before.version != t.version() || before.offset != t.storage_offset() || before.numel != t.numel() ||
        before.dtype != t.dtype())
        return LateStatistics(t);
    const auto late = std::ranges::lower_bound(late_, before.value, {}, &Late::id);
    if (late != late_.end() && late->id == before.value) return late->statistics;
    const auto& known = recording_.value(before.value).statistics;
    return known ? LateStatistics(*known) : LateStatistics(t);
}

void TensorValues::note_measured(const Tensor& t, ValueId id) {
    if (id == 0 || t.is_sparse() || !t.is_non_overlapping_and_dense()) return;
    measured_[t.storage()->id()] = {id, t.version(), t.storage_offset(), t.numel(), t.dtype()};
}

bool TensorValues::are_there(ValueId last) const {
    for (const Late& late : late_) {
        if (late.id > last) break;
        if (!late.statistics.is_there()) return false;
    }
    return true;
}

void TensorValues::settle(ValueId last) {
    for (; !late_.empty() && late_.front().id <= last; late_.pop_front()) take(late_.front());
}

void TensorValues::take(Late& late) {
    Value& value = writer_.held_value(late.id);
    const Statistics statistics = late.statistics.get();
    const bool is_finite = !statistics.has_nan_or_inf();
    if (late.is_wanted_finite || !is_finite) value.statistics = statistics;
    if (late.as == Late::As::Given) bad_.note_given(late.id, late.tensor, late.category);
    if (late.as != Late::As::Read || is_finite) return;
    value.producer = bad_.producer_of(late.storage, value.producer);
    bad_.note_read(late.id, value.producer, late.storage);
}

ValueId TensorValues::add(const Tensor& t, EventId producer, std::string name, bool with_statistics,
                          ValueId gradient_of) {
    Value value;
    value.producer = producer;
    value.gradient_of = gradient_of;
    value.name = std::move(name);
    value.dtype = shown_dtype(t);
    value.shape = shape_from(t.sizes());
    value.strides = shape_from(t.strides());
    value.offset = t.storage_offset();
    value.bytes = static_cast<std::int64_t>(t.bytes());
    value.storage_id = t.storage()->id();
    value.requires_grad = requires_grad(t);
    const bool is_out = is_left_out(value.name);
    value.is_left_out = is_out;
    LateStatistics statistics;
    if (with_statistics && !is_out) {
        statistics = measure(t);
        if (statistics.is_late())
            writer_.hold();
        else
            value.statistics = statistics.get();
    }
    const ValueId id = writer_.add_value(std::move(value));
    if (with_statistics && !is_out) note_measured(t, id);
    if (statistics.is_late() && id != 0) {
        Late& late = late_.emplace_back();
        late.id = id;
        late.statistics = std::move(statistics);
    }
    known_[t.impl()] = {id, t.storage()->id(), t.version()};
    const bool is_changed = std::any_of(options_.changes.begin(), options_.changes.end(),
                                        [id](const ValueChange& change) { return change.value == id; });
    if (is_changed && id != 0) to_change_[id] = t;
    const bool is_wanted = options_.values && id != 0 && (options_.only == nullptr || options_.only->contains(id));
    // What the run begins with is what it can be repeated from.
    if (is_wanted && producer == 0)
        store_.keep_for_good(id, t);
    else if (is_wanted && !is_out)
        store_.keep(id, t);
    return id;
}

ValueId TensorValues::add_made(const Tensor& t, EventId by, const std::string& name, ValueId gradient_of) {
    last_writer_[t.storage()->id()] = by;
    return add(t, by, name, options_.statistics, gradient_of);
}

ValueId TensorValues::of_input(const Tensor& t, bool is_backward) {
    if (const Known* known = unwritten(t)) {
        const Value& value = recording_.value(known->value);
        const bool is_same = value.offset == t.storage_offset() && value.dtype == shown_dtype(t) &&
                             std::equal(value.shape.begin(), value.shape.end(), t.sizes().begin(), t.sizes().end());
        if (is_same) return known->value;
    }
    const std::uint64_t storage = t.storage()->id();
    std::string name;
    if (const auto found = known_.find(t.impl()); found != known_.end() && found->second.storage == storage)
        name = recording_.value(found->second.value).name;  // the same tensor, written since
    const auto writer = last_writer_.find(storage);
    EventId producer = writer == last_writer_.end() ? 0 : writer->second;
    if (options_.statistics && producer != 0 && !t.device().is_cpu()) {
        const ValueId id = add(t, producer, std::move(name), true);
        if (late_.empty() || late_.back().id != id) return id;  // left out, or the recording is full
        Late& late = late_.back();
        late.as = Late::As::Read;
        late.is_wanted_finite = is_backward || t.numel() <= kSmallConstant;
        late.storage = storage;
        return id;
    }
    const bool is_finite = !options_.statistics || is_all_finite(t);
    if (!is_finite) producer = bad_.producer_of(storage, producer);
    // Causes are read from the numbers of small constants (an exponent); those of a norm's many tensors would cost
    // time.
    const bool is_telling = is_backward || t.numel() <= kSmallConstant || !is_finite;
    const ValueId id = add(t, producer, std::move(name), options_.statistics && is_telling);
    if (producer == 0 && !is_backward) bad_.note_given(id, t, Category::Other);
    if (!is_finite) bad_.note_read(id, producer, storage);
    return id;
}

// --- gradients ---

// Nodes are known by their numbers, which are never used again as addresses are.
void TensorValues::remember_edge(const Tensor& t, ValueId value) {
    if (const Edge edge = gradient_edge(t); edge && !is_leaf(t))
        values_of_edges_[{edge.node->sequence(), edge.input}] = value;
}

ValueId TensorValues::of_edge(const Edge& edge) const {
    if (!edge) return 0;
    if (const auto* sink = dynamic_cast<const AccumulateGrad*>(edge.node.get())) return find(sink->variable());
    const auto found = values_of_edges_.find({edge.node->sequence(), edge.input});
    return found == values_of_edges_.end() ? 0 : found->second;
}

std::string TensorValues::gradient_name(ValueId of) const {
    const Value& value = recording_.value(of);
    if (!value.name.empty() || value.producer == 0) return concat("grad of ", value.name);
    return concat("grad of ", recording_.event(value.producer).op, " #", value.producer);
}

// It lets go of them when it has run.
std::vector<ValueId> TensorValues::saved_by(const Node* node, EventId peer) const {
    std::vector<ValueId> saved;
    const auto* own = options_.statistics ? dynamic_cast<const OperatorNode*>(node) : nullptr;
    if (own == nullptr) return saved;
    for (const Tensor& t : own->saved_tensors()) {
        const std::uint64_t storage = t.storage()->id();
        const ValueId known = find(t);
        if (known != 0 && recording_.value(known).storage_id == storage) {
            saved.push_back(known);
            continue;
        }
        if (peer == 0) continue;
        // A handle of its own on what the forward event read or made.
        const Event& forward = recording_.event(peer);
        for (const auto* values : {&forward.outputs, &forward.inputs}) {
            for (const ValueId id : *values) {
                if (recording_.value(id).storage_id == storage) saved.push_back(id);
            }
        }
    }
    return saved;
}

// --- writes ---

Tensor TensorValues::to_change(ValueId id) const {
    const auto found = to_change_.find(id);
    return found != to_change_.end() ? found->second : Tensor();
}

void TensorValues::forget_memory(std::uint64_t storage) {
    std::erase_if(known_, [storage](const auto& each) { return each.second.storage == storage; });
    measured_.erase(storage);
}

void TensorValues::protect_existing() {
    for (ValueId id = 1; id <= writer_.last_value(); ++id) {
        const Value& value = recording_.value(id);
        if (value.producer == 0 || recording_.event(value.producer).phase == RunPhase::Optimizer)
            store_.protect(value.storage_id);
    }
}

void TensorValues::protect_written(const OperatorCall& call) {
    if (!options_.values) return;
    if (call.phase == Phase::Optimizer && !call.inputs.empty() && call.inputs[0].is_tensor())
        store_.protect(call.inputs[0].to_tensor().storage()->id());
    if (call.op == nullptr) return;
    for (std::uint64_t bits = call.op->written_arguments | call.op->unmarked_writes; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        if (i >= call.inputs.size()) break;
        visit_tensors(call.inputs[i], [&](const Tensor& t) {
            if (t.defined()) store_.protect(t.storage()->id());
        });
    }
}

}  // namespace loupe::session
