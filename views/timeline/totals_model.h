// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Operators of a trace over all their calls, alone or beside those of another trace.

#include <QAbstractTableModel>

#include "core/study/profile_statistics.h"

namespace loupe::views {

class TotalsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, Category, Calls, Total, Self, Least, Median, P95, Greatest, kColumns };
    enum DifferenceColumn {
        DName,
        DCategory,
        CallsHere,
        CallsThere,
        TotalHere,
        TotalThere,
        Ratio,
        Change,
        kDifferenceColumns
    };
    static constexpr int kSortRole = Qt::UserRole + 1;

    explicit TotalsModel(QObject* parent) : QAbstractTableModel(parent) {}

    void setTotals(std::vector<session::OperatorTotals> totals);
    // In place of the totals.
    void setDifferences(std::vector<session::TotalsDifference> differences);
    bool isOfTwo() const { return is_of_two_; }
    const session::OperatorTotals& totals(int row) const { return totals_[static_cast<std::size_t>(row)]; }
    const session::TotalsDifference& difference(int row) const { return differences_[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QVariant data(const QModelIndex& index, int role) const override;

  private:
    QVariant ofTotals(const QModelIndex& index, int role) const;
    QVariant ofDifference(const QModelIndex& index, int role) const;

    std::vector<session::OperatorTotals> totals_;
    std::vector<session::TotalsDifference> differences_;
    bool is_of_two_ = false;
};

}  // namespace loupe::views
