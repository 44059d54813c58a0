// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Who holds the memory of a snapshot at a step, or what two snapshots differ in at their peaks.

#include <QAbstractTableModel>

#include "core/study/snapshot_history.h"

namespace loupe::views {

class HolderModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Where, Bytes, Share, Blocks, kColumns };
    enum DifferenceColumn { DWhere, Word, Here, There, Change, kDifferenceColumns };
    static constexpr int kSortRole = Qt::UserRole + 1;

    explicit HolderModel(QObject* parent) : QAbstractTableModel(parent) {}

    void setHolders(std::vector<session::MemoryHolder> holders, std::int64_t all);
    // In place of the holders.
    void setDifferences(std::vector<session::HolderDifference> differences);
    bool isOfTwo() const { return is_of_two_; }
    // The stack of the row's largest block; 0: none.
    std::uint32_t stack(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QVariant data(const QModelIndex& index, int role) const override;

  private:
    QVariant ofHolder(const session::MemoryHolder& row, int column, int role) const;
    QVariant ofDifference(const session::HolderDifference& row, int column, int role) const;

    std::vector<session::MemoryHolder> holders_;
    std::vector<session::HolderDifference> differences_;
    std::int64_t all_ = 0;
    bool is_of_two_ = false;
};

}  // namespace loupe::views
