// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The numbers of one tile of a tensor as a table.

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "core/record/tensor_slice.h"
#include "views/common/colour_map.h"

namespace loupe::views {

class TensorGridModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    using QAbstractTableModel::QAbstractTableModel;

    // tile: -1 is empty.
    void setTile(const session::TensorSlice& slice, int tile);
    // As TensorPicture::setNames; they stand in the headers. setTile keeps them.
    void setNames(std::vector<QStringList> names);
    void setColours(ColourMap map, double low, double high, bool shown);

    // The indices of an element in the whole tensor.
    session::Shape ownIndex(const QModelIndex& index) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QString describe(int row, int column, double value) const;

    session::TensorTile tile_;
    session::TensorSlice place_;  // without elements: the position of the tile in the tensor
    std::vector<QStringList> names_;
    int tile_number_ = 0;
    bool is_whole_ = false;  // integers are written without a point
    std::int64_t rows_ = 0;  // before thinning
    std::int64_t columns_ = 0;
    ColourMap map_ = ColourMap::Viridis;
    double low_ = 0;
    double high_ = 1;
    bool coloured_ = false;
};

// What the places of an index stand for, by dimension: "   fox, brown"; empty where nothing is known.
QString placesNamed(const std::vector<QStringList>& names, const session::Shape& index);

// The index in the whole tensor of a subsampled row or column.
std::int64_t unthinned(int shown, int shown_count, std::int64_t count);

}  // namespace loupe::views
