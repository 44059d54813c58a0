// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The breakpoints of the session as a table, edited in place; every edit can be undone.

#include <QAbstractTableModel>
#include <vector>

#include "views/common/session_bridge.h"

namespace loupe::views {

class BreakpointModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Where, Phase, Condition, Ignore, Hits, ColumnCount };

    BreakpointModel(SessionBridge& bridge, QObject* parent);

    const session::Breakpoint& at(int row) const { return breakpoints_[static_cast<std::size_t>(row)]; }
    static QStringList phaseNames();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    void reload();
    QString whereText(const session::Breakpoint& breakpoint) const;

    SessionBridge& bridge_;
    std::vector<session::Breakpoint> breakpoints_;
};

}  // namespace loupe::views
