// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A row a collective: who came last, and how long the others waited.

#include <QAbstractTableModel>

#include "views/common/ranks.h"

namespace loupe::views {

class CollectiveModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, Line, Bytes, Last, Behind, Waited, ColumnCount };
    enum Role { SortRole = Qt::UserRole, NumberRole };

    CollectiveModel(SessionBridge& bridge, QObject* parent);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void renew();
    const session::RankReport* report() const { return report_.get(); }

  private:
    QVariant textOf(std::size_t number, int column) const;
    QVariant sortKeyOf(std::size_t number, int column) const;
    QString tipOf(std::size_t number) const;

    Ranks& ranks_;
    std::shared_ptr<const session::RankReport> report_;
    double longest_ = 0;  // of all waits
};

}  // namespace loupe::views
