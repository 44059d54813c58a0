// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A row a rank: where it runs, how far it is, what it waited for.

#include <QAbstractTableModel>

#include "views/common/ranks.h"

namespace loupe::views {

class RankModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Rank, State, LastEvent, Waited, MadeWait, TimesLast, Events, Host, Pid, ColumnCount };

    RankModel(SessionBridge& bridge, QObject* parent);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    // The rows are others, or say something else.
    void renew();

  private:
    QString textOf(std::size_t seat, int column) const;
    QVariant toneOf(std::size_t seat, int column) const;
    session::EventId lastOf(std::size_t seat) const;

    SessionBridge& bridge_;
    Ranks& ranks_;
    int rows_ = 0;
};

}  // namespace loupe::views
