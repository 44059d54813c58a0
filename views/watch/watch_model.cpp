// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/watch/watch_model.h"

#include "core/session/queries/watch.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

WatchModel::WatchModel(SessionBridge& bridge, QObject* parent) : QAbstractTableModel(parent), bridge_(bridge) {
    connect(&bridge, &SessionBridge::currentChanged, this, &WatchModel::evaluateAll);
    connect(&bridge, &SessionBridge::recordingChanged, this, &WatchModel::evaluateAll);
    connect(&bridge, &SessionBridge::statusChanged, this, [this] {
        if (!bridge_.isBusy()) evaluateAll();
    });
}

void WatchModel::evaluateAll() {
    for (Watch& watch : watches_) evaluate(watch);
}

void WatchModel::evaluate(Watch& watch) {
    if (bridge_.currentEvent() == 0) {
        watch.result.clear();
        return;
    }
    bridge_.ask(QStringLiteral("watch.%1").arg(watch.serial),
                session::WatchQuery{watch.expression.toStdString(), bridge_.currentEvent()}, this,
                [this, serial = watch.serial](const std::string& result) {
                    for (std::size_t row = 0; row < watches_.size(); ++row) {
                        if (watches_[row].serial != serial) continue;
                        watches_[row].result = text(result);
                        const QModelIndex changed = index(static_cast<int>(row), Result);
                        emit dataChanged(changed, changed);
                    }
                });
}

void WatchModel::remove(int row) {
    if (row < 0 || row >= static_cast<int>(watches_.size())) return;
    beginRemoveRows({}, row, row);
    watches_.erase(watches_.begin() + row);
    endRemoveRows();
    emit expressionsChanged();
}

QStringList WatchModel::expressions() const {
    QStringList all;
    for (const Watch& watch : watches_) all += watch.expression;
    return all;
}

void WatchModel::setExpressions(const QStringList& expressions) {
    beginResetModel();
    watches_.clear();
    for (const QString& expression : expressions) watches_.push_back({expression, {}, next_serial_++});
    endResetModel();
    evaluateAll();
}

int WatchModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(watches_.size()) + 1;
}

int WatchModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant WatchModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::FontRole) return Theme::instance().monoFont();
    const auto row = static_cast<std::size_t>(index.row());
    if (row == watches_.size()) {
        if (role == Qt::ForegroundRole) return Theme::instance().colour(Theme::Colour::Faint);
        return role == Qt::DisplayRole && index.column() == Expression ? tr("add: layer1.0.conv1.out.absmax")
                                                                       : QVariant();
    }
    if (role == Qt::DisplayRole || role == Qt::EditRole)
        return index.column() == Expression ? watches_[row].expression : watches_[row].result;
    if (role == Qt::ToolTipRole) return watches_[row].result;
    return {};
}

Qt::ItemFlags WatchModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    const auto plain = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return index.column() == Expression ? plain | Qt::ItemIsEditable : plain;
}

bool WatchModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !index.isValid() || index.column() != Expression) return false;
    const QString expression = value.toString().trimmed();
    const auto row = static_cast<std::size_t>(index.row());
    if (expression.isEmpty()) return false;
    if (row == watches_.size()) {
        beginInsertRows({}, index.row(), index.row());
        watches_.push_back({expression, {}, next_serial_++});
        endInsertRows();
    } else {
        watches_[row].expression = expression;
        emit dataChanged(index, index);
    }
    evaluate(watches_[row]);
    emit expressionsChanged();
    return true;
}

QVariant WatchModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == Expression ? tr("Watch") : tr("At the current event");
}

}  // namespace loupe::views
