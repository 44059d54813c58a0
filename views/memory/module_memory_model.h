// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Memory by module as a tree of sums, and by category as a list: at the current event and at the peak.

#include <QAbstractItemModel>
#include <vector>

#include "core/record/memory_sums.h"

namespace loupe::views {

class ModuleMemoryModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column {
        Module,
        AtEvent,
        AtPeak,
        Parameters,
        Gradients,
        Saved,
        Activations,
        Others,
        Forward,
        Backward,
        kColumns
    };

    using QAbstractItemModel::QAbstractItemModel;

    // Rows of MemoryBook::by_module. The tree keeps its state where the modules are the same.
    void setRows(std::vector<session::ModuleMemory> rows, session::EventId event, session::EventId peak);
    const session::ModuleMemory& row(const QModelIndex& index) const {
        return rows_[static_cast<std::size_t>(index.internalId())];
    }
    // Invalid for an unknown one.
    QModelIndex indexOf(const QString& module) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    std::vector<session::ModuleMemory> rows_;
    std::vector<std::vector<int>> children_;  // by row
    std::vector<int> places_;                 // by row, among its parent's children
    session::EventId event_ = 0;
    session::EventId peak_ = 0;
};

class CategoryMemoryModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Category, AtEvent, AtPeak, kColumns };

    using QAbstractTableModel::QAbstractTableModel;

    // Categories without bytes at either are left out; the last row is the sum.
    void setBytes(const session::CategoryBytes& at_event, const session::CategoryBytes& at_peak, session::EventId event,
                  session::EventId peak);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    std::vector<session::Category> categories_;
    session::CategoryBytes at_event_{};
    session::CategoryBytes at_peak_{};
    session::EventId event_ = 0;
    session::EventId peak_ = 0;
};

}  // namespace loupe::views
