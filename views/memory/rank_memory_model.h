// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A row a rank: its greatest memory and what it has at the current event.

#include <QAbstractTableModel>

#include "views/common/ranks.h"

namespace loupe::views {

class RankMemoryModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Rank, Peak, PeakEvent, AtEvent, ColumnCount };

    RankMemoryModel(SessionBridge& bridge, QObject* parent);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void renew();
    // Goes to the peak of that row's rank.
    void goToPeak(const QModelIndex& index);

  private:
    struct Row {
        std::int64_t peak = 0;
        session::EventId peak_event = 0;
        session::EventId event = 0;  // the one that is as the current; 0: it has none
        std::int64_t at_event = 0;
    };
    SessionBridge& bridge_;
    std::vector<Row> rows_;  // by seat
};

}  // namespace loupe::views
