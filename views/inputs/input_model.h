// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The inputs of the next run as a table: a row per argument of the method, edited in place.

#include <QAbstractTableModel>
#include <vector>

#include "core/model/input_spec.h"
#include "core/model/model_info.h"

namespace loupe::views {

class InputModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, Source, ShapeColumn, Dtype, Detail, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setInputs(std::vector<session::MethodInfo::Argument> arguments, std::vector<session::InputSpec> specs);
    const std::vector<session::InputSpec>& specs() const { return specs_; }
    void setSpec(int row, const session::InputSpec& spec);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    static QStringList sourceNames();
    static QStringList dtypeNames();

  signals:
    // The user changed a cell.
    void edited();

  private:
    std::vector<session::MethodInfo::Argument> arguments_;
    std::vector<session::InputSpec> specs_;
};

// "1x3x8x8", also with commas, spaces or brackets; nullopt when it is no shape. "scalar" and "" have no dimensions.
std::optional<session::Shape> parseShape(const QString& text);

}  // namespace loupe::views
