// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensor/tensor_grid_model.h"

#include <cmath>

#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

std::int64_t unthinned(int shown, int shown_count, std::int64_t count) {
    return shown_count <= 0 || shown_count >= count ? shown : shown * count / shown_count;
}

void TensorGridModel::setTile(const session::TensorSlice& slice, int tile) {
    beginResetModel();
    const bool is_valid = tile >= 0 && tile < static_cast<int>(slice.data.size());
    tile_ = is_valid ? slice.data[static_cast<std::size_t>(tile)] : session::TensorTile{};
    // Of quantised tensors ("quint8") the numbers that they stand for are shown.
    is_whole_ = slice.dtype.starts_with("int") || slice.dtype.starts_with("uint") || slice.dtype == "bool";
    tile_number_ = is_valid ? tile : 0;
    place_ = {};
    place_.sliced_shape = slice.sliced_shape;
    place_.axes = slice.axes;
    rows_ = slice.rows;
    columns_ = slice.columns;
    endResetModel();
}

QString placesNamed(const std::vector<QStringList>& names, const session::Shape& index) {
    QStringList all;
    for (std::size_t i = 0; i < names.size() && i < index.size(); ++i)
        if (const QString name = names[i].value(index[i]); !name.isEmpty()) all += name;
    return all.isEmpty() ? QString() : QStringLiteral("   ") + all.join(QStringLiteral(", "));
}

void TensorGridModel::setNames(std::vector<QStringList> names) {
    names_ = std::move(names);
    for (const auto orientation : {Qt::Horizontal, Qt::Vertical}) {
        const int last = (orientation == Qt::Horizontal ? columnCount() : rowCount()) - 1;
        if (last >= 0) emit headerDataChanged(orientation, 0, last);
    }
}

void TensorGridModel::setColours(ColourMap map, double low, double high, bool shown) {
    map_ = map;
    low_ = low;
    high_ = high;
    coloured_ = shown;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1),
                         {Qt::BackgroundRole, Qt::ForegroundRole});
}

int TensorGridModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : tile_.rows; }
int TensorGridModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : tile_.columns; }

QVariant TensorGridModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const std::size_t at = static_cast<std::size_t>(index.row()) * static_cast<std::size_t>(tile_.columns) +
                           static_cast<std::size_t>(index.column());
    if (at >= tile_.elements.size()) return {};
    const double value = tile_.elements[at];
    const bool is_bad = !std::isfinite(value);
    switch (role) {
        case Qt::DisplayRole:
            return is_whole_ && !is_bad ? QString::number(value, 'f', 0) : numberText(value);
        case Qt::ToolTipRole:
            return describe(index.row(), index.column(), value);
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        case Qt::FontRole:
            return Theme::instance().monoFont();
        case Qt::BackgroundRole:
            if (is_bad) return Theme::instance().colour(Theme::Colour::BadBack);
            if (coloured_ && high_ > low_) return QColor::fromRgb(colourAt(map_, (value - low_) / (high_ - low_)));
            return {};
        case Qt::ForegroundRole:
            if (is_bad) return Theme::instance().colour(Theme::Colour::Bad);
            if (coloured_ && high_ > low_) return readableOn(colourAt(map_, (value - low_) / (high_ - low_)));
            if (value == 0) return Theme::instance().colour(Theme::Colour::Faint);
            return {};
        default:
            return {};
    }
}

session::Shape TensorGridModel::ownIndex(const QModelIndex& index) const {
    return place_.own_index(static_cast<std::size_t>(tile_number_), unthinned(index.row(), tile_.rows, rows_),
                            unthinned(index.column(), tile_.columns, columns_));
}

QString TensorGridModel::describe(int row, int column, double value) const {
    const session::Shape place = ownIndex(index(row, column));
    return QStringLiteral("%1 = %2%3")
        .arg(indexText(place), QString::number(value, 'g', 9), placesNamed(names_, place));
}

QVariant TensorGridModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role == Qt::FontRole) return Theme::instance().monoFont();
    if (role != Qt::DisplayRole) return {};
    const bool across = orientation == Qt::Horizontal;
    const std::int64_t at = unthinned(section, across ? tile_.columns : tile_.rows, across ? columns_ : rows_);
    const int shown = static_cast<int>(place_.sliced_shape.size()) - (across ? 1 : 2);
    for (std::size_t i = 0; i < place_.axes.size(); ++i) {
        const session::TensorSlice::Axis& axis = place_.axes[i];
        if (axis.shown != shown || shown < 0) continue;
        const std::int64_t own = axis.start + axis.step * at;
        const QString name = i < names_.size() ? names_[i].value(own) : QString();
        return name.isEmpty() ? QString::number(own) : QStringLiteral("%1  %2").arg(own).arg(name);
    }
    return QString::number(at);
}

}  // namespace loupe::views
