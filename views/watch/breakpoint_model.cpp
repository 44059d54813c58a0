// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/watch/breakpoint_model.h"

#include "core/session/condition.h"
#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

namespace loupe::views {

using session::Breakpoint;
using session::RunPhase;

namespace {

const char* const kHeaders[] = {QT_TRANSLATE_NOOP("loupe::views::BreakpointModel", "Break at"),
                                QT_TRANSLATE_NOOP("loupe::views::BreakpointModel", "Phase"),
                                QT_TRANSLATE_NOOP("loupe::views::BreakpointModel", "Condition"),
                                QT_TRANSLATE_NOOP("loupe::views::BreakpointModel", "Pass over"),
                                QT_TRANSLATE_NOOP("loupe::views::BreakpointModel", "Hits")};
const char* const kHeaderTips[] = {
    QT_TRANSLATE_NOOP("loupe::views::BreakpointModel", "What to stop at; untick to leave it out for now"),
    QT_TRANSLATE_NOOP("loupe::views::BreakpointModel", "Only in this phase"),
    QT_TRANSLATE_NOOP(
        "loupe::views::BreakpointModel",
        "Empty: always.\nOver what an operator made there, in the line or what it calls: nan or inf, absmax > 10, "
        "bytes > "
        "1MiB, shape[0] == 4, dtype == float16, shape differs; the run stops behind it.\nOver variables, at a line of "
        "a "
        ".py source: i == 1, len(x.shape) > 2; the run stops before the line.\nand, or, not and parentheses join them; "
        "Ctrl+Space shows words"),
    QT_TRANSLATE_NOOP("loupe::views::BreakpointModel", "Hits to pass over before stopping"),
    QT_TRANSLATE_NOOP("loupe::views::BreakpointModel", "How often it was hit in this run")};

}  // namespace

QStringList BreakpointModel::phaseNames() { return {tr("any"), tr("forward"), tr("backward"), tr("optimizer")}; }

BreakpointModel::BreakpointModel(SessionBridge& bridge, QObject* parent)
    : QAbstractTableModel(parent), bridge_(bridge) {
    connect(&bridge, &SessionBridge::breakpointsChanged, this, &BreakpointModel::reload);
    connect(&bridge, &SessionBridge::modelChanged, this, &BreakpointModel::reload);
    reload();
}

void BreakpointModel::reload() {
    auto breakpoints = bridge_.breakpoints();
    // The same rows: only their contents changed, and a selection stays.
    const bool same = breakpoints.size() == breakpoints_.size() &&
                      std::equal(breakpoints.begin(), breakpoints.end(), breakpoints_.begin(),
                                 [](const Breakpoint& a, const Breakpoint& b) { return a.id == b.id; });
    if (!same) beginResetModel();
    breakpoints_ = std::move(breakpoints);
    if (!same) {
        endResetModel();
    } else if (!breakpoints_.empty()) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

QString BreakpointModel::whereText(const Breakpoint& breakpoint) const {
    switch (breakpoint.kind) {
        case Breakpoint::Kind::Node: {
            const auto& model = bridge_.model();
            if (breakpoint.graph_node < 0) return tr("%1 (not in this graph)").arg(text(breakpoint.text));
            const auto node = static_cast<std::size_t>(breakpoint.graph_node);
            if (!model || !model->graph || node >= model->graph->nodes.size())
                return tr("node %1").arg(breakpoint.graph_node);
            const auto& found = model->graph->nodes[node];
            return found.scope.empty() ? text(found.label) : tr("%1 in %2").arg(text(found.label), text(found.scope));
        }
        case Breakpoint::Kind::OperatorKind:
            return tr("every %1").arg(text(breakpoint.text));
        case Breakpoint::Kind::Module:
            return tr("module %1").arg(scopeText(breakpoint.text));
        case Breakpoint::Kind::Line:
            return QStringLiteral("%1:%2").arg(text(breakpoint.text)).arg(breakpoint.line);
        case Breakpoint::Kind::Phase:
            return tr("start of %1")
                .arg(breakpoint.phase ? engineWord(session::phase_name(*breakpoint.phase)) : tr("each phase"));
        case Breakpoint::Kind::NanOrInf:
            break;
    }
    return tr("NaN or Inf appears");
}

int BreakpointModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(breakpoints_.size());
}

int BreakpointModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant BreakpointModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Breakpoint& breakpoint = at(index.row());
    if (role == Qt::CheckStateRole && index.column() == Where) return breakpoint.enabled ? Qt::Checked : Qt::Unchecked;
    if (role == Qt::DecorationRole && index.column() == Where) {
        return themeIcon(breakpoint.enabled ? QStringLiteral("breakpoint") : QStringLiteral("breakpoint_off"));
    }
    if (role == Qt::BackgroundRole && bridge_.isPaused() && bridge_.status().stopped_at_breakpoint == breakpoint.id) {
        return Theme::instance().colour(Theme::Colour::ReachedBack);
    }
    if (role == Qt::TextAlignmentRole && index.column() >= Ignore)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::FontRole && index.column() >= Condition) return Theme::instance().monoFont();
    if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
    switch (index.column()) {
        case Where:
            return whereText(breakpoint);
        case Phase:
            return phaseNames()[breakpoint.phase ? static_cast<int>(*breakpoint.phase) + 1 : 0];
        case Condition:
            return text(breakpoint.condition);
        case Ignore:
            return breakpoint.ignore_first;
        case Hits:
            return breakpoint.hits;
        default:
            return {};
    }
}

Qt::ItemFlags BreakpointModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    const auto plain = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.column() == Where) return plain | Qt::ItemIsUserCheckable;
    return index.column() == Hits ? plain : plain | Qt::ItemIsEditable;
}

bool BreakpointModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid()) return false;
    Breakpoint breakpoint = at(index.row());
    if (role == Qt::CheckStateRole && index.column() == Where) {
        breakpoint.enabled = value.toInt() == Qt::Checked;
    } else if (role != Qt::EditRole) {
        return false;
    } else if (index.column() == Phase) {
        const auto phase = phaseNames().indexOf(value.toString());
        if (phase < 0) return false;
        breakpoint.phase = phase == 0 ? std::nullopt : std::optional(static_cast<RunPhase>(phase - 1));
    } else if (index.column() == Condition) {
        breakpoint.condition = value.toString().trimmed().toStdString();
        if (!session::check_condition(breakpoint, bridge_.model().get()).text.empty()) return false;
    } else if (index.column() == Ignore) {
        breakpoint.ignore_first = std::max(0, value.toInt());
    } else {
        return false;
    }
    bridge_.updateBreakpoint(breakpoint);
    return true;
}

QVariant BreakpointModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::DisplayRole) return tr(kHeaders[section]);
    if (role == Qt::ToolTipRole) return tr(kHeaderTips[section]);
    return {};
}

}  // namespace loupe::views
