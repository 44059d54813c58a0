// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/changed_stacks.h"

#include <cmath>

#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

void ChangedStacks::setDifference(FlameDifferencePtr difference) {
    if (difference == difference_) return;
    beginResetModel();
    difference_ = std::move(difference);
    rows_ = difference_ ? session::most_changed(*difference_, kMost) : std::vector<std::uint32_t>();
    endResetModel();
}

int ChangedStacks::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ChangedStacks::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{kColumns}; }

QVariant ChangedStacks::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= kColumns) return {};
    static const QString titles[] = {tr("Call"), tr("Self A"), tr("Self B"), tr("B \u2212 A")};
    if (role == Qt::DisplayRole) return titles[section];
    if (role == Qt::TextAlignmentRole && section != Name) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) return tr("Time of the call itself, without what it called");
    return {};
}

QVariant ChangedStacks::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const std::uint32_t at = node(index.row());
    const session::FlamePair& pair = difference_->nodes[at];
    if (role == Qt::TextAlignmentRole && index.column() != Name)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ForegroundRole && index.column() == Change)
        return Theme::themed(pair.self_change() > 0 ? Theme::Colour::Warning : Theme::Colour::Good);
    if (role == Qt::ToolTipRole) return text(difference_->path_of(at, difference_->depth));
    if (role != Qt::DisplayRole && role != kSortRole) return {};
    const auto side = [&](double self, std::uint64_t count) -> QVariant {
        if (role == kSortRole) return self;
        return count == 0 ? QStringLiteral("\u2013") : secondsText(self);
    };
    switch (index.column()) {
        case Name:
            return text(difference_->path_of(at, 1));
        case SelfHere:
            return side(pair.self_here, pair.count_here);
        case SelfThere:
            return side(pair.self_there, pair.count_there);
        default:
            if (role == kSortRole) return std::abs(pair.self_change());
            return (pair.self_change() < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) +
                   secondsText(std::abs(pair.self_change()));
    }
}

}  // namespace loupe::views
