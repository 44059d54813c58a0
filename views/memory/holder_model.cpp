// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/holder_model.h"

#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

QString bytes(std::int64_t value) { return bytesText(static_cast<double>(value)); }

}  // namespace

void HolderModel::setHolders(std::vector<session::MemoryHolder> holders, std::int64_t all) {
    beginResetModel();
    holders_ = std::move(holders);
    all_ = all;
    is_of_two_ = false;
    endResetModel();
}

void HolderModel::setDifferences(std::vector<session::HolderDifference> differences) {
    beginResetModel();
    differences_ = std::move(differences);
    is_of_two_ = true;
    endResetModel();
}

std::uint32_t HolderModel::stack(int row) const {
    const auto at = static_cast<std::size_t>(row);
    return is_of_two_ ? differences_[at].stack_here : holders_[at].stack;
}

int HolderModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return static_cast<int>(is_of_two_ ? differences_.size() : holders_.size());
}

int HolderModel::columnCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return is_of_two_ ? static_cast<int>(kDifferenceColumns) : static_cast<int>(kColumns);
}

QVariant HolderModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    static const QString one[] = {tr("Allocated in"), tr("Bytes"), tr("Share"), tr("Blocks")};
    static const QString two[] = {tr("Allocated in"), QString(), tr("A"), tr("B"), tr("B \u2212 A")};
    if (role == Qt::DisplayRole && section < columnCount()) return is_of_two_ ? two[section] : one[section];
    if (role == Qt::TextAlignmentRole && section > 0) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant HolderModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole && index.column() > 0) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    const auto at = static_cast<std::size_t>(index.row());
    return is_of_two_ ? ofDifference(differences_[at], index.column(), role)
                      : ofHolder(holders_[at], index.column(), role);
}

QVariant HolderModel::ofHolder(const session::MemoryHolder& row, int column, int role) const {
    if (role == Qt::ToolTipRole && column == Where) return text(row.where);
    if (role != Qt::DisplayRole && role != kSortRole) return {};
    const double share = all_ > 0 ? static_cast<double>(row.bytes) / static_cast<double>(all_) : 0;
    switch (column) {
        case Where:
            return text(row.where);
        case Bytes:
            return role == kSortRole ? QVariant(static_cast<qlonglong>(row.bytes)) : bytes(row.bytes);
        case Share:
            return role == kSortRole ? QVariant(share) : QStringLiteral("%1 %").arg(share * 100, 0, 'f', 1);
        default:
            return role == kSortRole ? QVariant(static_cast<qulonglong>(row.blocks))
                                     : countText(static_cast<std::int64_t>(row.blocks));
    }
}

QVariant HolderModel::ofDifference(const session::HolderDifference& row, int column, int role) const {
    if (role == Qt::ToolTipRole && column == DWhere) return text(row.where);
    if (role == Qt::ForegroundRole && (column == Change || column == Word) && row.change() != 0)
        return Theme::themed(row.change() > 0 ? Theme::Colour::Warning : Theme::Colour::Good);
    if (role != Qt::DisplayRole && role != kSortRole) return {};
    const bool is_sort = role == kSortRole;
    switch (column) {
        case DWhere:
            return text(row.where);
        case Word:
            return text(row.word());
        case Here:
            if (is_sort) return static_cast<qlonglong>(row.bytes_here);
            return row.blocks_here == 0 ? QStringLiteral("\u2013") : bytes(row.bytes_here);
        case There:
            if (is_sort) return static_cast<qlonglong>(row.bytes_there);
            return row.blocks_there == 0 ? QStringLiteral("\u2013") : bytes(row.bytes_there);
        default:
            if (is_sort) return static_cast<qlonglong>(std::abs(row.change()));
            return (row.change() < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + bytes(std::abs(row.change()));
    }
}

}  // namespace loupe::views
