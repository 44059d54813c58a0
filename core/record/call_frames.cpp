// SPDX-License-Identifier: Apache-2.0
#include "core/record/call_frames.h"

#include <algorithm>
#include <utility>

#include "core/autograd/node.h"
#include "core/base/strings.h"
#include "core/model/shown_source.h"
#include "core/python/language/condition.h"

namespace loupe::session {
namespace {

bool is_direct_module(const FrameInfo& call) { return call.graph == nullptr && call.module != nullptr; }

std::string class_name_of(const FrameInfo& call) { return call.module->class_name(); }

}  // namespace

CallFrames::CallFrames(RecordingWriter& writer, const GraphModel& graph, SiteMap sites)
    : writer_(writer), recording_(*writer.recording()), graph_(graph), sites_(std::move(sites)), direct_sites_(graph) {}

void CallFrames::name_modules(nn::Module& root, const std::string& path) {
    for (const auto& [name, module] : root.named_modules()) {
        module_paths_.emplace(module.get(),
                              path.empty() || name.empty() ? concat(path, name) : concat(path, ".", name));
    }
}

std::string_view CallFrames::scope_of(const FrameInfo& call) const {
    if (call.graph != nullptr || call.module == nullptr) return call.scope;
    const auto known = module_paths_.find(call.module);
    if (known != module_paths_.end()) return known->second;
    return frames_.empty() ? std::string_view() : frames_.back().scope;
}

// --- places ---

// Calls under way; named parts are no calls.
int CallFrames::depth() const {
    return static_cast<int>(
        std::count_if(frames_.begin(), frames_.end(), [](const ActiveFrame& frame) { return !frame.is_part; }));
}

// Of what no graph stands for: statements are as deep as their frame, what they call is one deeper.
int CallFrames::direct_depth() const { return 2 * depth(); }

void CallFrames::place_direct(StopPoint& point, const ir::SourceRange& range) {
    if (!frames_.empty()) point.scope = frames_.back().scope;
    const auto position = range.position();
    if (!position) return;
    point.source_file = writer_.intern(position->file);
    point.source_line = static_cast<int>(position->line);
}

// A node that a group made while it ran stands where that stood which it was made of.
void CallFrames::place_made(StopPoint& point, const ir::Node& node) {
    if (!frames_.empty()) point.scope = frames_.back().scope;
    if (point.scope.empty()) point.scope = writer_.intern(node.scope());
    const SourcePlace place = place_of(shown_range(node.range()));
    if (place.line == 0) return;
    point.source_file = writer_.intern(place.file);
    point.source_line = place.line;
}

// A backward node stands where its forward event does.
void CallFrames::place_forward(StopPoint& point, EventId forward) const {
    if (forward == 0 || forward >= writer_.next_event()) return;
    const Event& event = recording_.event(forward);
    point.graph_node = event.graph_node;
    point.scope = event.scope;
    point.depth = event.depth;
    point.source_file = event.source_file;
    point.source_line = event.source_line;
}

StopPoint CallFrames::point_of(const OperatorCall& call) {
    StopPoint point;
    point.phase = static_cast<RunPhase>(call.phase);
    point.op = call.name;
    point.depth = depth();
    if (call.autograd_node != nullptr) {
        place_forward(point, static_cast<EventId>(call.autograd_node->forward_event()));
        return point;
    }
    if (call.site == nullptr && !frames_.empty() && frames_.back().opened) {
        point = *frames_.back().opened;
        point.op = call.name;
        ++point.depth;
        point.is_part = true;
        return point;
    }
    if (call.site == nullptr) {
        point.depth = direct_depth() + 1;  // inside its statement
        point.is_in_statement = true;
        place_direct(point, ir::evaluated_range());
        point.graph_node = direct_sites_.next_operator(call.name, point.scope);
        return point;
    }
    point.graph_node = sites_.find(frames_.empty() ? SiteMap::kTop : frames_.back().group, call.site);
    if (point.graph_node >= 0) {
        const GraphNode& place = graph_.nodes[static_cast<std::size_t>(point.graph_node)];
        point.scope = place.scope;
        point.source_file = place.source.file;
        point.source_line = place.source.line;
    } else {
        place_made(point, *call.site);
    }
    return point;
}

StopPoint CallFrames::point_of(const EagerModel::Statement& statement) {
    StopPoint point;
    // Functions that are no forward of a module have no frame here.
    point.depth = direct_depth() + std::max(0, static_cast<int>(statement.calls) - depth());
    point.is_statement = true;
    place_direct(point, statement.range);
    return point;
}

std::optional<StopPoint> CallFrames::point_of(const FrameInfo& call) {
    StopPoint point;
    point.is_call = true;
    if (call.call_site != nullptr) {
        point.graph_node = sites_.find(frames_.empty() ? SiteMap::kTop : frames_.back().group, call.call_site);
        point.scope = call.scope;
        point.depth = depth();
        if (point.graph_node >= 0) {
            const GraphNode& group = graph_.nodes[static_cast<std::size_t>(point.graph_node)];
            point.op = group.kind;
            point.source_file = group.source.file;
            point.source_line = group.source.line;
        }
        return point;
    }
    if (!is_direct_module(call) || frames_.empty()) return std::nullopt;
    point.op = writer_.intern(class_name_of(call));
    point.depth = direct_depth() + 1;
    place_direct(point, ir::evaluated_range());
    point.scope = scope_of(call);
    point.graph_node = direct_sites_.next_group(point.scope);
    return point;
}

// --- calls ---

void CallFrames::enter(const FrameInfo& call, const std::optional<StopPoint>& place) {
    ActiveFrame frame;
    if (place) frame.group = place->graph_node;
    frame.scope = writer_.intern(scope_of(call));
    Frame record;
    record.parent = current();
    record.scope = frame.scope;
    record.function = writer_.intern(call.function);
    if (is_direct_module(call))
        record.class_name = place ? place->op : writer_.intern(class_name_of(call));
    else if (frame.group >= 0)
        record.class_name = writer_.intern(graph_.nodes[static_cast<std::size_t>(frame.group)].kind);
    record.first_event = writer_.next_event();
    frame.id = writer_.begin_frame(record);
    Caller caller;
    caller.frame = record.parent;
    if (place) {
        caller.file = place->source_file;
        caller.line = place->source_line;
    }
    note_caller(frame.id, caller);
    frames_.push_back(frame);
}

void CallFrames::open(const OperatorCall& call, const StopPoint& place) {
    ActiveFrame frame;
    frame.group = place.graph_node;
    frame.scope = writer_.intern(place.scope);
    frame.opened = place;
    frame.opened->scope = frame.scope;
    frame.opened->source_file = writer_.intern(place.source_file);
    Frame record;
    record.parent = current();
    record.scope = frame.scope;
    record.function = writer_.intern(call.name);
    record.class_name = record.function;
    record.first_event = writer_.next_event();
    frame.id = writer_.begin_frame(record);
    note_caller(frame.id, {record.parent, frame.opened->source_file, place.source_line});
    frames_.push_back(std::move(frame));
}

void CallFrames::note_caller(std::uint32_t frame, const Caller& caller) {
    if (callers_.size() <= frame) callers_.resize(frame + 1);
    callers_[frame] = caller;
}

void CallFrames::leave() {
    const EventId last = writer_.next_event() - 1;
    while (!frames_.empty() && frames_.back().is_part) pop(last);  // begun in the call and not ended
    if (!frames_.empty()) pop(last);
}

void CallFrames::pop(EventId last) {
    writer_.end_frame(frames_.back().id, last);
    frames_.pop_back();
}

void CallFrames::begin_part(const OperatorCall& call) {
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

void CallFrames::end_part() {
    if (frames_.size() < 2 || !frames_[frames_.size() - 2].is_part) return;
    writer_.end_frame(frames_[frames_.size() - 2].id, writer_.next_event() - 1);
    frames_.erase(frames_.end() - 2);
}

// --- surroundings ---

bool CallFrames::is_under_line(const StopPoint& point, const Event& event, std::string_view file, int line) const {
    if (point.source_line == line && point.source_file == file) return true;
    for (std::uint32_t frame = event.frame; frame != 0 && frame < callers_.size(); frame = callers_[frame].frame) {
        if (callers_[frame].line == line && callers_[frame].file == file) return true;
    }
    if (event.phase == RunPhase::Backward) return false;
    const auto functions = python::functions_under_way();
    return std::any_of(functions.begin(), functions.end(), [&](const python::FramePlace& function) {
        const SourcePlace place = place_of(function.range);
        return place.line == line && place.file == file;
    });
}

bool CallFrames::is_under_node(const StopPoint& point, int graph_node) const {
    const auto& nodes = graph_.nodes;
    for (int node = point.graph_node; node >= 0 && node < static_cast<int>(nodes.size());
         node = nodes[static_cast<std::size_t>(node)].parent) {
        if (node == graph_node) return true;
    }
    return std::any_of(frames_.begin(), frames_.end(),
                       [graph_node](const ActiveFrame& frame) { return frame.group == graph_node; });
}

}  // namespace loupe::session
