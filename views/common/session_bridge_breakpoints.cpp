// SPDX-License-Identifier: GPL-3.0-or-later
// Breakpoints as they are given in the window, which can be undone.
#include <QUndoCommand>
#include <algorithm>

#include "core/session/condition.h"
#include "views/common/format.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

using session::Breakpoint;

namespace {

// Of the breakpoint at the same place; 0: there is none.
int id_of(const session::Session& session, const Breakpoint& wanted) {
    for (const Breakpoint& each : session.breakpoints()) {
        if (each.kind == wanted.kind && each.graph_node == wanted.graph_node && each.text == wanted.text &&
            each.line == wanted.line && each.phase == wanted.phase)
            return each.id;
    }
    return 0;
}

}  // namespace

// Sets the breakpoints as they are after, or before, an edit.
class BreakpointEdit : public QUndoCommand {
  public:
    BreakpointEdit(SessionBridge& bridge, std::optional<Breakpoint> before, std::optional<Breakpoint> after)
        : bridge_(bridge), before_(std::move(before)), after_(std::move(after)) {
        setText(before_ ? (after_ ? QObject::tr("edit breakpoint") : QObject::tr("remove breakpoint"))
                        : QObject::tr("add breakpoint"));
    }
    void redo() override { change(before_, after_); }
    void undo() override { change(after_, before_); }

  private:
    void change(std::optional<Breakpoint>& from, std::optional<Breakpoint>& to) {
        const auto seats = bridge_.orderedSeats();
        for (const std::size_t seat : seats) {
            auto& session = bridge_.sessionAt(seat);
            const bool is_shown = seat == seats.front();
            // Another rank has given the same one a number of its own.
            const int id = from ? is_shown ? from->id : id_of(session, *from) : 0;
            if (from && to && id != 0) {
                Breakpoint changed = *to;
                changed.id = id;
                session.update_breakpoint(changed);
            } else if (from && id != 0) {
                session.remove_breakpoint(id);
            } else if (to && !from) {
                const int added = session.add_breakpoint(*to);
                if (is_shown) to->id = added;
            }
        }
        emit bridge_.breakpointsChanged();
    }

    SessionBridge& bridge_;
    std::optional<Breakpoint> before_;
    std::optional<Breakpoint> after_;
};

std::vector<Breakpoint> SessionBridge::breakpoints() const { return seats_[seat_]->session->breakpoints(); }

// A condition that cannot be met is not set: the log has the reason.
bool SessionBridge::refuses(const Breakpoint& breakpoint) {
    const auto problem = session::check_condition(breakpoint, model_.get());
    if (problem.text.empty()) return false;
    LogEntry entry;
    entry.level = LogEntry::Level::Error;
    entry.text =
        tr("the condition '%1' was not taken: %2").arg(text(breakpoint.condition), text(problem.text)).toStdString();
    if (breakpoint.kind == Breakpoint::Kind::Line) entry.source = {breakpoint.text, breakpoint.line, 0};
    addLog(entry);
    return true;
}

void SessionBridge::addBreakpoint(Breakpoint breakpoint) {
    if (refuses(breakpoint)) return;
    undo_.push(new BreakpointEdit(*this, std::nullopt, std::move(breakpoint)));
}

void SessionBridge::updateBreakpoint(const Breakpoint& breakpoint) {
    if (refuses(breakpoint)) return;
    for (const Breakpoint& old : breakpoints()) {
        if (old.id == breakpoint.id) undo_.push(new BreakpointEdit(*this, old, breakpoint));
    }
}

void SessionBridge::removeBreakpoint(int id) {
    for (const Breakpoint& old : breakpoints()) {
        if (old.id == id) undo_.push(new BreakpointEdit(*this, old, std::nullopt));
    }
}

void SessionBridge::toggleNodeBreakpoint(int node) {
    for (const Breakpoint& old : breakpoints()) {
        if (old.kind == Breakpoint::Kind::Node && old.graph_node == node) return removeBreakpoint(old.id);
    }
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::Node;
    breakpoint.graph_node = node;
    addBreakpoint(breakpoint);
}

void SessionBridge::toggleLineBreakpoint(const QString& file, int line) {
    const std::string name = file.toStdString();
    for (const Breakpoint& old : breakpoints()) {
        if (old.kind == Breakpoint::Kind::Line && old.text == name && old.line == line) return removeBreakpoint(old.id);
    }
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::Line;
    breakpoint.text = name;
    breakpoint.line = line;
    addBreakpoint(breakpoint);
}

}  // namespace loupe::views
