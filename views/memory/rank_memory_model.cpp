// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/rank_memory_model.h"

#include <algorithm>

#include "views/common/bar_delegate.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

const char* const kHeaders[] = {QT_TRANSLATE_NOOP("loupe::views::RankMemoryModel", "Rank"),
                                QT_TRANSLATE_NOOP("loupe::views::RankMemoryModel", "Peak"),
                                QT_TRANSLATE_NOOP("loupe::views::RankMemoryModel", "At event"),
                                QT_TRANSLATE_NOOP("loupe::views::RankMemoryModel", "At the current event")};
const char* const kHeaderTips[] = {
    QT_TRANSLATE_NOOP("loupe::views::RankMemoryModel", "Click a row to go to that rank's peak"),
    QT_TRANSLATE_NOOP("loupe::views::RankMemoryModel", "The most that was alive at any event"),
    QT_TRANSLATE_NOOP("loupe::views::RankMemoryModel", "Where the peak was"),
    QT_TRANSLATE_NOOP("loupe::views::RankMemoryModel", "Alive after the event that does the same as the current one")};

}  // namespace

RankMemoryModel::RankMemoryModel(SessionBridge& bridge, QObject* parent)
    : QAbstractTableModel(parent), bridge_(bridge) {
    Ranks& ranks = Ranks::of(bridge);
    connect(&ranks, &Ranks::changed, this, &RankMemoryModel::renew);
    connect(&ranks, &Ranks::studied, this, &RankMemoryModel::renew);
    connect(&bridge, &SessionBridge::currentChanged, this, &RankMemoryModel::renew);
    renew();
}

void RankMemoryModel::renew() {
    const Ranks& ranks = Ranks::of(bridge_);
    std::vector<Row> rows;
    const RankCells cells = bridge_.currentEvent() != 0 ? ranks.cellsOf(bridge_.currentEvent()) : RankCells();
    for (std::size_t seat = 0; ranks.isOn() && seat < bridge_.seatCount(); ++seat) {
        Row row;
        if (const auto recording = bridge_.recordingAt(seat)) {
            row.peak = recording->peak_bytes();
            row.peak_event = recording->peak_event();
            row.event = seat < cells.size() ? cells[seat].event : 0;
            if (row.event > recording->event_count()) row.event = 0;
            if (row.event != 0) row.at_event = recording->event(row.event).memory_after;
        }
        rows.push_back(row);
    }
    if (rows.size() != rows_.size()) {
        beginResetModel();
        rows_ = std::move(rows);
        endResetModel();
    } else if (!rows.empty()) {
        rows_ = std::move(rows);
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

int RankMemoryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int RankMemoryModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QVariant RankMemoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto seat = static_cast<std::size_t>(index.row());
    const Row& row = rows_[seat];
    if (role == Qt::DecorationRole && index.column() == Rank) return Ranks::of(bridge_).colourOf(seat);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((index.column() == Rank ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role == BarDelegate::kShareRole) {
        std::int64_t most = 0;
        for (const Row& each : rows_) most = std::max(most, each.peak);
        if (most == 0) return 0.0;
        const std::int64_t bytes = index.column() == Peak ? row.peak : index.column() == AtEvent ? row.at_event : 0;
        return static_cast<double>(bytes) / static_cast<double>(most);
    }
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Rank:
            return QString::number(bridge_.rankAt(seat));
        case Peak:
            return bytesText(static_cast<double>(row.peak));
        case PeakEvent:
            return row.peak_event != 0 ? QStringLiteral("#%1").arg(row.peak_event) : QString();
        case AtEvent:
            return row.event != 0 ? bytesText(static_cast<double>(row.at_event)) : QString();
        default:
            return {};
    }
}

QVariant RankMemoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::DisplayRole) return tr(kHeaders[section]);
    if (role == Qt::ToolTipRole) return tr(kHeaderTips[section]);
    return {};
}

void RankMemoryModel::goToPeak(const QModelIndex& index) {
    if (!index.isValid() || index.row() >= rowCount()) return;
    const auto seat = static_cast<std::size_t>(index.row());
    const session::EventId event = rows_[seat].peak_event;
    bridge_.setCurrentSeat(seat);
    if (event != 0) bridge_.setCurrentEvent(event);
}

}  // namespace loupe::views
