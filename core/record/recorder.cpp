// SPDX-License-Identifier: Apache-2.0
#include "core/record/recorder.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "core/autograd/accumulate_grad.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/operator_node.h"
#include "core/ir/graph.h"
#include "core/model/shown_source.h"
#include "core/ops/notes.h"
#include "core/python/language/condition.h"
#include "core/record/compute_statistics.h"
#include "core/record/finite_check.h"

namespace loupe::session {
namespace {

constexpr std::int64_t kSmallConstant = 16;  // elements

Shape shape_from(IntSpan span) { return {span.begin(), span.end()}; }

// Tensors of a call in schema order, list elements in place.
TensorList tensors_in(std::span<const IValue> values) {
    TensorList all;
    for (const IValue& value : values) {
        visit_tensors(value, [&](const Tensor& t) {
            if (t.defined()) all.push_back(t);
        });
    }
    return all;
}

std::string_view parent_path(std::string_view path) {
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

// Kernels are known by where their names lie.
struct KernelName {
    const void* op;
    const void* backend;
    bool operator==(const KernelName&) const = default;
};
struct KernelNameHash {
    std::size_t operator()(const KernelName& name) const {
        return std::hash<const void*>()(name.op) * 31 + std::hash<const void*>()(name.backend);
    }
};

// The first time that a recorder of this process asks?
bool is_first_call(const KernelChoice& kernel) {
    static std::mutex mutex;
    static std::unordered_set<KernelName, KernelNameHash> called;
    const std::lock_guard lock(mutex);
    return called.insert({kernel.op.data(), kernel.backend.data()}).second;
}

// The node of the event that keeps the storage, from the node of a result back to what the event read. Null when it is
// of a kind that says not what it keeps, or keeps no history.
const Node* saver_of(const Node* node, std::uint64_t storage, EventId event) {
    if (node == nullptr || node->forward_event() != event) return nullptr;
    if (const auto* own = dynamic_cast<const OperatorNode*>(node)) {
        for (const Tensor& t : own->saved_tensors()) {
            if (t.storage()->id() == storage) return node;
        }
    }
    for (const Edge& edge : node->next_edges()) {
        if (const Node* found = saver_of(edge.node.get(), storage, event)) return found;
    }
    return nullptr;
}

}  // namespace

Recorder::Recorder(RecorderOptions options, BuiltGraph graph, StopControl* control, Park park)
    : options_(std::move(options)),
      graph_(std::move(graph.model)),
      sites_(std::move(graph.sites)),
      direct_sites_(*graph_),
      control_(control),
      park_(std::move(park)),
      store_(options_.budget),
      memory_(writer_, store_) {}

Recorder::~Recorder() {
    stop_watching();
}

double Recorder::now() const { return std::chrono::duration<double>(Clock::now() - began_).count() - parked_; }

void Recorder::name_value(const Tensor& t, const std::string& name, Category category) {
    memory_.add_existing(t, category, name);
    const ValueId id = new_value(t, 0, name, options_.statistics && (category == Category::Input || !is_all_finite(t)));
    note_given(id, t, category);
    before_run_.emplace(t.impl(), id);
}

ValueId Recorder::value_before_run(const Tensor& t) const {
    const auto found = before_run_.find(t.impl());
    return found == before_run_.end() ? 0 : found->second;
}

EventId Recorder::accumulated_at(const Tensor& leaf) const {
    const auto found = accumulated_.find(leaf.impl());
    return found == accumulated_.end() ? 0 : found->second;
}

void Recorder::finish() {
    while (!frames_.empty()) leave_frame();
    setup_.stop();
    stop_watching();
    memory_.stop();
    writer_.finish();
    if (progress_) progress_(recording()->event_count());
}

ValueId Recorder::find_value(const Tensor& t) const {
    const auto found = known_.find(t.impl());
    return found == known_.end() ? 0 : found->second.value;
}

// --- stop points ---

StopPoint Recorder::point_of(const OperatorCall& call) {
    StopPoint point;
    point.phase = static_cast<RunPhase>(call.phase);
    point.op = call.name;
    point.depth = depth();
    int node = -1;
    if (call.autograd_node != nullptr) {
        const auto forward = static_cast<EventId>(call.autograd_node->forward_event());
        if (forward != 0 && forward <= recording()->event_count()) {
            const Event& event = recording()->event(forward);
            node = event.graph_node;
            point.scope = event.scope;
            point.depth = event.depth;
            point.source_file = event.source_file;
            point.source_line = event.source_line;
        }
        point.graph_node = node;
        return point;
    }
    if (call.site == nullptr) {
        point.depth = direct_depth() + 1;  // inside its statement
        point.is_in_statement = true;
        place_direct(point, ir::evaluated_range());
        point.graph_node = direct_sites_.next_operator(call.name, point.scope);
        return point;
    }
    node = sites_.find(frames_.empty() ? SiteMap::kTop : frames_.back().group, call.site);
    point.graph_node = node;
    if (node >= 0) {
        const GraphNode& place = graph_->nodes[static_cast<std::size_t>(node)];
        point.scope = place.scope;
        point.source_file = place.source.file;
        point.source_line = place.source.line;
    } else {
        place_made(point, *static_cast<const ir::Node*>(call.site));
    }
    return point;
}

// A node that a group made while it ran stands where that stood which it was made of.
void Recorder::place_made(StopPoint& point, const ir::Node& node) {
    if (!frames_.empty()) point.scope = frames_.back().scope;
    if (point.scope.empty()) point.scope = writer_.intern(node.scope());
    const SourcePlace place = place_of(shown_range(node.range()));
    if (place.line == 0) return;
    point.source_file = writer_.intern(place.file);
    point.source_line = place.line;
}

// Of what no graph stands for: statements are as deep as their frame, what they call is one deeper.
int Recorder::direct_depth() const { return 2 * depth(); }

void Recorder::place_direct(StopPoint& point, const ir::SourceRange& range) {
    if (!frames_.empty()) point.scope = frames_.back().scope;
    const auto position = range.position();
    if (!position) return;
    point.source_file = writer_.intern(position->file);
    point.source_line = static_cast<int>(position->line);
}

void Recorder::before_statement(EagerModel::Statement statement) {
    if (control_ == nullptr) return;
    line_values_.note(statement, [this](const Tensor& t) { return find_value(t); });
    StopPoint point;
    // Functions that are no forward of a module have no frame here.
    point.depth = direct_depth() + std::max(0, static_cast<int>(statement.calls) - depth());
    point.is_statement = true;
    place_direct(point, statement.range);
    park_if_asked(point);
}

void Recorder::park(const StopPoint& point, const StopReason& why) {
    const auto from = Clock::now();
    control_->parked_at(point);
    park_(point, why);
    parked_ += std::chrono::duration<double>(Clock::now() - from).count();
}

void Recorder::park_if_asked(const StopPoint& point) {
    if (control_ == nullptr) return;
    if (const auto why = control_->before(point, *this, writer_.next_event())) park(point, *why);
}

// In backward the calls around an operator are those of its forward event.
bool Recorder::is_under_line(std::string_view file, int line) const {
    if (pending_point_.source_line == line && pending_point_.source_file == file) return true;
    for (std::uint32_t frame = pending_.frame; frame != 0 && frame < callers_.size(); frame = callers_[frame].frame) {
        if (callers_[frame].line == line && callers_[frame].file == file) return true;
    }
    if (pending_.phase == RunPhase::Backward) return false;
    const auto functions = python::functions_under_way();
    return std::any_of(functions.begin(), functions.end(), [&](const python::FramePlace& function) {
        const SourcePlace place = place_of(function.range);
        return place.line == line && place.file == file;
    });
}

bool Recorder::is_under_node(int graph_node) const {
    const auto& nodes = graph_->nodes;
    for (int node = pending_point_.graph_node; node >= 0 && node < static_cast<int>(nodes.size());
         node = nodes[static_cast<std::size_t>(node)].parent) {
        if (node == graph_node) return true;
    }
    return std::any_of(frames_.begin(), frames_.end(),
                       [graph_node](const ActiveFrame& frame) { return frame.group == graph_node; });
}

bool Recorder::holds_at_line(std::string_view file, int line, const std::string& expression) const {
    for (const python::FramePlace& function : python::functions_under_way()) {
        const SourcePlace place = place_of(function.range);
        if (place.line == line && place.file == file) return python::holds_in(*function.frame, expression);
    }
    throw Error(ErrorKind::Usage, "its variables are not there in this phase");
}

// --- frames ---

void Recorder::name_modules(nn::Module& root, const std::string& path) {
    for (const auto& [name, module] : root.named_modules()) {
        module_paths_.emplace(module.get(),
                              path.empty() || name.empty() ? concat(path, name) : concat(path, ".", name));
    }
}

std::string_view Recorder::scope_of(const FrameInfo& info) const {
    if (info.graph != nullptr || info.module == nullptr) return info.scope;
    const auto known = module_paths_.find(info.module);
    if (known != module_paths_.end()) return known->second;
    return frames_.empty() ? std::string_view() : frames_.back().scope;
}

void Recorder::enter_frame(const FrameInfo& info) {
    ActiveFrame frame;
    Caller caller_place;
    const int caller = frames_.empty() ? SiteMap::kTop : frames_.back().group;
    const bool is_direct_module = info.graph == nullptr && info.module != nullptr;
    const std::string class_name =
        is_direct_module ? static_cast<const nn::Module*>(info.module)->class_name() : std::string();
    if (is_direct_module && !frames_.empty()) {
        StopPoint point;
        point.op = class_name;
        point.depth = direct_depth() + 1;
        point.is_call = true;
        place_direct(point, ir::evaluated_range());
        point.scope = scope_of(info);
        frame.group = point.graph_node = direct_sites_.next_group(point.scope);
        caller_place = {0, point.source_file, point.source_line};
        park_if_asked(point);
    }
    if (info.call_site != nullptr) {
        frame.group = sites_.find(caller, info.call_site);
        StopPoint point;
        point.graph_node = frame.group;
        point.scope = info.scope;
        point.depth = depth();
        point.is_call = true;
        if (frame.group >= 0) {
            const GraphNode& group = graph_->nodes[static_cast<std::size_t>(frame.group)];
            point.op = group.kind;
            point.source_file = group.source.file;
            point.source_line = group.source.line;
        }
        caller_place = {0, point.source_file, point.source_line};
        park_if_asked(point);
    }
    frame.scope = writer_.intern(scope_of(info));
    Frame record;
    record.parent = frames_.empty() ? 0 : frames_.back().id;
    record.scope = frame.scope;
    record.function = writer_.intern(info.function);
    if (is_direct_module) record.class_name = writer_.intern(class_name);
    if (frame.group >= 0 && !is_direct_module)
        record.class_name = writer_.intern(graph_->nodes[static_cast<std::size_t>(frame.group)].kind);
    record.first_event = writer_.next_event();
    frame.id = writer_.begin_frame(record);
    caller_place.frame = record.parent;
    note_caller(frame.id, caller_place);
    frames_.push_back(frame);
}

void Recorder::note_caller(std::uint32_t frame, const Caller& caller) {
    if (callers_.size() <= frame) callers_.resize(frame + 1);
    callers_[frame] = caller;
}

void Recorder::leave_frame() {
    const EventId last = writer_.next_event() - 1;
    while (!frames_.empty() && frames_.back().is_part) pop_frame(last);  // begun in the call and not ended
    if (!frames_.empty()) pop_frame(last);
}

void Recorder::pop_frame(EventId last) {
    writer_.end_frame(frames_.back().id, last);
    frames_.pop_back();
}

// Calls under way; named parts are no calls.
int Recorder::depth() const {
    return static_cast<int>(
        std::count_if(frames_.begin(), frames_.end(), [](const ActiveFrame& frame) { return !frame.is_part; }));
}

// What `with record_function(name)` begins and ends stands around the call that says so, inside the caller.
void Recorder::begin_part(const OperatorCall& call) {
    if (frames_.size() < 2 || call.inputs.empty() || !call.inputs[0].is_string()) return;
    const ActiveFrame& caller = frames_[frames_.size() - 2];
    ActiveFrame part = caller;
    part.is_part = true;
    Frame record;
    record.parent = caller.id;
    const std::string& name = call.inputs[0].to_string();
    record.scope = writer_.intern(caller.scope.empty() ? name : concat(caller.scope, ".", name));
    record.function = writer_.intern(name);
    record.class_name = writer_.intern("record_function");
    record.first_event = writer_.next_event();
    part.id = writer_.begin_frame(record);
    note_caller(part.id, {caller.id, {}, 0});
    frames_.insert(frames_.end() - 1, part);
}

void Recorder::end_part() {
    if (frames_.size() < 2 || !frames_[frames_.size() - 2].is_part) return;
    writer_.end_frame(frames_[frames_.size() - 2].id, writer_.next_event() - 1);
    frames_.erase(frames_.end() - 2);
}

// --- values ---

// A parameter's gradients go with it.
bool Recorder::is_left_out(std::string_view value) const {
    if (options_.left_out.empty()) return false;
    constexpr std::string_view kGradient = "grad of ";
    if (value.starts_with(kGradient)) value.remove_prefix(kGradient.size());
    return is_scope_left_out_ || (!value.empty() && options_.left_out.contains(value));
}

ValueId Recorder::new_value(const Tensor& t, EventId producer, std::string name, bool with_statistics,
                            ValueId gradient_of) {
    Value value;
    value.producer = producer;
    value.gradient_of = gradient_of;
    value.name = std::move(name);
    value.dtype = dtype_name(t.dtype());
    value.shape = shape_from(t.sizes());
    value.strides = shape_from(t.strides());
    value.offset = t.storage_offset();
    value.bytes = static_cast<std::int64_t>(t.bytes());
    value.storage_id = t.storage()->id();
    value.requires_grad = requires_grad(t);
    const bool is_out = is_left_out(value.name);
    value.is_left_out = is_out;
    if (with_statistics && !is_out) value.statistics = compute_statistics(t);
    const ValueId id = writer_.add_value(std::move(value));
    known_[t.impl()] = {id, t.storage()->id(), t.version()};
    const bool is_wanted = options_.values && id != 0 && (options_.only == nullptr || options_.only->contains(id));
    // What the run begins with is what it can be repeated from.
    if (is_wanted && producer == 0)
        store_.keep_for_good(id, t);
    else if (is_wanted && !is_out)
        store_.keep(id, t);
    return id;
}

ValueId Recorder::value_of_input(const Tensor& t) {
    const auto found = known_.find(t.impl());
    if (found != known_.end() && found->second.storage == t.storage()->id() && found->second.version == t.version()) {
        const Value& value = recording()->value(found->second.value);
        const bool is_same = value.offset == t.storage_offset() && value.dtype == dtype_name(t.dtype()) &&
                             std::equal(value.shape.begin(), value.shape.end(), t.sizes().begin(), t.sizes().end());
        if (is_same) return found->second.value;
    }
    const auto writer = last_writer_.find(t.storage()->id());
    std::string name;
    if (found != known_.end() && found->second.storage == t.storage()->id()) {
        name = recording()->value(found->second.value).name;  // the same tensor, written since
    }
    const bool is_gradient = pending_.phase == RunPhase::Backward;
    EventId producer = writer == last_writer_.end() ? 0 : writer->second;
    const bool is_finite = !options_.statistics || is_all_finite(t);
    const auto bad = is_finite ? written_bad_.end() : written_bad_.find(t.storage()->id());
    // The last to write may have written elsewhere in the storage, finite numbers.
    if (bad != written_bad_.end() && bad->second.by != 0 && producer != 0 &&
        recording()->event(producer).not_finite == NotFinite::None)
        producer = bad->second.by;
    // Causes are read from the numbers of small constants (an exponent); those of a norm's many tensors would cost
    // time.
    const bool is_telling = is_gradient || t.numel() <= kSmallConstant || !is_finite;
    const ValueId id = new_value(t, producer, std::move(name), options_.statistics && is_telling);
    if (producer == 0 && !is_gradient) note_given(id, t, Category::Other);
    if (producer != 0 && bad != written_bad_.end() && bad->second.has_constant && !bad->second.has_other) {
        const auto& statistics = recording()->value(id).statistics;
        if (statistics && statistics->nan_count == 0) meant_.insert(id);
    }
    return id;
}

// --- NaN and Inf ---

// Inf in buffers and in constants of the program are meant, and -Inf in its inputs: masks are given so.
void Recorder::note_given(ValueId id, const Tensor& t, Category category) {
    if (id == 0 || category == Category::Parameter) return;
    const auto& statistics = recording()->value(id).statistics;
    if (!statistics || !statistics->has_nan_or_inf()) return;
    const bool is_meant = statistics->nan_count == 0 && (category != Category::Input || !holds_positive_infinity(t));
    if (is_meant) meant_.insert(id);
    Written& written = written_bad_[t.storage()->id()];
    (is_meant ? written.has_constant : written.has_other) = true;
}

void Recorder::note_written(const std::vector<ValueId>& outputs, NotFinite kind, EventId by) {
    for (const ValueId id : outputs) {
        if (id == 0 || !is_bad(recording()->value(id))) continue;
        Written& written = written_bad_[recording()->value(id).storage_id];
        written.by = by;
        (kind == NotFinite::Meant ? written.has_constant : written.has_other) = true;
    }
}

// The values that a backward node reads besides its gradients: it lets go of them when it has run.
void Recorder::find_saved(const OperatorCall& call) {
    pending_saved_.clear();
    const auto* node = options_.statistics ? dynamic_cast<const OperatorNode*>(call.autograd_node) : nullptr;
    if (node == nullptr) return;
    for (const Tensor& saved : node->saved_tensors()) {
        const ValueId known = find_value(saved);
        if (known != 0 && recording()->value(known).storage_id == saved.storage()->id()) {
            pending_saved_.push_back(known);
            continue;
        }
        if (pending_.peer == 0) continue;
        // A handle of its own on what the forward event read or made.
        const Event& forward = recording()->event(pending_.peer);
        for (const auto* values : {&forward.outputs, &forward.inputs}) {
            for (const ValueId id : *values) {
                if (recording()->value(id).storage_id == saved.storage()->id()) pending_saved_.push_back(id);
            }
        }
    }
}

Holding Recorder::holding_of(ValueId id) const {
    Holding held;
    const auto& statistics = recording()->value(id).statistics;
    if (!statistics) return held;
    held.has_nan = statistics->nan_count > 0;
    held.has_inf = statistics->inf_count > 0;
    held.is_meant = !held.has_inf || meant_.contains(id);
    return held;
}

NotFinite Recorder::kind_of(const OperatorCall& call, const Event& event) const {
    NumberFlow flow;
    for (const ValueId id : event.outputs) flow.out.add(holding_of(id));
    for (const ValueId id : event.inputs) flow.in.add(holding_of(id));
    for (const ValueId id : pending_saved_) flow.in.add(holding_of(id));
    flow.has_infinite_constant = names_constant(event, "inf");
    flow.has_nan_constant = names_constant(event, "nan");
    if (call.op == nullptr) return classify(flow);
    if (leaves_uninitialised(*call.op)) return NotFinite::Meant;
    const bool is_elementwise =
        call.op->family == "pointwise" && call.op->variant == OperatorVariant::Functional && event.outputs.size() == 1;
    if (!flow.in.is_finite() && is_elementwise && call.outputs.size() == 1 && call.outputs[0].is_tensor()) {
        flow.elements = element_flow(tensors_in(call.inputs), call.outputs[0].to_tensor());
    }
    return classify(flow);
}

// Of element-wise operators, and of their derivatives as far as the forward's elements are kept.
std::vector<double> Recorder::read_for_bad(const OperatorCall& call, const Event& event) const {
    const bool is_backward = event.phase == RunPhase::Backward;
    const Event* forward = is_backward && event.peer != 0 ? &recording()->event(event.peer) : nullptr;
    const Operator* op = forward != nullptr ? find_operator(forward->op, forward->overload) : call.op;
    if (op == nullptr || op->family != "pointwise" || op->variant != OperatorVariant::Functional) return {};
    if (!is_backward)
        return call.outputs.size() == 1 && call.outputs[0].is_tensor()
                   ? elements_behind_bad(tensors_in(call.inputs), call.outputs[0].to_tensor())
                   : std::vector<double>();
    if (forward == nullptr || forward->outputs.size() != 1) return {};
    TensorList read;
    for (const ValueId id : forward->inputs) read.push_back(store_.find(id));
    for (const Tensor& t : tensors_in(call.outputs)) {
        const Shape& whole = recording()->value(forward->outputs.front()).shape;
        const bool is_whole = std::equal(whole.begin(), whole.end(), t.sizes().begin(), t.sizes().end());
        if (is_whole && !is_all_finite(t)) return elements_behind_bad(read, t);
    }
    return {};
}

void Recorder::protect_existing() {
    for (ValueId id = 1; id <= recording()->value_count(); ++id) {
        const Value& value = recording()->value(id);
        if (value.producer == 0 || recording()->event(value.producer).phase == RunPhase::Optimizer)
            store_.protect(value.storage_id);
    }
}

void Recorder::protect_written(const OperatorCall& call) {
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

// --- events ---

void Recorder::fill_place(const OperatorCall& call, Event& event) const {
    event.phase = pending_point_.phase;
    event.depth = pending_point_.depth;
    event.graph_node = pending_point_.graph_node;
    event.source_line = pending_point_.source_line;
    event.frame = frames_.empty() ? 0 : frames_.back().id;
    if (call.autograd_node == nullptr) return;
    const auto forward = static_cast<EventId>(call.autograd_node->forward_event());
    if (forward == 0 || forward > recording()->event_count()) return;
    event.peer = forward;
    event.frame = recording()->event(forward).frame;
}

void Recorder::fill_arguments(const OperatorCall& call, Event& event) const {
    if (call.schema == nullptr) return;
    const auto& arguments = call.schema->arguments;
    for (std::size_t i = 0; i < arguments.size() && i < call.inputs.size(); ++i) {
        const IValue& value = call.inputs[i];
        if (value.is_tensor()) continue;
        if (value.is_list() && !value.to_list().elements.empty() && value.to_list().elements.front().is_tensor())
            continue;
        if (arguments[i].default_value && values_equal(*arguments[i].default_value, value)) continue;
        event.arguments.push_back(concat(arguments[i].name, "=", python_repr(value)));
    }
}

void Recorder::end_when_repeated() const {
    if (options_.only == nullptr || options_.only->empty() || recording()->value_count() < *options_.only->rbegin())
        return;
    throw Error(ErrorKind::Cancelled, "repeated as far as wanted");
}

void Recorder::before_operator(const OperatorCall& call) {
    end_when_repeated();
    pending_ = Event{};
    pending_point_ = point_of(call);
    park_if_asked(pending_point_);
    pending_.op = writer_.intern(call.name);
    if (call.schema != nullptr) pending_.overload = writer_.intern(call.schema->overload);
    pending_.scope = writer_.intern(pending_point_.scope);
    pending_.source_file = writer_.intern(pending_point_.source_file);
    pending_.phase = pending_point_.phase;
    fill_place(call, pending_);
    if (call.autograd_node != nullptr && pending_.peer == 0) {
        if (const auto* sink = dynamic_cast<const AccumulateGrad*>(call.autograd_node)) {
            if (const ValueId parameter = find_value(sink->variable()); parameter != 0) {
                pending_.scope = writer_.intern(parent_path(recording()->value(parameter).name));
            }
        }
    }
    if (!options_.left_out.empty()) is_scope_left_out_ = options_.left_out.contains(pending_.scope);
    for (const Tensor& t : tensors_in(call.inputs)) {
        pending_.inputs.push_back(value_of_input(t));
        memory_.touch(t);
    }
    end_when_repeated();
    find_saved(call);
    fill_arguments(call, pending_);
    protect_written(call);
    pending_.memory_before = memory_.current_bytes();
    memory_.begin_event(writer_.next_event(), pending_.scope);
    is_pending_ = true;
    saved_.clear();
    set_saving_observer(this);
    set_fallback_observer(this);
    pending_began_ = Clock::now();
    pending_.start = now();
    setup_.start();
    if (any_device_but_cpu()) [[unlikely]]
        start_device_clock(call);
}

void Recorder::stop_clock() {
    device_clock_.stop();
    const double taken = std::chrono::duration<double>(Clock::now() - pending_began_).count();
    pending_.setup = setup_.stop();
    pending_.duration = std::max(0.0, taken - pending_.setup.total());
    if (const auto on_device = device_clock_.seconds())
        pending_.device.launch = std::exchange(pending_.duration, *on_device);
}

void Recorder::on_kernel(const KernelChoice& choice) {
    if (!is_pending_) return;
    pending_.backend = writer_.intern(choice.backend);
    if (is_first_call(choice)) pending_.is_cold = true;
    for (const std::string& line : choice.declined) pending_.declined.push_back(line);
}

void Recorder::collect_outputs(const OperatorCall& call, Event& event) {
    const EventId id = writer_.next_event();
    const auto* site = static_cast<const ir::Node*>(call.site);
    std::vector<std::string> names(call.outputs.size());
    for (std::size_t i = 0; site != nullptr && i < std::min(names.size(), site->outputs().size()); ++i) {
        names[i] = "%" + site->output(i)->debug_name();
    }
    std::vector<ValueId> gradient_of(names.size(), 0);
    if (call.autograd_node != nullptr) {
        const std::vector<Edge>& edges = call.autograd_node->next_edges();
        for (std::size_t i = 0; i < std::min(names.size(), edges.size()); ++i) {
            gradient_of[i] = value_of_edge(edges[i]);
            // What an operator is made of has no value of its own: the node that takes the gradient names it.
            names[i] = gradient_of[i] != 0 ? gradient_name(gradient_of[i])
                       : edges[i]          ? concat("grad for ", edges[i].node->name())
                                           : std::string();
        }
    }
    std::size_t output = 0;
    for (const IValue& result : call.outputs) {
        const std::string& name = names[output];
        const ValueId of = gradient_of[output++];
        visit_tensors(result, [&](const Tensor& t) {
            if (!t.defined()) return;
            const auto known = known_.find(t.impl());
            // An operator that gives its argument back unchanged makes nothing.
            if (known != known_.end() && known->second.storage == t.storage()->id() &&
                known->second.version == t.version() &&
                recording()->value(known->second.value).offset == t.storage_offset() &&
                std::find(event.inputs.begin(), event.inputs.end(), known->second.value) != event.inputs.end()) {
                event.outputs.push_back(known->second.value);
                if (call.autograd_node == nullptr) remember_edge(t, event.outputs.back());
                return;
            }
            memory_.own(t, name);
            last_writer_[t.storage()->id()] = id;
            event.outputs.push_back(new_value(t, id, name, options_.statistics, of));
            if (call.autograd_node == nullptr) remember_edge(t, event.outputs.back());
        });
    }
}

// Of a node that is made outside of operators (a function of the program's own) the last event is what it belongs to.
void Recorder::on_saved(const Tensor& t) {
    if (execution_observer() != this) return;  // a request while the run is parked
    if (is_pending_) return saved_.push_back(t.storage()->id());
    if (const EventId last = writer_.next_event() - 1; last != 0) memory_.mark_saved(t.storage()->id(), last, {});
}

void Recorder::note_saved(const OperatorCall& call, EventId event) {
    if (saved_.empty()) return;
    std::vector<const Node*> made;
    for (const IValue& result : call.outputs) {
        visit_tensors(result, [&](const Tensor& t) {
            if (t.defined() && autograd_meta(t) != nullptr) made.push_back(autograd_meta(t)->grad_fn.get());
        });
    }
    for (const std::uint64_t storage : saved_) {
        const Node* saver = nullptr;
        for (std::size_t i = 0; i < made.size() && saver == nullptr; ++i) saver = saver_of(made[i], storage, event);
        if (saver == nullptr && !made.empty() && made.front() != nullptr && made.front()->forward_event() == event)
            saver = made.front();
        memory_.mark_saved(storage, event, saver != nullptr ? writer_.intern(saver->name()) : std::string_view());
    }
}

// Nodes are known by their numbers, which are never used again as addresses are.
void Recorder::remember_edge(const Tensor& t, ValueId value) {
    if (const Edge edge = gradient_edge(t); edge && !is_leaf(t))
        values_of_edges_[{edge.node->sequence(), edge.input}] = value;
}

// The value whose gradient flows along an edge of the backward graph; 0: something inside an operator, or unknown.
ValueId Recorder::value_of_edge(const Edge& edge) const {
    if (!edge) return 0;
    if (const auto* sink = dynamic_cast<const AccumulateGrad*>(edge.node.get())) return find_value(sink->variable());
    const auto found = values_of_edges_.find({edge.node->sequence(), edge.input});
    return found == values_of_edges_.end() ? 0 : found->second;
}

std::string Recorder::gradient_name(ValueId of) const {
    const Value& value = recording()->value(of);
    if (!value.name.empty() || value.producer == 0) return concat("grad of ", value.name);
    return concat("grad of ", recording()->event(value.producer).op, " #", value.producer);
}

EventId Recorder::publish(Event event) {
    const RunPhase phase = event.phase;
    const EventId peer = event.peer;
    const EventId id = writer_.add_event(std::move(event));
    if (phase == RunPhase::Backward) writer_.set_backward_peer(peer, id);
    const auto at = Clock::now();
    if (progress_ && at - last_progress_ > std::chrono::milliseconds(16)) {
        last_progress_ = at;
        progress_(recording()->event_count());
    }
    return id;
}

void Recorder::after_operator(const OperatorCall& call) {
    if (!is_pending_) return;
    is_pending_ = false;
    stop_clock();
    const EventId id = writer_.next_event();
    note_saved(call, id);
    collect_outputs(call, pending_);
    std::vector<const Value*> made;
    for (const ValueId output : pending_.outputs) {
        const Value& value = recording()->value(output);
        made.push_back(&value);
        if (!value.statistics) continue;
        pending_.has_nan |= value.statistics->nan_count > 0;
        pending_.has_inf |= value.statistics->inf_count > 0;
    }
    if (pending_.has_nan || pending_.has_inf) pending_.not_finite = kind_of(call, pending_);
    if (pending_.not_finite == NotFinite::Meant) meant_.insert(pending_.outputs.begin(), pending_.outputs.end());
    const NotFinite kind = pending_.not_finite;
    if (kind != NotFinite::None) note_written(pending_.outputs, kind, id);
    if (is_origin(kind)) pending_.read_for_bad = read_for_bad(call, pending_);
    memory_.end_event();
    pending_.memory_peak = memory_.event_peak();
    pending_.memory_after = memory_.current_bytes();
    if (call.op != nullptr) {
        const Cost cost = operator_cost(*call.op, call.inputs, call.outputs);
        pending_.flops = cost.flops;
        pending_.bytes_moved = cost.bytes;
    }
    if (call.name == "profiler::_record_function_enter") begin_part(call);
    if (const auto* sink = dynamic_cast<const AccumulateGrad*>(call.autograd_node))
        accumulated_[sink->variable().impl()] = id;
    publish(std::move(pending_));
    if (call.name == "profiler::_record_function_exit") end_part();
    if (control_ == nullptr) return;
    if (const auto why = control_->after(pending_point_, made, kind, *this)) park(pending_point_, *why);
}

void Recorder::on_exception(const Error& error) {
    if (!is_pending_ || error.kind() == ErrorKind::Cancelled) return;
    is_pending_ = false;
    stop_clock();
    pending_.failed = true;
    pending_.error = error.what();
    memory_.end_event();
    pending_.memory_after = memory_.current_bytes();
    publish(std::move(pending_));
}

void Recorder::begin_backward(const TensorList& roots, BackwardStart start) {
    end_when_repeated();
    pending_ = Event{};
    pending_point_ = StopPoint{};
    pending_point_.phase = RunPhase::Backward;
    pending_.op = writer_.intern(concat("backward from: ", start.text));
    pending_point_.op = pending_.op;
    // As deep as the last operator of forward, so that a step over it is a step of backward.
    const auto count = static_cast<EventId>(recording()->event_count());
    if (count > 0) pending_point_.depth = recording()->event(count).depth;
    park_if_asked(pending_point_);
    pending_.phase = RunPhase::Backward;
    pending_.depth = pending_point_.depth;
    is_scope_left_out_ = false;
    for (const Tensor& t : roots) {
        pending_.inputs.push_back(value_of_input(t));
        memory_.touch(t);
    }
    pending_start_ = std::move(start);
    pending_.memory_before = memory_.current_bytes();
    memory_.begin_event(writer_.next_event(), {});
    pending_began_ = Clock::now();
    pending_.start = now();
}

void Recorder::end_backward_start(const TensorList& roots, const TensorList& gradients) {
    const EventId id = writer_.next_event();
    pending_.duration = std::chrono::duration<double>(Clock::now() - pending_began_).count();
    std::vector<const Value*> made;
    for (std::size_t i = 0; i < gradients.size() && i < roots.size(); ++i) {
        const ValueId of = pending_.inputs[i];
        const std::string name = of == 0 ? std::string() : gradient_name(of);
        memory_.own(gradients[i], name);
        last_writer_[gradients[i].storage()->id()] = id;
        const ValueId value = new_value(gradients[i], id, name, options_.statistics, of);
        if (value == 0) continue;
        pending_.outputs.push_back(value);
        made.push_back(&recording()->value(value));
        if (!made.back()->statistics) continue;
        pending_.has_nan |= made.back()->statistics->nan_count > 0;
        pending_.has_inf |= made.back()->statistics->inf_count > 0;
    }
    NumberFlow flow;
    for (const ValueId value : pending_.inputs) flow.in.add(holding_of(value));
    for (const ValueId value : pending_.outputs) flow.out.add(holding_of(value));
    const NotFinite kind = pending_.not_finite = classify(flow);
    memory_.end_event();
    pending_.memory_peak = memory_.event_peak();
    pending_.memory_after = memory_.current_bytes();
    pending_start_.event = id;
    writer_.set_backward_start(pending_start_);
    publish(std::move(pending_));
    if (control_ == nullptr) return;
    if (const auto why = control_->after(pending_point_, made, kind, *this)) park(pending_point_, *why);
}

void name_existing_tensors(Recorder& recorder, nn::Module& module, const std::vector<IValue>& arguments,
                           const FunctionSchema& schema) {
    recorder.name_modules(module);
    for (const auto& [name, t] : module.named_parameters()) recorder.name_value(t, name, Category::Parameter);
    for (const auto& [name, t] : module.named_buffers()) recorder.name_value(t, name, Category::Buffer);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string name = i + 1 < schema.arguments.size() ? schema.arguments[i + 1].name : concat("input ", i);
        std::size_t element = 0;
        visit_tensors(arguments[i], [&](const Tensor& t) {
            const bool is_alone = arguments[i].is_tensor();
            if (t.defined())
                recorder.name_value(t, is_alone ? name : concat(name, "[", element++, "]"), Category::Input);
        });
    }
}

}  // namespace loupe::session
