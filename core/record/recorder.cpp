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
#include "core/python/language/condition.h"
#include "core/record/call_tensors.h"
#include "core/record/memory_holders.h"
#include "core/record/running_place.h"

namespace loupe::session {
namespace {

std::string_view parent_path(std::string_view path) {
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

// Lists with places left out are written: "indices=[None, Tensor(...)]".
bool is_list_of_tensors(const IValue& value) {
    if (!value.is_list() || value.to_list().elements.empty()) return false;
    const auto& elements = value.to_list().elements;
    return std::all_of(elements.begin(), elements.end(),
                       [](const IValue& element) { return element.is_tensor() && element.to_tensor().defined(); });
}

bool is_before_tensor(std::span<const IValue> inputs, std::size_t i) {
    return i + 1 < inputs.size() && inputs[i + 1].is_tensor();
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
      control_(control),
      park_(std::move(park)),
      store_(options_.budget),
      memory_(writer_, store_),
      bad_(*writer_.recording(), store_),
      tensors_(options_, writer_, store_, bad_),
      frames_(writer_, *graph_, std::move(graph.sites)) {}

Recorder::~Recorder() { stop_watching(); }

void Recorder::begin_at(RunClock::Time asked, RunClock::Time given) {
    clock_.begin_at(asked);
    clock_.pause_since(given);
}

void Recorder::name_value(const Tensor& t, const std::string& name, Category category) {
    memory_.add_existing(t, category, name);
    tensors_.name(t, name, category);
}

EventId Recorder::accumulated_at(const Tensor& leaf) const {
    const auto found = accumulated_.find(leaf.impl());
    return found == accumulated_.end() ? 0 : found->second;
}

void Recorder::finish() {
    while (!frames_.is_empty()) leave_frame();
    take_loads();
    for (const data::LoadWork& work : load_log_->under_way()) add_load(work);
    setup_.stop();
    stop_watching();
    memory_.stop();
    try {
        catch_up();
    } catch (const Error&) {  // what ran has been told of it, or ended by it
    }
    writer_.finish();
    if (RunningPlace* place = running_place()) place->clear();
    if (progress_) progress_(recording()->event_count());
}

// --- stop points ---

void Recorder::before_statement(EagerModel::Statement statement) {
    if (control_ == nullptr) return;
    line_values_.note(statement, [this](const Tensor& t) { return find_value(t); });
    park_if_asked(frames_.point_of(statement));
}

void Recorder::park(const StopPoint& point, const StopReason& why) {
    catch_up();
    take_loads();
    const auto from = Clock::now();
    control_->parked_at(point);
    park_(point, why);
    clock_.pause_since(from);
    device_clock_.forget_zero();
}

void Recorder::park_if_asked(const StopPoint& point) {
    if (control_ == nullptr) return;
    if (const auto why = control_->before(point, *this, writer_.next_event())) park(point, *why);
}

bool Recorder::is_under_line(std::string_view file, int line) const {
    return frames_.is_under_line(pending_point_, pending_, file, line);
}

bool Recorder::is_under_node(int graph_node) const { return frames_.is_under_node(pending_point_, graph_node); }

bool Recorder::holds_at_line(std::string_view file, int line, const std::string& expression) const {
    for (const python::FramePlace& function : python::functions_under_way()) {
        const SourcePlace place = place_of(function.range);
        if (place.line == line && place.file == file) return python::holds_in(*function.frame, expression);
    }
    throw Error(ErrorKind::Usage, "its variables are not there in this phase");
}

// --- frames ---

Recorder::Place Recorder::place_now() const {
    if (!is_pending_) return {writer_.next_event(), {}, {}, 0};
    return {writer_.next_event(), std::string(pending_.scope), std::string(pending_.source_file), pending_.source_line};
}

void Recorder::enter_frame(const FrameInfo& info) {
    if (names_roots_ && info.module != nullptr && frames_.is_empty() && !frames_.knows(*info.module))
        name_root(nn::ModulePtr(const_cast<nn::Module*>(info.module)));
    const std::optional<StopPoint> place = frames_.point_of(info);
    if (place) park_if_asked(*place);
    frames_.enter(info, place);
}

void Recorder::leave_frame() { frames_.leave(); }

// Programs that make a new module for every call have no tree that a reader could use: the first are enough.
void Recorder::name_root(const nn::ModulePtr& root) {
    constexpr std::size_t kMostRoots = 64;
    if (called_roots_.size() >= kMostRoots) return;
    std::string name;
    if (!called_roots_.empty()) {
        name = root->class_name();
        for (int number = 2; root_names_.contains(name); ++number) name = concat(root->class_name(), number);
    }
    root_names_.insert(name);
    called_roots_.emplace_back(name, root);
    name_module_tensors(*this, *root, name);
}

// --- events ---

void Recorder::fill_place(const OperatorCall& call, Event& event) const {
    event.phase = pending_point_.phase;
    event.depth = pending_point_.depth;
    event.graph_node = pending_point_.graph_node;
    event.source_line = pending_point_.source_line;
    event.frame = frames_.current();
    if (call.autograd_node == nullptr) return;
    const auto forward = static_cast<EventId>(call.autograd_node->forward_event());
    if (forward == 0 || forward >= writer_.next_event()) return;
    event.peer = forward;
    event.frame = recording()->event(forward).frame;
}

namespace {

// Of an optimizer's group, such as "lr=0.1", without what is off.
void fill_options(const DictObject& group, Event& event) {
    for (const auto& [name, value] : group.entries()) {
        const std::string& key = name.to_string();
        const bool is_off = value.is_none() || (value.is_bool() && !value.to_bool()) ||
                            (value.is_int() && value.to_int() == 0) || (value.is_double() && value.to_double() == 0);
        if (is_off || value.is_tensor() || key == "params" || key == "initial_lr") continue;
        event.arguments.push_back(concat(key, "=", python_repr(value)));
    }
}

}  // namespace

void Recorder::fill_arguments(const OperatorCall& call, Event& event) const {
    if (call.options != nullptr) fill_options(*call.options, event);
    if (call.schema == nullptr) return;
    const auto& arguments = call.schema->arguments;
    for (std::size_t i = 0; i < arguments.size() && i < call.inputs.size(); ++i) {
        const IValue& value = call.inputs[i];
        if (value.is_tensor()) continue;
        if (is_list_of_tensors(value)) {
            // Of several lists it is said which tensors are whose.
            if (call.op != nullptr && std::popcount(call.op->list_arguments) > 1)
                event.arguments.push_back(
                    concat(arguments[i].name, "=[", value.to_list().elements.size(), " tensors]"));
            continue;
        }
        const bool is_default = arguments[i].default_value && values_equal(*arguments[i].default_value, value);
        // A tensor that is left out before one that is given, of several that may be, is said: clamp(x, None, max).
        if (is_default && !(value.is_none() && is_before_tensor(call.inputs, i))) continue;
        event.arguments.push_back(concat(arguments[i].name, "=", python_repr(value)));
    }
}

void Recorder::end_when_repeated() const {
    if (options_.only == nullptr || options_.only->empty() || writer_.last_value() < *options_.only->rbegin()) return;
    throw Error(ErrorKind::Cancelled, "repeated as far as wanted");
}

void Recorder::add_inputs(std::span<const Tensor> tensors) {
    for (const Tensor& t : tensors) {
        pending_.inputs.push_back(tensors_.of_input(t, pending_.phase == RunPhase::Backward));
        memory_.touch(t);
    }
}

void Recorder::before_operator(const OperatorCall& call) {
    end_when_repeated();
    begin_event(call, frames_.point_of(call));
}

// What it is and where it stands.
void Recorder::describe(const OperatorCall& call) {
    pending_.op = writer_.intern(call.name);
    if (call.schema != nullptr) pending_.overload = writer_.intern(call.schema->overload);
    pending_.scope = writer_.intern(pending_point_.scope);
    pending_.source_file = writer_.intern(pending_point_.source_file);
    fill_place(call, pending_);
    fill_arguments(call, pending_);
}

void Recorder::begin_event(const OperatorCall& call, const StopPoint& point) {
    pending_ = Event{};
    pending_operator_ = call.op != nullptr ? call.op->full_name : std::string_view();
    pending_has_kernel_ = false;
    pending_point_ = point;
    park_if_asked(pending_point_);
    describe(call);
    if (call.autograd_node != nullptr && pending_.peer == 0) {
        if (const auto* sink = dynamic_cast<const AccumulateGrad*>(call.autograd_node)) {
            if (const ValueId parameter = find_value(sink->variable()); parameter != 0) {
                pending_.scope = writer_.intern(parent_path(recording()->value(parameter).name));
            }
        }
    }
    if (!options_.left_out.empty()) tensors_.leave_out(options_.left_out.contains(pending_.scope));
    add_inputs(tensors_in(call.inputs));
    end_when_repeated();
    pending_saved_ = tensors_.saved_by(call.autograd_node, pending_.peer);
    tensors_.protect_written(call);
    pending_.memory_before = memory_.current_bytes();
    memory_.begin_event(writer_.next_event(), pending_.scope);
    is_pending_ = true;
    if (RunningPlace* place = running_place())
        place->begin(writer_.next_event(), pending_.op, pending_.scope, pending_.source_file, pending_.source_line);
    saved_.clear();
    set_saving_observer(this);
    set_fallback_observer(this);
    pending_began_ = Clock::now();
    pending_.start = clock_.at(pending_began_);
    setup_.start();
    workers_.start(pending_began_, pending_.start);
    if (any_device_but_cpu()) [[unlikely]]
        start_device_clock(call);
}

void Recorder::stop_clock() {
    pending_span_ = device_clock_.stop();
    const double taken = std::chrono::duration<double>(Clock::now() - pending_began_).count();
    pending_.setup = setup_.stop();
    pending_.workers = workers_.stop();
    pending_.duration = std::max(0.0, taken - pending_.setup.total());
    if (RunningPlace* place = running_place()) place->end();
}

void Recorder::on_kernel(const KernelChoice& choice) {
    if (!is_pending_) return;
    if (!pending_has_kernel_) pending_.backend = writer_.intern(choice.backend);
    pending_has_kernel_ = pending_has_kernel_ || choice.op == pending_operator_;
    if (is_first_call(choice)) pending_.is_cold = true;
    for (const std::string& line : choice.declined) pending_.declined.push_back(line);
}

void Recorder::collect_outputs(const OperatorCall& call, Event& event) {
    const EventId id = writer_.next_event();
    const auto* site = call.site;
    std::vector<std::string> names(call.outputs.size());
    for (std::size_t i = 0; site != nullptr && i < std::min(names.size(), site->outputs().size()); ++i) {
        names[i] = "%" + site->output(i)->debug_name();
    }
    std::vector<ValueId> gradient_of(names.size(), 0);
    if (call.autograd_node != nullptr) {
        const std::vector<Edge>& edges = call.autograd_node->next_edges();
        for (std::size_t i = 0; i < std::min(names.size(), edges.size()); ++i) {
            gradient_of[i] = tensors_.of_edge(edges[i]);
            // What an operator is made of has no value of its own: the node that takes the gradient names it.
            names[i] = gradient_of[i] != 0 ? tensors_.gradient_name(gradient_of[i])
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
            // An operator that gives its argument back unchanged makes nothing.
            const ValueId same = tensors_.find_unchanged(t);
            const bool is_given_back =
                same != 0 && std::find(event.inputs.begin(), event.inputs.end(), same) != event.inputs.end();
            if (!is_given_back) memory_.own(t, name);
            event.outputs.push_back(is_given_back ? same : tensors_.add_made(t, id, name, of));
            if (call.autograd_node == nullptr) tensors_.remember_edge(t, event.outputs.back());
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

EventId Recorder::publish(Event event) {
    const RunPhase phase = event.phase;
    const EventId peer = event.peer;
    const EventId id = writer_.add_event(std::move(event));
    if (phase == RunPhase::Backward) writer_.set_backward_peer(peer, id);
    if (!progress_) return id;
    const auto at = Clock::now();
    if (at - last_progress_ > std::chrono::milliseconds(16)) {
        last_progress_ = at;
        progress_(recording()->event_count());
    }
    return id;
}

void Recorder::note_statistics(Event& event) const {
    for (const ValueId output : event.outputs) {
        const Value& value = recording()->value(output);
        if (!value.statistics) continue;
        event.has_nan |= value.statistics->nan_count > 0;
        event.has_inf |= value.statistics->inf_count > 0;
    }
}

// Where the NaN and Inf in what it made come from.
void Recorder::judge(Event& event, const std::function<BadNumbers::Call()>& call, const std::vector<ValueId>& saved,
                     EventId id) {
    note_statistics(event);
    if (event.has_nan || event.has_inf) event.not_finite = bad_.kind_of(call(), event, saved);
    bad_.note_made(event.outputs, event.not_finite, id);
    if (is_origin(event.not_finite)) event.read_for_bad = bad_.read_by(call(), event);
}

void Recorder::park_behind(const Event& event) {
    if (control_ == nullptr || !control_->reads_outputs()) return;
    catch_up();
    const NotFinite kind = event.not_finite;
    std::vector<const Value*> made;
    for (const ValueId output : event.outputs) made.push_back(&recording()->value(output));
    if (const auto why = control_->after(pending_point_, made, kind, *this)) park(pending_point_, *why);
}

void Recorder::after_operator(const OperatorCall& call) {
    if (!is_pending_) return;
    is_pending_ = false;
    stop_clock();
    const EventId id = writer_.next_event();
    note_saved(call, id);
    collect_outputs(call, pending_);
    const bool is_held = is_late();
    if (!is_held) {
        judge(
            pending_,
            [&] {
                return BadNumbers::Call{call.op, tensors_in(call.inputs), tensors_in(call.outputs)};
            },
            pending_saved_, id);
    }
    memory_.end_event();
    pending_.memory_peak = memory_.event_peak();
    pending_.memory_after = memory_.current_bytes();
    if (call.op != nullptr) {
        const Cost cost = operator_cost(*call.op, call.inputs, call.outputs);
        pending_.flops = cost.flops;
        pending_.bytes_moved = cost.bytes;
    }
    if (call.name == "profiler::_record_function_enter") frames_.begin_part(call);
    if (const auto* sink = dynamic_cast<const AccumulateGrad*>(call.autograd_node))
        accumulated_[sink->variable().impl()] = id;
    if (is_held) hold(call.op);
    const bool is_published = publish(std::move(pending_)) != 0;
    if (is_held && !is_published) held_.pop_back();  // the recording is full
    if (call.name == "profiler::_record_function_exit") frames_.end_part();
    if (is_held) show_some();
    if (is_published && !options_.changes.empty()) make_changes(id);
    if (is_published) park_behind(recording()->event(id));
}

// --- composed operators ---

void Recorder::open_operator(const OperatorCall& call) {
    end_when_repeated();
    const StopPoint point = frames_.point_of(call);
    park_if_asked(point);
    opened_.push_back({writer_.next_event(), point});
    frames_.open(call, point);
}

void Recorder::close_operator(const OperatorCall& call, bool has_run) {
    const Opened opened = opened_.back();
    opened_.pop_back();
    frames_.leave();
    if (!has_run) return;
    if (writer_.next_event() != opened.first) return publish_whole(call, opened.point);
    // Nothing in it is an operator of its own: it is an event like others. The run has stopped at it already.
    StopControl* const control = std::exchange(control_, nullptr);
    begin_event(call, opened.point);
    after_operator(call);
    control_ = control;
}

void Recorder::note_whole(Event& event) const {
    note_statistics(event);
    if (event.has_nan || event.has_inf) event.not_finite = NotFinite::PassedOn;
}

// Behind its parts, whose time and memory it has taken: their results are the operator's.
void Recorder::publish_whole(const OperatorCall& call, const StopPoint& point) {
    pending_ = Event{};
    pending_point_ = point;
    describe(call);
    for (const Tensor& t : tensors_in(call.outputs)) {
        const ValueId value = t.defined() ? find_value(t) : 0;
        if (value == 0) continue;
        pending_.inputs.push_back(value);
        pending_.outputs.push_back(value);
    }
    pending_.memory_before = pending_.memory_after = pending_.memory_peak = memory_.current_bytes();
    pending_.start = clock_.now();
    const bool is_held = is_late();
    if (is_held) {
        hold(nullptr);
        held_.back().is_whole = true;
    } else {
        note_whole(pending_);
    }
    if (publish(std::move(pending_)) == 0 && is_held) held_.pop_back();
}

void Recorder::on_exception(const Error& error) {
    if (!is_pending_) return;
    if (error.kind() == ErrorKind::Cancelled) {
        workers_.stop();
        return;
    }
    is_pending_ = false;
    stop_clock();
    pending_span_.reset();
    try {
        catch_up();
    } catch (const Error&) {  // of the device, which may be what has failed
    }
    pending_.failed = true;
    pending_.error = error.what();
    memory_.end_event();
    pending_.memory_after = memory_.current_bytes();
    if (error.message().find("out of memory") != std::string::npos) {
        const std::string held = holders_text(*recording(), writer_.next_event() - 1);
        if (!held.empty()) pending_.error += concat("; ", held);
    }
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
    const EventId count = writer_.next_event() - 1;
    if (count > 0) pending_point_.depth = recording()->event(count).depth;
    park_if_asked(pending_point_);
    pending_.phase = RunPhase::Backward;
    pending_.depth = pending_point_.depth;
    tensors_.leave_out(false);
    add_inputs(roots);
    pending_start_ = std::move(start);
    pending_.memory_before = memory_.current_bytes();
    memory_.begin_event(writer_.next_event(), {});
    pending_began_ = Clock::now();
    pending_.start = clock_.at(pending_began_);
}

void Recorder::end_backward_start(const TensorList& roots, const TensorList& gradients) {
    const EventId id = writer_.next_event();
    pending_.duration = std::chrono::duration<double>(Clock::now() - pending_began_).count();
    for (std::size_t i = 0; i < gradients.size() && i < roots.size(); ++i) {
        const ValueId of = pending_.inputs[i];
        const std::string name = of == 0 ? std::string() : tensors_.gradient_name(of);
        memory_.own(gradients[i], name);
        const ValueId value = tensors_.add_made(gradients[i], id, name, of);
        if (value != 0) pending_.outputs.push_back(value);
    }
    catch_up();
    note_statistics(pending_);
    NumberFlow flow;
    for (const ValueId value : pending_.inputs) flow.in.add(bad_.holding_of(value));
    for (const ValueId value : pending_.outputs) flow.out.add(bad_.holding_of(value));
    pending_.not_finite = classify(flow);
    memory_.end_event();
    pending_.memory_peak = memory_.event_peak();
    pending_.memory_after = memory_.current_bytes();
    pending_start_.event = id;
    writer_.set_backward_start(pending_start_);
    if (publish(std::move(pending_)) != 0) park_behind(recording()->event(id));
}

void name_module_tensors(Recorder& recorder, nn::Module& module, const std::string& below) {
    recorder.name_modules(module, below);
    const std::string before = below.empty() ? "" : below + ".";
    for (const auto& [name, t] : module.named_parameters()) recorder.name_value(t, before + name, Category::Parameter);
    for (const auto& [name, t] : module.named_buffers()) recorder.name_value(t, before + name, Category::Buffer);
}

void name_existing_tensors(Recorder& recorder, nn::Module& module, const std::vector<IValue>& arguments,
                           const FunctionSchema& schema) {
    name_module_tensors(recorder, module, {});
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
