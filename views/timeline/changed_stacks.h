// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Call stacks of two traces whose own time differs most.

#include <QAbstractTableModel>
#include <vector>

#include "views/timeline/flame_canvas.h"

namespace loupe::views {

class ChangedStacks : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, SelfHere, SelfThere, Change, kColumns };
    static constexpr int kSortRole = Qt::UserRole + 1;
    static constexpr std::size_t kMost = 500;

    explicit ChangedStacks(QObject* parent) : QAbstractTableModel(parent) {}

    void setDifference(FlameDifferencePtr difference);
    // Of the flame graph.
    std::uint32_t node(int row) const { return rows_[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QVariant data(const QModelIndex& index, int role) const override;

  private:
    FlameDifferencePtr difference_;
    std::vector<std::uint32_t> rows_;
};

}  // namespace loupe::views
