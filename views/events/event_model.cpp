// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/events/event_model.h"

#include <cmath>

#include "core/record/not_finite.h"
#include "core/study/verdict.h"
#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/rank_strip.h"
#include "views/common/theme.h"

namespace loupe::views {

using session::Event;
using session::EventId;
using session::RunPhase;

namespace {

constexpr std::size_t kPortion = 20000;

const char* const kHeaders[] = {QT_TRANSLATE_NOOP("loupe::views::EventModel", "Operator"),
                                "#",
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Output"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Time"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Warm"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Spread"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Bytes"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Min"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Max"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Mean"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Std"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Distribution"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Flags"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Peer"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Module"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Backend"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Ranks"),
                                QT_TRANSLATE_NOOP("loupe::views::EventModel", "Reference")};
const char* const kHeaderTips[] = {
    QT_TRANSLATE_NOOP("loupe::views::EventModel",
                      "Operator, under the module call it ran in; backward events are named after their autograd node"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Number of the event in the run"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Shape of the first output"),
    (QT_TRANSLATE_NOOP(
        "loupe::views::EventModel",
        "Time the operator took in this run, without the set-up of its kernel, which is hatched; the bar compares with "
        "the longest one")),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Median of warm runs: Run > Time it properly measures it"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Quartiles of the warm runs: half of them lie between"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Bytes of the first output"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Least element of the first output"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Greatest element of the first output"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Mean of the first output"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Standard deviation of the first output"),
    QT_TRANSLATE_NOOP(
        "loupe::views::EventModel",
        "Magnitudes of the first output's elements: powers of two from 2^-24 at the left to 2^12 at the right"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel",
                      "NaN, Inf or an error, and where they come from: made or turned here, passed on, or meant"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel",
                      "Backward event of a forward one, and the other way round; click to go there"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Module that the operator ran in"),
    QT_TRANSLATE_NOOP("loupe::views::EventModel", "Which kernel ran"),
    (QT_TRANSLATE_NOOP("loupe::views::EventModel",
                       "The first output on each rank, coloured by how far its norm is from the others'; hatched: NaN "
                       "or Inf; an empty "
                       "frame: the rank has no such event. Click a cell to go there")),
    QT_TRANSLATE_NOOP(
        "loupe::views::EventModel",
        "The event of the reference that this one is compared with; \u2260 where they differ beyond tolerance")};

// "layer1" of "layer1.0.conv1" for depth 0, "layer1.0" for depth 1.
std::string_view prefix(std::string_view scope, std::size_t parts) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < parts; ++i) {
        at = scope.find('.', at + (i == 0 ? 0 : 1));
        if (at == std::string_view::npos) return scope;
    }
    return scope.substr(0, at);
}

std::size_t partCount(std::string_view scope) {
    return scope.empty() ? 0 : static_cast<std::size_t>(std::count(scope.begin(), scope.end(), '.')) + 1;
}

double finiteColumn(const session::FiniteStatistics& finite, int column) {
    switch (column) {
        case EventModel::Min:
            return finite.min;
        case EventModel::Max:
            return finite.max;
        case EventModel::Mean:
            return finite.mean;
        default:
            return finite.standard_deviation();
    }
}

QString phaseTitle(RunPhase phase) {
    switch (phase) {
        case RunPhase::Forward:
            return QObject::tr("Forward");
        case RunPhase::Backward:
            return QObject::tr("Backward");
        case RunPhase::Optimizer:
            break;
    }
    return QObject::tr("Optimizer");
}

Qt::Alignment alignmentOf(int column) {
    const bool is_number =
        (column >= EventModel::Number && column <= EventModel::Std && column != EventModel::Output) ||
        column == EventModel::Peer || column >= EventModel::FirstDifference;
    return (is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
}

QString flagText(bool nan, bool inf, session::NotFinite kind, bool failed) {
    QStringList flags;
    if (failed) flags += QObject::tr("failed");
    if (nan) flags += QStringLiteral("NaN");
    if (inf) flags += QStringLiteral("Inf");
    // "made" of "made here": the column is narrow.
    const std::string_view name = session::not_finite_name(kind);
    if (kind != session::NotFinite::None) flags += engineWord(name.substr(0, name.find(' ')));
    return flags.join(QLatin1Char(' '));
}

QString withEdit(const QString& flags, bool is_edit) {
    if (!is_edit) return flags;
    return flags.isEmpty() ? QObject::tr("edit") : QObject::tr("edit  %1").arg(flags);
}

}  // namespace

EventModel::EventModel(QObject* parent) : QAbstractItemModel(parent) {
    timer_.setSingleShot(true);
    timer_.setInterval(0);
    connect(&timer_, &QTimer::timeout, this, &EventModel::grow);
}

void EventModel::setRecording(std::shared_ptr<const session::Recording> recording) {
    recording_ = std::move(recording);
    edit_.reset();
    times_ = recording_ ? recording_->warm_times() : nullptr;
    reached_ = 0;
    rebuild();
}

void EventModel::setTimes(std::shared_ptr<const session::OperatorTimes> times) {
    if (times == times_) return;  // asked at every status of a run
    times_ = std::move(times);
    for (Row& each : rows_) each.warm = 0;
    for (Row& each : rows_) {
        if (each.event == 0 || times_ == nullptr) continue;
        const session::OperatorTime* time = times_->of(each.event);
        if (time == nullptr) continue;
        each.warm = time->median;
        for (int group = each.parent; group >= 0; group = rows_[static_cast<std::size_t>(group)].parent)
            rows_[static_cast<std::size_t>(group)].warm += time->median;
    }
    if (!top_.empty()) emit dataChanged(indexOfRow(top_.front()), indexOfRow(top_.back(), ColumnCount - 1));
}

void EventModel::setRanks(CellsOf cells, std::function<QString(const RankCells&)> tip) {
    cells_of_ = std::move(cells);
    tip_of_cells_ = std::move(tip);
    if (!top_.empty()) emit dataChanged(indexOfRow(top_.front()), indexOfRow(top_.back(), ColumnCount - 1));
}

void EventModel::setComparison(const Comparison* comparison) {
    comparison_ = comparison;
    if (!top_.empty()) emit dataChanged(indexOfRow(top_.front()), indexOfRow(top_.back(), ColumnCount - 1));
}

// Of a group that is a module in forward: its output's.
QVariant EventModel::differenceOf(const Row& row, int column) const {
    if (comparison_ == nullptr) return {};
    const session::Difference* numbers = nullptr;
    QString partner;
    if (row.event != 0) {
        const session::EventDifference* found = comparison_->ofEvent(row.event);
        if (found == nullptr) return {};
        if (found->there == 0)
            partner = comparison_->differences()->aligned > 0 ? tr("only here") : QString();
        else
            partner =
                QStringLiteral("%1#%2").arg(found->diverges ? QStringLiteral("\u2260 ") : QString()).arg(found->there);
        if (found->numbers) numbers = &*found->numbers;
    } else if (row.phase == RunPhase::Forward) {
        const session::ModuleDifference* found = comparison_->ofModule(std::string(row.scope));
        if (found == nullptr) return {};
        if (found->presence == session::Presence::OnlyHere)
            partner = tr("only here");
        else if (found->there != found->here)
            partner = scopeText(found->there);
        if (found->numbers) numbers = &*found->numbers;
    }
    if (column == Partner) return partner;
    if (numbers == nullptr) return {};
    return differenceText(*numbers, static_cast<DifferenceColumn>(column - FirstDifference));
}

bool EventModel::diverges(const Row& row) const {
    if (comparison_ == nullptr) return false;
    if (row.event != 0) {
        const session::EventDifference* found = comparison_->ofEvent(row.event);
        return found != nullptr && found->diverges;
    }
    const session::ModuleDifference* found =
        row.phase == RunPhase::Forward ? comparison_->ofModule(std::string(row.scope)) : nullptr;
    return found != nullptr && found->diverges;
}

void EventModel::setFlat(bool flat) {
    flat_ = flat;
    rebuild();
}

void EventModel::setFilter(const EventFilter& filter) {
    filter_ = filter;
    rebuild();
}

void EventModel::setReached(EventId event) {
    for (const EventId id : {std::exchange(reached_, event), event}) {
        const QModelIndex index = indexOf(id);
        if (index.isValid()) emit dataChanged(index, index.siblingAtColumn(ColumnCount - 1));
    }
}

void EventModel::rebuild() {
    beginResetModel();
    rows_.clear();
    top_.clear();
    open_.clear();
    accepted_.clear();
    row_of_event_.assign(1, -1);
    taken_ = 0;
    longest_ = 0;
    std::fill(std::begin(phase_seconds_), std::end(phase_seconds_), 0);
    endResetModel();
    grow();
}

void EventModel::grow() {
    const std::size_t count = recording_ ? recording_->event_count() : 0;
    if (taken_ == count) return;
    edit_ = recording_->edit();
    take(std::min(count, taken_ + kPortion));
    if (taken_ < count) timer_.start();
    emit grown();
}

void EventModel::take(std::size_t count) {
    for (; taken_ < count; ++taken_) {
        const Event& event = recording_->event(static_cast<EventId>(taken_ + 1));
        row_of_event_.push_back(-1);
        if (!filter_.accepts(*recording_, event)) continue;
        const int parent = flat_ ? -1 : groupFor(event);
        if (parent != pending_parent_) flush();
        pending_parent_ = parent;
        Row row;
        row.parent = parent;
        row.event = event.id;
        row.scope = event.scope;
        row.phase = event.phase;
        row.seconds = event.duration;
        row.setup = event.setup.total();
        row.is_cold = event.is_cold;
        if (const session::OperatorTime* time = times_ ? times_->of(event.id) : nullptr) row.warm = time->median;
        const double setup = row.setup;
        const double warm = row.warm;
        pending_.push_back(static_cast<int>(rows_.size()));
        row_of_event_.back() = static_cast<int>(rows_.size());
        rows_.push_back(std::move(row));
        accepted_.push_back(event.id);
        longest_ = std::max(longest_, event.duration);
        phase_seconds_[static_cast<int>(event.phase)] += event.duration;
        for (int group = parent; group >= 0; group = rows_[static_cast<std::size_t>(group)].parent) {
            Row& above = rows_[static_cast<std::size_t>(group)];
            above.last = event.id;
            above.seconds += event.duration;
            above.setup += setup;
            above.warm += warm;
            above.is_cold |= event.is_cold;
            above.has_nan |= event.has_nan;
            above.has_inf |= event.has_inf;
            if (session::is_graver(event.not_finite, above.not_finite)) above.not_finite = event.not_finite;
            above.failed |= event.failed;
        }
    }
    flush();
    touchGroups();
}

// The innermost group for an event: groups that it has in common with the event before stay open.
int EventModel::groupFor(const Event& event) {
    const std::size_t depth = partCount(event.scope);
    std::size_t keep = 0;
    while (keep < open_.size() && keep <= depth) {
        const Row& group = rows_[static_cast<std::size_t>(open_[keep])];
        if (group.phase != event.phase || group.scope != prefix(event.scope, keep)) break;
        ++keep;
    }
    if (keep < open_.size()) open_.resize(keep);
    while (open_.size() <= depth) {
        const int parent = open_.empty() ? -1 : open_.back();
        open_.push_back(openGroup(parent, event, prefix(event.scope, open_.size())));
    }
    return open_.back();
}

int EventModel::openGroup(int parent, const Event& event, std::string_view scope) {
    flush();
    std::vector<int>& siblings = parent < 0 ? top_ : rows_[static_cast<std::size_t>(parent)].children;
    const int place = static_cast<int>(siblings.size());
    Row row;
    row.parent = parent;
    row.place = place;
    row.scope = scope;
    row.phase = event.phase;
    row.first = row.last = event.id;
    const int id = static_cast<int>(rows_.size());
    beginInsertRows(parent < 0 ? QModelIndex() : indexOfRow(parent), place, place);
    rows_.push_back(std::move(row));
    siblings.push_back(id);
    endInsertRows();
    return id;
}

void EventModel::flush() {
    if (pending_.empty()) return;
    std::vector<int>& siblings = pending_parent_ < 0 ? top_ : rows_[static_cast<std::size_t>(pending_parent_)].children;
    const int from = static_cast<int>(siblings.size());
    beginInsertRows(pending_parent_ < 0 ? QModelIndex() : indexOfRow(pending_parent_), from,
                    from + static_cast<int>(pending_.size()) - 1);
    for (const int id : pending_) {
        rows_[static_cast<std::size_t>(id)].place = static_cast<int>(siblings.size());
        siblings.push_back(id);
    }
    endInsertRows();
    pending_.clear();
    pending_parent_ = -2;
}

// Sums of groups changed, and with them every bar.
void EventModel::touchGroups() {
    for (const int group : open_) {
        const QModelIndex index = indexOfRow(group);
        emit dataChanged(index, index.siblingAtColumn(ColumnCount - 1));
    }
}

QModelIndex EventModel::indexOfRow(int id, int column) const {
    return createIndex(rows_[static_cast<std::size_t>(id)].place, column, static_cast<quintptr>(id));
}

QModelIndex EventModel::indexOf(EventId event) const {
    if (event == 0 || event >= row_of_event_.size() || row_of_event_[event] < 0) return {};
    return indexOfRow(row_of_event_[event]);
}

EventId EventModel::neighbour(EventId event, int offset) const {
    auto place = std::lower_bound(accepted_.begin(), accepted_.end(), event);
    // From an event that is filtered out, forward goes to the next accepted one.
    if (offset > 0 && (place == accepted_.end() || *place != event)) --offset;
    const auto at = place - accepted_.begin() + offset;
    return at < 0 || at >= static_cast<std::ptrdiff_t>(accepted_.size()) ? 0 : accepted_[static_cast<std::size_t>(at)];
}

bool EventModel::contains(const QModelIndex& group, EventId event) const {
    if (!group.isValid() || row(group).event != 0) return false;
    return row(group).first <= event && event <= row(group).last;
}

QModelIndex EventModel::index(int place, int column, const QModelIndex& parent) const {
    const std::vector<int>& siblings = parent.isValid() ? row(parent).children : top_;
    if (place < 0 || place >= static_cast<int>(siblings.size()) || column < 0 || column >= ColumnCount) return {};
    if (parent.isValid() && parent.column() != 0) return {};
    return createIndex(place, column, static_cast<quintptr>(siblings[static_cast<std::size_t>(place)]));
}

QModelIndex EventModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || row(index).parent < 0) return {};
    return indexOfRow(row(index).parent);
}

int EventModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(top_.size());
    return parent.column() == 0 ? static_cast<int>(row(parent).children.size()) : 0;
}

int EventModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QVariant EventModel::groupText(const Row& row, int column) const {
    switch (column) {
        case Operator:
            if (row.parent < 0) return phaseTitle(row.phase);
            return text(row.scope.substr(row.scope.rfind('.') + 1));
        case Number:
            return row.first == row.last ? QString::number(row.first)
                                         : QStringLiteral("%1\u2013%2").arg(row.first).arg(row.last);
        case Time:
            return secondsText(row.seconds);
        case Warm:
            return row.warm > 0 ? secondsText(row.warm) : QString();
        case Flags:
            return withEdit(flagText(row.has_nan, row.has_inf, row.not_finite, row.failed), beginsEdit(row));
        case Module:
            return row.parent < 0 ? QString() : text(row.scope);
        default:
            return {};
    }
}

void EventModel::setMarks(std::map<EventId, QString> marks) {
    std::vector<EventId> changed;
    for (const auto* all : {&marks, &marks_}) {
        for (const auto& [event, mark] : *all) changed.push_back(event);
    }
    marks_ = std::move(marks);
    for (const EventId event : changed) {
        const QModelIndex row = indexOf(event);
        const QModelIndex at = row.siblingAtColumn(Flags);
        if (at.isValid()) emit dataChanged(at, at);
    }
}

bool EventModel::isLeftOut(const Event& event) const {
    return !event.outputs.empty() && recording_->value(event.outputs.front()).is_left_out;
}

const session::Statistics* EventModel::statisticsOf(const Event& event) const {
    if (event.outputs.empty()) return nullptr;
    const auto& statistics = recording_->value(event.outputs.front()).statistics;
    return statistics ? &*statistics : nullptr;
}

QVariant EventModel::eventText(const Event& event, int column) const {
    const session::Value* value = event.outputs.empty() ? nullptr : &recording_->value(event.outputs.front());
    const session::Statistics* statistics = statisticsOf(event);
    const QString none = value && value->is_left_out ? QStringLiteral("\u2013") : QString();
    switch (column) {
        case Operator:
            return shortOpName(event.op);
        case Number:
            return event.id;
        case Output:
            return value ? shapeText(value->shape) : QString();
        case Time:
            return secondsText(event.duration);
        case Warm:
        case Spread: {
            const session::OperatorTime* time = times_ ? times_->of(event.id) : nullptr;
            if (time == nullptr) return times_ ? QVariant(QStringLiteral("\u2013")) : QVariant();
            return column == Warm ? secondsText(time->median)
                                  : QStringLiteral("%1 \u2013 %2").arg(secondsText(time->low), secondsText(time->high));
        }
        case Bytes:
            return value ? bytesText(static_cast<double>(value->bytes)) : QString();
        case Min:
        case Max:
        case Mean:
        case Std:
            if (!statistics) return none;
            if (statistics->count == 0) return QString();
            return statistics->finite ? numberText(finiteColumn(*statistics->finite, column)) : tr("no finite");
        case Flags: {
            const QString flags = withEdit(flagText(event.has_nan, event.has_inf, event.not_finite, event.failed),
                                           edit_ && edit_->event == event.id);
            const auto mark = marks_.find(event.id);
            if (mark == marks_.end()) return flags;
            return flags.isEmpty() ? mark->second : mark->second + QStringLiteral("  ") + flags;
        }
        case Peer: {
            const EventId peer = event.phase == RunPhase::Forward ? recording_->backward_peer(event.id) : event.peer;
            return peer ? QVariant(QStringLiteral("#%1").arg(peer)) : QVariant();
        }
        case Module:
            return text(event.scope);
        case Backend:
            return text(event.backend);
        default:
            return {};
    }
}

QString EventModel::originTip(EventId id) const {
    if (session::is_origin(recording_->event(id).not_finite)) return text(session::explain(*recording_, id).line());
    return text(session::origin_text(*recording_, session::trace_origin(*recording_, id)));
}

QString EventModel::timeTip(const Row& row) const {
    QStringList lines;
    if (row.setup > 0) {
        lines +=
            tr("%1 in this run, and apart from it %2 of set-up").arg(secondsText(row.seconds), secondsText(row.setup));
        if (row.event) lines += text(recording_->event(row.event).setup.text());
    }
    if (row.is_cold)
        lines += row.event ? tr("The first recorded call of its kernel in this process: a later one may take less")
                           : tr("With first calls of kernels: later ones may take less");
    if (row.warm > 0)
        lines += tr("%1 when it is warm, the median of %2").arg(secondsText(row.warm), counted(times_->repeats, "run"));
    else if (row.event && times_)
        lines += tr("No warm time: the repeated runs did not have it in its place");
    return lines.join(QLatin1Char('\n'));
}

bool EventModel::beginsEdit(const Row& row) const {
    if (edit_ == nullptr) return false;
    return row.event != 0 ? row.event == edit_->event : row.first <= edit_->event && edit_->event <= row.last;
}

QVariant EventModel::tipOf(const Row& row, int column) const {
    const session::Event* event = row.event ? &recording_->event(row.event) : nullptr;
    if (event && column == Backend) {
        QStringList reasons;
        for (const auto& reason : event->declined) reasons += text(reason);
        if (const std::string device = event->device.text(); !device.empty()) reasons += text(device);
        return reasons.join(QLatin1Char('\n'));
    }
    if (column == OnRanks && event && cells_of_) return tip_of_cells_(cells_of_(row.event));
    if (column >= Partner && event && comparison_ != nullptr) {
        const session::EventDifference* found = comparison_->ofEvent(row.event);
        return found != nullptr ? differenceText(*found) : QVariant();
    }
    if (column >= Time && column <= Spread) {
        if (const QString tip = timeTip(row); !tip.isEmpty()) return tip;
    }
    if (event && column >= Min && column <= Std && isLeftOut(*event)) return tr("Not recorded: unticked in Modules");
    if (event && column >= Min && column <= Distribution) {
        const session::Statistics* statistics = statisticsOf(*event);
        if (statistics && statistics->has_nan_or_inf()) return finiteTip(*statistics);
    }
    if (event && event->failed) return text(event->error);
    if (event && column == Flags && event->not_finite != session::NotFinite::None) return originTip(row.event);
    return column == Operator || column == Module ? scopeText(row.scope) : QVariant();
}

QVariant EventModel::colourOf(const Row& row, int column) const {
    const Theme& theme = Theme::instance();
    const session::NotFinite kind = row.event ? recording_->event(row.event).not_finite : row.not_finite;
    const bool failed = row.event ? recording_->event(row.event).failed : row.failed;
    if (column == Flags || (column == Operator && row.event)) {
        if (failed || session::is_origin(kind)) return theme.colour(Theme::Colour::Bad);
        if (kind == session::NotFinite::PassedOn) return theme.colour(Theme::Colour::Warning);
        if (kind == session::NotFinite::Meant && column == Flags) return theme.colour(Theme::Colour::Faint);
    }
    if (row.event && kind != session::NotFinite::Meant && column >= Min && column <= Std) {
        const session::Statistics* statistics = statisticsOf(recording_->event(row.event));
        if (statistics && statistics->has_nan_or_inf()) return theme.colour(Theme::Colour::Bad);
    }
    if (column >= Partner && diverges(row)) return theme.colour(Theme::Colour::Bad);
    if (column == Peer) return theme.colour(Theme::Colour::Accent);
    if (column == Number || column == Module || column == Backend || column == Spread)
        return theme.colour(Theme::Colour::Faint);
    if (column == Time && (row.is_cold || row.warm > 0)) return theme.colour(Theme::Colour::Faint);
    return {};
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = this->row(index);
    switch (role) {
        case Qt::DisplayRole:
            if (index.column() >= Partner) return differenceOf(row, index.column());
            return row.event ? eventText(recording_->event(row.event), index.column()) : groupText(row, index.column());
        case Qt::ToolTipRole:
            if (beginsEdit(row)) {
                const QString tip = tipOf(row, index.column()).toString();
                return tip.isEmpty() ? editText(*edit_) : editText(*edit_) + QLatin1Char('\n') + tip;
            }
            return tipOf(row, index.column());
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(alignmentOf(index.column()));
        case Qt::FontRole: {
            static const QFont mono = Theme::instance().monoFont();
            const bool is_number = (index.column() >= Number && index.column() <= Peer && index.column() != Flags) ||
                                   index.column() >= Partner;
            return is_number ? QVariant(mono) : QVariant();
        }
        case Qt::ForegroundRole:
            return colourOf(row, index.column());
        case RankStrip::kCellsRole:
            return row.event && cells_of_ ? QVariant::fromValue(cells_of_(row.event)) : QVariant();
        case EventRole:
            return row.event ? row.event : row.first;
        case IsGroupRole:
            return row.event == 0;
        case FractionRole: {
            const double whole = row.event ? longest_ : phase_seconds_[static_cast<int>(row.phase)];
            return whole > 0 ? row.seconds / whole : 0.0;
        }
        case SetupRole: {
            const double whole = row.event ? longest_ : phase_seconds_[static_cast<int>(row.phase)];
            return whole > 0 ? row.setup / whole : 0.0;
        }
        case PhaseRole:
            return static_cast<int>(row.phase);
        case ReachedRole:
            return reached_ != 0 && row.event == reached_;
        case EditRole:
            return row.event != 0 && beginsEdit(row);
        case HistogramRole: {
            if (!row.event) return {};
            const session::Statistics* statistics = statisticsOf(recording_->event(row.event));
            if (!statistics) return {};
            return QVariant::fromValue(QList<quint32>(statistics->exponents.begin(), statistics->exponents.end()));
        }
        case NotFiniteRole: {
            const session::Statistics* statistics = row.event ? statisticsOf(recording_->event(row.event)) : nullptr;
            return statistics ? notFiniteShare(*statistics) : 0.0;
        }
        default:
            return {};
    }
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (section >= FirstDifference) {
        const auto column = static_cast<DifferenceColumn>(section - FirstDifference);
        if (role == Qt::DisplayRole) return differenceHeader(column);
        if (role == Qt::ToolTipRole) return differenceTip(column);
    } else {
        if (role == Qt::DisplayRole) return tr(kHeaders[section]);
        if (role == Qt::ToolTipRole) return tr(kHeaderTips[section]);
    }
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(alignmentOf(section));  // as the numbers below
    return {};
}

}  // namespace loupe::views
