// SPDX-License-Identifier: GPL-3.0-or-later
// What is selected, for all panels: an event, a value, a module, a node, a line; and what its user marked.
#include <algorithm>

#include "core/record/not_finite.h"
#include "core/study/verdict.h"
#include "views/common/format.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

using session::Event;
using session::EventId;

namespace {

constexpr std::size_t kMaxHistory = 1000;

bool isBelow(std::string_view scope, std::string_view module) {
    if (module.empty()) return true;
    return scope.substr(0, module.size()) == module && (scope.size() == module.size() || scope[module.size()] == '.');
}

}  // namespace

EventId SessionBridge::findEvent(const std::function<bool(const Event&)>& matches) const {
    // In the current phase first, then in others.
    const auto phase = event_ != 0 ? recording_->event(event_).phase : session::RunPhase::Forward;
    EventId other = 0;
    for (EventId id = 1; id <= event_count_; ++id) {
        const Event& event = recording_->event(id);
        if (!matches(event)) continue;
        if (event.phase == phase) return id;
        if (other == 0) other = id;
    }
    return other;
}

void SessionBridge::selectEvent(EventId id) {
    event_ = id;
    slice_.clear();
    if (id == 0) return;
    const Event& event = recording_->event(id);
    module_ = text(event.scope);
    const bool isInGraph = model_ && model_->graph && event.graph_node < static_cast<int>(model_->graph->nodes.size());
    node_ = isInGraph ? event.graph_node : -1;
    value_ = event.outputs.empty() ? (event.inputs.empty() ? 0 : event.inputs.front()) : event.outputs.front();
    source_ = {std::string(event.source_file), event.source_line, 0};
}

void SessionBridge::remember(EventId event) {
    if (event == 0 || (!history_.empty() && history_[history_at_] == event)) return;
    if (!history_.empty()) history_.resize(history_at_ + 1);
    if (history_.size() == kMaxHistory) history_.erase(history_.begin());
    history_.push_back(event);
    history_at_ = history_.size() - 1;
}

void SessionBridge::setCurrentEvent(EventId event) {
    if (event > event_count_ || event == event_) return;
    selectEvent(event);
    remember(event);
    emit currentChanged();
}

void SessionBridge::setCurrentModule(const QString& path) {
    const std::string module = path.toStdString();
    if (event_count_ > 0) {
        const bool inside = event_ != 0 && isBelow(recording_->event(event_).scope, module);
        const EventId found =
            inside ? event_ : findEvent([&](const Event& event) { return isBelow(event.scope, module); });
        if (found != 0 && found != event_) {
            selectEvent(found);
            remember(found);
        }
    }
    module_ = path;
    emit currentChanged();
}

void SessionBridge::setCurrentNode(int node) {
    const bool known = model_ && model_->graph && node >= 0 && node < static_cast<int>(model_->graph->nodes.size());
    if (!known) return;
    const session::GraphNode& graph_node = model_->graph->nodes[static_cast<std::size_t>(node)];
    if (graph_node.is_group && !graph_node.scope.empty()) {
        setCurrentModule(QString::fromStdString(graph_node.scope));
        node_ = node;
        emit currentChanged();
        return;
    }
    if (const EventId found = findEvent([&](const Event& event) { return event.graph_node == node; })) {
        selectEvent(found);
        remember(found);
    } else {
        module_ = QString::fromStdString(graph_node.scope);
        source_ = graph_node.source;
    }
    node_ = node;
    emit currentChanged();
}

void SessionBridge::setCurrentValue(session::ValueId value, const QString& slice) {
    if (!recording_ || value == 0 || value > recording_->value_count()) return;
    const EventId producer = recording_->value(value).producer;
    if (producer != 0 && producer <= event_count_) {
        selectEvent(producer);
        remember(producer);
    }
    value_ = value;
    slice_ = slice;
    emit currentChanged();
}

void SessionBridge::setCurrentSource(const session::SourcePlace& place) {
    const auto isThere = [&](const Event& event) {
        return event.source_line == place.line && event.source_file == place.file;
    };
    // Of several events of a line the current one stays.
    const bool stays = event_ != 0 && event_ <= event_count_ && isThere(recording_->event(event_));
    if (event_count_ > 0 && !stays) {
        const EventId found = findEvent(isThere);
        if (found != 0) {
            selectEvent(found);
            remember(found);
        }
    }
    source_ = place;
    emit currentChanged();
}

bool SessionBridge::followLink(const QString& name) {
    const std::string wanted = name.toStdString();
    if (model_ && model_->find_module(wanted) >= 0) {
        setCurrentModule(name);
        return true;
    }
    for (session::ValueId id = 1; recording_ && id <= recording_->value_count(); ++id) {
        if (recording_->value(id).name != wanted) continue;
        setCurrentValue(id);
        return true;
    }
    // The current value of a parameter or buffer.
    if (!model_) return false;
    for (const auto& module : model_->modules) {
        for (const auto* tensors : {&module.parameters, &module.buffers}) {
            const bool is_here = std::any_of(tensors->begin(), tensors->end(),
                                             [&](const auto& tensor) { return tensor.name == wanted; });
            if (!is_here) continue;
            setCurrentModule(text(module.path));
            emit tensorWanted(name);
            return true;
        }
    }
    return false;
}

void SessionBridge::goBack() {
    if (!canGoBack()) return;
    selectEvent(history_[--history_at_]);
    emit currentChanged();
}

void SessionBridge::goForward() {
    if (!canGoForward()) return;
    selectEvent(history_[++history_at_]);
    emit currentChanged();
}

void SessionBridge::toggleBookmark(EventId event) {
    if (event == 0) return;
    const auto place = std::lower_bound(bookmarks_.begin(), bookmarks_.end(), event);
    if (place != bookmarks_.end() && *place == event) {
        bookmarks_.erase(place);
    } else {
        bookmarks_.insert(place, event);
    }
    emit bookmarksChanged();
}

void SessionBridge::setBookmarks(std::vector<EventId> bookmarks) {
    std::erase_if(bookmarks, [this](EventId event) { return event == 0 || event > event_count_; });
    std::sort(bookmarks.begin(), bookmarks.end());
    bookmarks.erase(std::unique(bookmarks.begin(), bookmarks.end()), bookmarks.end());
    bookmarks_ = std::move(bookmarks);
    emit bookmarksChanged();
}

void SessionBridge::setNote(EventId event, const QString& note) {
    if (event == 0 || event > event_count_) return;
    if (note.trimmed().isEmpty())
        notes_.erase(event);
    else
        notes_[event] = note.trimmed();
    emit bookmarksChanged();
}

QString SessionBridge::whyNoOrigin() const {
    if (!recording_ || event_ == 0) return tr("no event is selected");
    // Asked at every change of an action: the way itself may be as long as the run.
    return session::first_of_way(*recording_, event_) == 0 ? tr("the outputs of this event are finite") : QString();
}

void SessionBridge::goToOrigin() {
    if (!recording_ || event_ == 0) return;
    const auto way = session::trace_origin(*recording_, event_);
    if (way.empty()) return;
    const session::OriginStep origin = way.back();
    LogEntry entry;
    const bool isHere = way.size() == 1;
    if (isHere && session::is_origin(recording_->event(event_).not_finite))
        entry.text = session::explain(*recording_, event_).line();
    else
        entry.text = session::origin_text(*recording_, way);
    entry.event = origin.event;
    if (origin.event != 0) {
        entry.scope = std::string(recording_->event(origin.event).scope);
        entry.graph_node = recording_->event(origin.event).graph_node;
        setCurrentEvent(origin.event);
    } else {
        setCurrentValue(origin.value);
    }
    addLog(entry);
}

}  // namespace loupe::views
