// SPDX-License-Identifier: Apache-2.0
#include "core/session/breakpoint_moves.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "core/model/line_map.h"

namespace loupe::session {
namespace {

std::string_view line_at(std::string_view text, int line) {
    for (; line > 0; --line) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    const std::string_view whole = text.substr(0, text.find('\n'));
    const std::size_t first = whole.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : whole.substr(first);
}

// Where a deleted line stood: behind the one before it that is still there. From 1.
int line_of_gap(const std::vector<int>& lines, int line) {
    for (int i = line - 1; i >= 0; --i) {
        if (lines[static_cast<std::size_t>(i)] >= 0) return lines[static_cast<std::size_t>(i)] + 1;
    }
    return 1;
}

bool is_alike(const GraphNode& node, const std::string& kind, const std::string& scope, bool is_group) {
    return node.is_group == is_group && node.kind == kind && node.scope == scope;
}

std::string node_text(const std::string& label, const std::string& scope) {
    return scope.empty() ? label : concat(label, " in ", scope);
}

bool is_line_of(const Breakpoint& breakpoint, const std::string& file) {
    return breakpoint.kind == Breakpoint::Kind::Line && breakpoint.text == file;
}

}  // namespace

void BreakpointMoves::warn(Said text, SourcePlace source) const {
    SessionListener::LogEntry entry;
    entry.level = SessionListener::LogEntry::Level::Warning;
    entry.text = std::move(text);
    entry.source = std::move(source);
    tell_(std::move(entry));
}

// --- lines ---

void BreakpointMoves::move_lines(const std::string& file, const std::string& text) {
    const std::lock_guard lock(mutex_);
    const auto noted = now_.texts.find(file);
    if (noted == now_.texts.end() || noted->second == text) return;
    const std::string before = std::exchange(noted->second, text);
    note_edited(file, before, text);
}

void BreakpointMoves::note_edited(const std::string& file, std::string_view before, const std::string& now) {
    const std::vector<int> lines = map_lines(before, now);
    for (Breakpoint breakpoint : control_.breakpoints()) {
        const int line = breakpoint.line - 1;
        if (!is_line_of(breakpoint, file) || line < 0 || line >= static_cast<int>(lines.size())) continue;
        const int to = lines[static_cast<std::size_t>(line)];
        if (to == line) continue;
        if (to < 0) {
            control_.remove(breakpoint.id);
            warn(engine::said("breakpoint %1 is gone with its line, which was line %2: %3", breakpoint.id,
                              breakpoint.line, line_at(before, line)),
                 {file, line_of_gap(lines, line), 0});
            continue;
        }
        breakpoint.line = to + 1;
        control_.update(breakpoint);
    }
}

// Of what is known of the new texts: an unknown file's lines stay. Line 0: deleted.
SourcePlace BreakpointMoves::moved(const SourcePlace& place) const {
    const auto lines = lines_.find(place.file);
    const int line = place.line - 1;
    if (lines == lines_.end() || line < 0 || line >= static_cast<int>(lines->second.size())) return place;
    return {place.file, lines->second[static_cast<std::size_t>(line)] + 1, place.column};
}

void BreakpointMoves::follow_sources(const ModelInfo& model) {
    lines_.clear();
    for (const SourceFile& source : model.sources) {
        const auto before = std::find_if(now_.model->sources.begin(), now_.model->sources.end(),
                                         [&](const SourceFile& other) { return other.name == source.name; });
        const bool was_there = before != now_.model->sources.end();
        if (was_there && before->text == source.text) continue;  // what is being edited is not what came
        if (was_there) lines_[source.name] = map_lines(before->text, source.text);
        const std::string noted = std::exchange(now_.texts[source.name], source.text);
        if (was_there) note_edited(source.name, noted, source.text);
    }
}

// --- nodes ---

BreakpointMoves::NodePlace BreakpointMoves::place_of(const GraphModel& graph, int node) {
    const GraphNode& at = graph.nodes[static_cast<std::size_t>(node)];
    NodePlace place{at.kind, at.scope, at.label, at.is_group, at.source, 0, 0, true};
    for (const GraphNode& other : graph.nodes) {
        if (other.id == node) break;
        if (!is_alike(other, at.kind, at.scope, at.is_group)) continue;
        ++place.order;
        place.line_order += other.source.file == at.source.file && other.source.line == at.source.line;
    }
    return place;
}

// The one on the same line; where lines tell nothing, the one that comes as late in its module. -1: none.
int BreakpointMoves::find(const GraphModel& graph, const NodePlace& place) const {
    std::vector<const GraphNode*> alike;
    for (const GraphNode& node : graph.nodes) {
        if (is_alike(node, place.kind, place.scope, place.is_group)) alike.push_back(&node);
    }
    const SourcePlace line = moved(place.source);
    if (place.source.line > 0 && line.line == 0) return -1;
    std::ptrdiff_t seen = 0;
    for (const GraphNode* node : alike) {
        if (line.line > 0 && node->source.file == line.file && node->source.line == line.line &&
            seen++ == place.line_order)
            return node->id;
    }
    return place.order < static_cast<std::ptrdiff_t>(alike.size()) ? alike[static_cast<std::size_t>(place.order)]->id
                                                                   : -1;
}

void BreakpointMoves::follow_nodes(const GraphModel& graph) {
    for (Breakpoint breakpoint : control_.breakpoints()) {
        if (breakpoint.kind != Breakpoint::Kind::Node) continue;
        const auto resting = now_.resting.find(breakpoint.id);
        const bool rests = resting != now_.resting.end();
        const bool is_known = now_.graph && breakpoint.graph_node >= 0 &&
                              breakpoint.graph_node < static_cast<int>(now_.graph->nodes.size());
        if (!rests && !is_known) continue;
        NodePlace place = rests ? resting->second : place_of(*now_.graph, breakpoint.graph_node);
        if (!rests) place.was_enabled = breakpoint.enabled;
        const int found = find(graph, place);
        if (found == breakpoint.graph_node) continue;
        breakpoint.graph_node = found;
        const std::string what = node_text(place.label, place.scope);
        if (found >= 0) {
            if (rests) breakpoint.enabled = place.was_enabled;
            breakpoint.text.clear();
            now_.resting.erase(breakpoint.id);
        } else {
            place.source = moved(place.source);
            if (place.source.line == 0) place.source = {};
            breakpoint.enabled = false;
            breakpoint.text = what;
            if (!rests)
                warn(engine::said("breakpoint %1 rests: %2 is not in the graph that runs", breakpoint.id, what),
                     place.source);
            now_.resting[breakpoint.id] = std::move(place);
        }
        control_.update(breakpoint);
    }
}

void BreakpointMoves::tell_of_lost_modules(const ModelInfo& before, const ModelInfo& now) const {
    for (const Breakpoint& breakpoint : control_.breakpoints()) {
        const bool was_there = breakpoint.kind == Breakpoint::Kind::Module && before.find_module(breakpoint.text) >= 0;
        if (was_there && now.find_module(breakpoint.text) < 0)
            warn(engine::said("breakpoint %1 stops nowhere: there is no module %2 any more", breakpoint.id,
                              breakpoint.text),
                 {});
    }
}

// --- models ---

void BreakpointMoves::change_model(const std::string& path) {
    if (now_.model) {
        now_.breakpoints = control_.breakpoints();
        away_[now_.model->path] = std::move(now_);
        now_ = {};
        if (const auto back = away_.find(path); back != away_.end()) {
            now_ = std::move(back->second);
            away_.erase(back);
        }
        control_.replace(std::move(now_.breakpoints));
    }
}

std::map<std::string, std::vector<Breakpoint>> BreakpointMoves::away() const {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::vector<Breakpoint>> out;
    for (const auto& [path, kept] : away_) {
        if (!kept.breakpoints.empty()) out[path] = kept.breakpoints;
    }
    return out;
}

void BreakpointMoves::put_away(const std::string& path, std::vector<Breakpoint> breakpoints) {
    for (Breakpoint& breakpoint : breakpoints) breakpoint.id = control_.id_for(breakpoint);
    const std::lock_guard lock(mutex_);
    if (now_.model && now_.model->path == path) return;  // its own are the control's
    Kept kept;
    kept.breakpoints = std::move(breakpoints);
    away_[path] = std::move(kept);
}

void BreakpointMoves::arrive(const std::shared_ptr<const ModelInfo>& model) {
    const std::lock_guard lock(mutex_);
    if (now_.model && now_.model->path != model->path) change_model(model->path);
    // The first model of an engine that took another's place: its breakpoints may have been put away there.
    if (const auto back = away_.find(model->path); !now_.model && back != away_.end()) {
        for (const Breakpoint& breakpoint : back->second.breakpoints) control_.put(breakpoint);
        away_.erase(back);
    }
    if (now_.model && now_.model != model) {
        follow_sources(*model);
        if (model->graph) tell_of_lost_modules(*now_.model, *model);
    } else {
        lines_.clear();
        for (const SourceFile& source : model->sources) now_.texts[source.name] = source.text;
    }
    if (model->graph && now_.graph && now_.graph != model->graph) follow_nodes(*model->graph);
    if (model->graph && !now_.graph) {
        // Of a session before: its file may have become another one.
        for (const Breakpoint& breakpoint : control_.breakpoints()) {
            const bool is_node = breakpoint.kind == Breakpoint::Kind::Node;
            if (is_node && breakpoint.graph_node >= static_cast<int>(model->graph->nodes.size()))
                control_.remove(breakpoint.id);
        }
    }
    now_.model = model;
    if (model->graph) now_.graph = model->graph;
    lines_.clear();
}

}  // namespace loupe::session
