// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Modules by references: how far each module's output is from that of each pinned run, as a heat map.

#include <QAbstractTableModel>
#include <vector>

#include "views/common/comparison.h"

namespace loupe::views {

class LayerTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Module, Class, FirstReference };
    enum Role { EventRole = Qt::UserRole, ModuleRole };

    LayerTableModel(const Comparison& comparison, QObject* parent)
        : QAbstractTableModel(parent), comparison_(comparison) {}

    void rebuild();
    // Of modules whose own operators ran, or of all.
    void setLeavesOnly(bool value);
    bool hasLeavesOnly() const { return leaves_only_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    const session::ModuleDifference* cell(int row, int column) const;

    const Comparison& comparison_;
    bool leaves_only_ = true;
    std::vector<std::size_t> rows_;  // of the modules of any of the differences
    std::vector<int> references_;    // by column
};

}  // namespace loupe::views
