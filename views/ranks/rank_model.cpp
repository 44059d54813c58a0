// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/ranks/rank_model.h"

#include <QFont>
#include <algorithm>

#include "views/common/bar_delegate.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

const char* const kRankHeaders[] = {QT_TRANSLATE_NOOP("loupe::views::RankModel", "Rank"),
                                    QT_TRANSLATE_NOOP("loupe::views::RankModel", "State"),
                                    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Last event"),
                                    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Waited"),
                                    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Others waited"),
                                    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Came last"),
                                    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Events"),
                                    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Host"),
                                    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Process")};
const char* const kRankHeaderTips[] = {
    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Click a row to look at that rank"),
    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Whether it ended, failed, or waits"),
    QT_TRANSLATE_NOOP("loupe::views::RankModel", "The last operator that it ran"),
    QT_TRANSLATE_NOOP("loupe::views::RankModel",
                      "How long it did nothing but wait in collectives for ranks that had not come yet"),
    QT_TRANSLATE_NOOP("loupe::views::RankModel", "How long the others waited for it, while it came last"),
    QT_TRANSLATE_NOOP("loupe::views::RankModel", "How often it was the last to come to a collective"),
    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Operators that were recorded"),
    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Where it ran"),
    QT_TRANSLATE_NOOP("loupe::views::RankModel", "Its process")};

QString waitText(double seconds, bool is_at_most) {
    if (seconds <= 0) return QStringLiteral("0");
    return (is_at_most ? QStringLiteral("\u2264 ") : QString()) + secondsText(seconds);
}

}  // namespace

RankModel::RankModel(SessionBridge& bridge, QObject* parent)
    : QAbstractTableModel(parent), bridge_(bridge), ranks_(Ranks::of(bridge)) {
    renew();
}

void RankModel::renew() {
    const int rows = ranks_.isOn() ? static_cast<int>(bridge_.seatCount()) : 0;
    if (rows != rows_) {
        beginResetModel();
        rows_ = rows;
        endResetModel();
    } else if (rows_ > 0) {
        emit dataChanged(index(0, 0), index(rows_ - 1, ColumnCount - 1));
    }
}

int RankModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows_; }
int RankModel::columnCount(const QModelIndex&) const { return ColumnCount; }

session::EventId RankModel::lastOf(std::size_t seat) const {
    const auto recording = bridge_.recordingAt(seat);
    return recording ? static_cast<session::EventId>(recording->event_count()) : 0;
}

QString RankModel::textOf(std::size_t seat, int column) const {
    const auto recording = bridge_.recordingAt(seat);
    const auto facts = recording ? recording->rank() : nullptr;
    const int place = ranks_.placeOf(seat);
    const auto& report = ranks_.report();
    const session::RankWaits* waits = place >= 0 ? &report->waits[static_cast<std::size_t>(place)] : nullptr;
    switch (column) {
        case Rank:
            return QString::number(bridge_.rankAt(seat));
        case Host:
            return facts ? text(facts->host) : QString();
        case Pid:
            return facts && facts->pid > 0 ? QString::number(facts->pid) : QString();
        case State: {
            if (const QString where = ranks_.whereIs(seat); !where.isEmpty()) return where;
            const session::Status& status = bridge_.statusAt(seat);
            if (status.state == session::RunState::Opening) return tr("opening");
            if (place < 0) return status.state == session::RunState::Running ? tr("running") : QString();
            return text(
                session::state_text(report->set, report->matched, report->ends[static_cast<std::size_t>(place)]));
        }
        case LastEvent: {
            const session::EventId last = lastOf(seat);
            if (last == 0) return {};
            return QStringLiteral("#%1 %2").arg(last).arg(shortOpName(recording->event(last).op));
        }
        case Waited:
            return waits ? waitText(waits->waited, waits->is_at_most) : QString();
        case MadeWait:
            return waits ? waitText(waits->made_wait, waits->is_at_most) : QString();
        case TimesLast:
            return waits ? tr("%1 of %2").arg(waits->times_last).arg(waits->collectives) : QString();
        case Events:
            return countText(static_cast<std::int64_t>(lastOf(seat)));
        default:
            return {};
    }
}

QVariant RankModel::toneOf(std::size_t seat, int column) const {
    const int place = ranks_.placeOf(seat);
    if (column != State) return {};
    if (ranks_.steps()) {
        const session::Status& status = bridge_.statusAt(seat);
        if (status.state == session::RunState::Failed) return Theme::themed(Theme::Colour::Bad);
        if (session::waits_in_collective(status)) return Theme::themed(Theme::Colour::Warning);
    }
    if (place < 0) return {};
    using End = session::RankEnd::State;
    switch (ranks_.report()->ends[static_cast<std::size_t>(place)].state) {
        case End::Failed:
        case End::Stopped:
            return Theme::themed(Theme::Colour::Bad);
        case End::Waiting:
            return Theme::themed(Theme::Colour::Warning);
        default:
            return Theme::themed(Theme::Colour::Faint);
    }
}

QVariant RankModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= static_cast<int>(bridge_.seatCount())) return {};
    const auto seat = static_cast<std::size_t>(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return textOf(seat, index.column());
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(
                Qt::Alignment((index.column() == Pid || index.column() >= Waited ? Qt::AlignRight : Qt::AlignLeft) |
                              Qt::AlignVCenter));
        case Qt::ForegroundRole:
            return toneOf(seat, index.column());
        case Qt::DecorationRole:
            return index.column() == Rank ? QVariant(ranks_.colourOf(seat)) : QVariant();
        case Qt::FontRole: {
            if (seat != bridge_.currentSeat()) return {};
            QFont font = Theme::instance().uiFont();
            font.setBold(true);
            return font;
        }
        case Qt::ToolTipRole: {
            if (index.column() == State) return textOf(seat, State);
            const int place = ranks_.placeOf(seat);
            if (place < 0) return {};
            const auto at = static_cast<std::size_t>(place);
            const Said& said = ranks_.report()->ends[at].text;
            const QString clock = tr("Clock: %1").arg(text(session::clock_text(ranks_.report()->clocks[at])));
            return said.empty() ? clock : text(said) + QLatin1Char('\n') + clock;
        }
        case BarDelegate::kShareRole: {
            const int place = ranks_.placeOf(seat);
            if (place < 0 || (index.column() != Waited && index.column() != MadeWait)) return {};
            const auto& waits = ranks_.report()->waits;
            const auto of = [&](const session::RankWaits& each) {
                return index.column() == Waited ? each.waited : each.made_wait;
            };
            double most = 0;
            for (const session::RankWaits& each : waits) most = std::max(most, of(each));
            return most > 0 ? of(waits[static_cast<std::size_t>(place)]) / most : 0.0;
        }
        default:
            return {};
    }
}

QVariant RankModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::DisplayRole) return tr(kRankHeaders[section]);
    if (role == Qt::ToolTipRole) return tr(kRankHeaderTips[section]);
    return {};
}

}  // namespace loupe::views
