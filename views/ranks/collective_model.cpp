// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/ranks/collective_model.h"

#include <algorithm>

#include "views/common/bar_delegate.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

const char* const kHeaders[] = {QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "Collective"),
                                QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "Line"),
                                QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "Bytes"),
                                QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "Came last"),
                                QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "Behind"),
                                QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "Others waited")};
const char* const kHeaderTips[] = {
    QT_TRANSLATE_NOOP("loupe::views::CollectiveModel",
                      "Click a row to go to the rank that came last, where it launched it"),
    QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "Where it is launched"),
    QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "What a rank gives"),
    QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "The rank that launched it last"),
    QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "How long behind the one before it"),
    QT_TRANSLATE_NOOP("loupe::views::CollectiveModel", "All the others together, until the last had come")};

}  // namespace

CollectiveModel::CollectiveModel(SessionBridge& bridge, QObject* parent)
    : QAbstractTableModel(parent), ranks_(Ranks::of(bridge)) {
    renew();
}

void CollectiveModel::renew() {
    beginResetModel();
    report_ = ranks_.report();
    longest_ = 0;
    if (report_) {
        for (const session::CollectiveTimes& each : report_->times) longest_ = std::max(longest_, each.waited);
    }
    endResetModel();
}

int CollectiveModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !report_ ? 0 : static_cast<int>(report_->matched.size());
}
int CollectiveModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QVariant CollectiveModel::textOf(std::size_t number, int column) const {
    const session::MatchedCollective& each = report_->matched[number];
    const session::CollectiveTimes& times = report_->times[number];
    const session::Collective& first = each.first(report_->set);
    switch (column) {
        case Name:
            return text(each.name(report_->set));
        case Line:
            return text(session::place_text(first.place));
        case Bytes:
            return first.bytes > 0 ? bytesText(static_cast<double>(first.bytes)) : QString();
        case Last:
            return times.last >= 0 ? tr("rank %1").arg(report_->set.ranks[static_cast<std::size_t>(times.last)].rank())
                                   : QString();
        case Behind:
            return times.last >= 0 ? secondsText(times.late_by) : QString();
        case Waited:
            return times.last >= 0 ? (times.is_at_most && times.waited > 0 ? QStringLiteral("\u2264 ") : QString()) +
                                         secondsText(times.waited)
                                   : QString();
        default:
            return {};
    }
}

QVariant CollectiveModel::sortKeyOf(std::size_t number, int column) const {
    const session::CollectiveTimes& times = report_->times[number];
    switch (column) {
        case Name:
            return static_cast<qulonglong>(number);  // as they ran
        case Bytes:
            return static_cast<qlonglong>(report_->matched[number].first(report_->set).bytes);
        case Last:
            return times.last;
        case Behind:
            return times.late_by;
        case Waited:
            return times.waited;
        default:
            return textOf(number, column);
    }
}

QString CollectiveModel::tipOf(std::size_t number) const {
    const session::MatchedCollective& each = report_->matched[number];
    const session::CollectiveTimes& times = report_->times[number];
    QStringList lines{text(each.name(report_->set))};
    double first = 0;
    bool has_first = false;
    for (const auto& on : times.ranks) {
        if (on && (!has_first || on->arrived < first)) first = on->arrived;
        has_first = has_first || on.has_value();
    }
    for (std::size_t place = 0; place < times.ranks.size(); ++place) {
        const auto& on = times.ranks[place];
        const int rank = report_->set.ranks[place].rank();
        if (!on) {
            if (std::find(each.members.begin(), each.members.end(), rank) != each.members.end())
                lines << tr("rank %1: has not come to it").arg(rank);
            continue;
        }
        lines << tr("rank %1: came after %2, waited %3")
                     .arg(rank)
                     .arg(secondsText(on->arrived - first), secondsText(on->waited));
    }
    return lines.join(QLatin1Char('\n'));
}

QVariant CollectiveModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !report_ || index.row() >= rowCount()) return {};
    const auto number = static_cast<std::size_t>(index.row());
    const bool is_mismatch = report_->mismatch && report_->mismatch->collective == number;
    switch (role) {
        case Qt::DisplayRole:
            return textOf(number, index.column());
        case SortRole:
            return sortKeyOf(number, index.column());
        case NumberRole:
            return static_cast<qulonglong>(number);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(
                Qt::Alignment((index.column() == Bytes || index.column() >= Behind ? Qt::AlignRight : Qt::AlignLeft) |
                              Qt::AlignVCenter));
        case Qt::ForegroundRole:
            return is_mismatch ? Theme::themed(Theme::Colour::Bad) : QVariant();
        case Qt::ToolTipRole:
            return tipOf(number);
        case BarDelegate::kShareRole:
            return index.column() == Waited && longest_ > 0 ? report_->times[number].waited / longest_ : 0.0;
        default:
            return {};
    }
}

QVariant CollectiveModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::DisplayRole) return tr(kHeaders[section]);
    if (role == Qt::ToolTipRole) return tr(kHeaderTips[section]);
    return {};
}

}  // namespace loupe::views
