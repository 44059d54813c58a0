// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/totals_model.h"

#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

void TotalsModel::setTotals(std::vector<session::OperatorTotals> totals) {
    beginResetModel();
    totals_ = std::move(totals);
    is_of_two_ = false;
    endResetModel();
}

void TotalsModel::setDifferences(std::vector<session::TotalsDifference> differences) {
    beginResetModel();
    differences_ = std::move(differences);
    is_of_two_ = true;
    endResetModel();
}

int TotalsModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return static_cast<int>(is_of_two_ ? differences_.size() : totals_.size());
}

int TotalsModel::columnCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return is_of_two_ ? static_cast<int>(kDifferenceColumns) : static_cast<int>(kColumns);
}

QVariant TotalsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    static const QString one[] = {tr("Operator"), tr("Category"), tr("Calls"), tr("Total"), tr("Self"),
                                  tr("Min"),      tr("Median"),   tr("p95"),   tr("Max")};
    static const QString two[] = {tr("Operator"), tr("Category"), tr("Calls A"), tr("Calls B"),
                                  tr("Total A"),  tr("Total B"),  tr("B / A"),   tr("B \u2212 A")};
    if (role == Qt::DisplayRole && section < columnCount()) return is_of_two_ ? two[section] : one[section];
    if (role == Qt::TextAlignmentRole && section > 1) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && !is_of_two_ && section == Self) return tr("Without what it called");
    return {};
}

QVariant TotalsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole && index.column() > 1) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    return is_of_two_ ? ofDifference(index, role) : ofTotals(index, role);
}

QVariant TotalsModel::ofTotals(const QModelIndex& index, int role) const {
    const session::OperatorTotals& row = totals_[static_cast<std::size_t>(index.row())];
    if (role == Qt::ForegroundRole && index.column() == Category) return Theme::themed(Theme::Colour::Faint);
    if (role != Qt::DisplayRole && role != kSortRole && role != Qt::ToolTipRole) return {};
    if (role == Qt::ToolTipRole) return index.column() == Name ? text(row.name) : QVariant();
    const double seconds[] = {row.total, row.self, row.least, row.median, row.p95, row.greatest};
    switch (index.column()) {
        case Name:
            return text(row.name);
        case Category:
            return text(row.category);
        case Calls:
            if (role == kSortRole) return static_cast<qulonglong>(row.count);
            return countText(static_cast<std::int64_t>(row.count));
        default:
            if (role == kSortRole) return seconds[index.column() - Total];
            return secondsText(seconds[index.column() - Total]);
    }
}

QVariant TotalsModel::ofDifference(const QModelIndex& index, int role) const {
    const session::TotalsDifference& row = differences_[static_cast<std::size_t>(index.row())];
    if (role == Qt::ForegroundRole) {
        if (index.column() == DCategory) return Theme::themed(Theme::Colour::Faint);
        if ((index.column() == Change || index.column() == Ratio) && row.change() != 0)
            return Theme::themed(row.change() > 0 ? Theme::Colour::Warning : Theme::Colour::Good);
    }
    if (role != Qt::DisplayRole && role != kSortRole) return {};
    const std::uint64_t counts[] = {row.count_here, row.count_there};
    const double totals[] = {row.total_here, row.total_there};
    switch (index.column()) {
        case DName:
            return text(row.name);
        case DCategory:
            return text(row.category);
        case CallsHere:
        case CallsThere: {
            const std::uint64_t count = counts[index.column() - CallsHere];
            if (role == kSortRole) return static_cast<qulonglong>(count);
            return count == 0 ? QStringLiteral("\u2013") : countText(static_cast<std::int64_t>(count));
        }
        case TotalHere:
        case TotalThere: {
            const double total = totals[index.column() - TotalHere];
            if (role == kSortRole) return total;
            return counts[index.column() - TotalHere] == 0 ? QStringLiteral("\u2013") : secondsText(total);
        }
        case Ratio: {
            const bool is_both = row.total_here > 0 && row.count_there > 0;
            if (role == kSortRole) return is_both ? row.total_there / row.total_here : -1.0;
            return is_both ? QStringLiteral("\u00d7%1").arg(row.total_there / row.total_here, 0, 'f', 2)
                           : QStringLiteral("\u2013");
        }
        default:
            if (role == kSortRole) return std::abs(row.change());
            return (row.change() < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) +
                   secondsText(std::abs(row.change()));
    }
}

}  // namespace loupe::views
