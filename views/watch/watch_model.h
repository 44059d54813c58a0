// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Watch expressions and their values at the current event. The last row is empty: typing there adds one.

#include <QAbstractTableModel>
#include <vector>

#include "views/common/session_bridge.h"

namespace loupe::views {

class WatchModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Expression, Result, ColumnCount };

    WatchModel(SessionBridge& bridge, QObject* parent);

    void remove(int row);
    QStringList expressions() const;
    void setExpressions(const QStringList& expressions);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  signals:
    void expressionsChanged();

  private:
    struct Watch {
        QString expression;
        QString result;
        int serial = 0;
    };
    void evaluateAll();
    void evaluate(Watch& watch);

    SessionBridge& bridge_;
    std::vector<Watch> watches_;
    int next_serial_ = 1;
};

}  // namespace loupe::views
