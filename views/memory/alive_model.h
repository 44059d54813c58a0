// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Live blocks at one event, as a table.

#include <QAbstractTableModel>
#include <memory>

#include "core/record/memory_sums.h"

namespace loupe::views {

class AliveModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Bytes, Category, Owner, Scope, Made, Age, SavedBy, kColumns };
    static constexpr int kSortRole = Qt::UserRole + 1;

    using QAbstractTableModel::QAbstractTableModel;

    // event: where they are alive.
    void setBlocks(std::shared_ptr<const session::Recording> recording, std::vector<session::AliveBlock> blocks,
                   session::EventId event);
    const session::AliveBlock& block(int row) const { return blocks_[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QString eventName(session::EventId event) const;
    QString saverName(const session::BlockSaver& saver) const;
    QString savedBy(const session::AliveBlock& block) const;

    std::shared_ptr<const session::Recording> recording_;
    std::vector<session::AliveBlock> blocks_;
    session::EventId event_ = 0;
};

}  // namespace loupe::views
