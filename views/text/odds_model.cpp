// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/text/odds_model.h"

#include <cmath>
#include <limits>

#include "views/common/bar_delegate.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"

namespace loupe::views {

void OddsModel::clear() {
    beginResetModel();
    odds_.clear();
    places_ = first_place_ = 0;
    is_asked_ = false;
    endResetModel();
}

void OddsModel::add(const session::NextTokens& part, bool is_new) {
    is_asked_ = false;
    if (is_new) {
        beginResetModel();
        odds_ = part.odds;
        places_ = part.places;
        first_place_ = part.first_place;
        endResetModel();
        return;
    }
    // Of another run meanwhile.
    if (part.odds.empty() || part.places != places_ ||
        part.odds.front().place != first_place_ + static_cast<std::int64_t>(odds_.size()))
        return;
    const int first = static_cast<int>(odds_.size());
    beginInsertRows({}, first, first + static_cast<int>(part.odds.size()) - 1);
    odds_.insert(odds_.end(), part.odds.begin(), part.odds.end());
    endInsertRows();
}

int OddsModel::rowOf(std::int64_t place) const {
    const std::int64_t row = place - first_place_;
    return row >= 0 && row < static_cast<std::int64_t>(odds_.size()) ? static_cast<int>(row) : -1;
}

double OddsModel::meanLoss(std::int64_t* count) const {
    double sum = 0;
    *count = 0;
    for (const session::PlaceOdds& each : odds_) {
        if (!each.has_actual) continue;
        sum -= each.log_probability;
        ++*count;
    }
    return *count > 0 ? sum / static_cast<double>(*count) : std::numeric_limits<double>::quiet_NaN();
}

int OddsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(odds_.size());
}
int OddsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

bool OddsModel::canFetchMore(const QModelIndex& parent) const {
    return !parent.isValid() && !is_asked_ && static_cast<std::int64_t>(odds_.size()) < places_;
}
void OddsModel::fetchMore(const QModelIndex& parent) {
    if (!canFetchMore(parent)) return;
    is_asked_ = true;
    ask_(static_cast<std::int64_t>(odds_.size()));
}

QString OddsModel::shown(const session::PlaceOdds& odds, int column) const {
    switch (column) {
        case Place:
            return QString::number(odds.place);
        case Token:
            return visibleToken(odds.token);
        case Actual:
            return odds.has_actual ? visibleToken(odds.actual) : QStringLiteral("\u2014");
        case Probability:
            return odds.has_actual ? percentText(odds.probability) : QString();
        case Rank:
            return odds.has_actual ? countText(odds.rank) : QString();
        case Entropy:
            return std::isnan(odds.entropy) ? QStringLiteral("nan") : QString::number(odds.entropy, 'f', 2);
        default: {
            const auto at = static_cast<std::size_t>(column - FirstChoice);
            if (at >= odds.top.size()) return {};
            return QStringLiteral("%1  %2").arg(visibleToken(odds.top[at].token),
                                                percentText(odds.top[at].probability));
        }
    }
}

QVariant OddsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const session::PlaceOdds& odds = odds_[static_cast<std::size_t>(index.row())];
    const auto choice = static_cast<std::size_t>(std::max(0, index.column() - FirstChoice));
    const bool isChoice = index.column() >= FirstChoice && choice < odds.top.size();
    switch (role) {
        case Qt::DisplayRole:
            return shown(odds, index.column());
        case Qt::FontRole:
            return Theme::instance().monoFont();
        case Qt::TextAlignmentRole: {
            const int column = index.column();
            const bool isNumber = column == Place || column == Probability || column == Rank || column == Entropy;
            return QVariant((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        }
        case Qt::ForegroundRole:
            if (index.column() == Place) return Theme::themed(Theme::Colour::Faint);
            if (index.column() == Rank && odds.rank == 1) return Theme::themed(Theme::Colour::Good);
            // The choice that comes.
            if (isChoice && odds.has_actual && odds.top[choice].token.id == odds.actual.id)
                return Theme::themed(Theme::Colour::Good);
            return {};
        case BarDelegate::kShareRole:
            if (isChoice) return odds.top[choice].probability;
            if (index.column() == Probability && odds.has_actual) return odds.probability;
            return {};
        case Qt::ToolTipRole:
            if (isChoice)
                return tr("%1\nprobability %2")
                    .arg(describeToken(odds.top[choice].token))
                    .arg(odds.top[choice].probability, 0, 'g', 6);
            if (index.column() == Token) return describeToken(odds.token);
            if (index.column() == Actual && odds.has_actual) return describeToken(odds.actual);
            if (index.column() == Probability && odds.has_actual)
                return tr("probability %1, its logarithm %2")
                    .arg(odds.probability, 0, 'g', 6)
                    .arg(odds.log_probability, 0, 'g', 6);
            if (index.column() == Entropy)
                return tr("%1 nats: as uncertain as among %2 equally likely tokens")
                    .arg(odds.entropy, 0, 'g', 6)
                    .arg(std::exp(odds.entropy), 0, 'g', 3);
            return {};
        default:
            return {};
    }
}

QVariant OddsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        switch (section) {
            case Actual:
                return fills_gaps_ ? tr("The token that stands there: the model's scores are of it")
                                   : tr("The token that comes next in the text");
            case Probability:
                return tr("How likely the model held it");
            case Rank:
                return tr("Its place among all tokens, 1 for the likeliest");
            case Entropy:
                return tr("Of the model's probabilities, in nats: 0 when it is certain");
            default:
                return section >= FirstChoice ? tr("What the model held likeliest") : QVariant();
        }
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Place:
            return QStringLiteral("#");
        case Token:
            return tr("Token");
        case Actual:
            return fills_gaps_ ? tr("Stands there") : tr("Next");
        case Probability:
            return tr("p");
        case Rank:
            return tr("Rank");
        case Entropy:
            return tr("Entropy");
        default:
            return section == FirstChoice ? tr("Likeliest") : tr("%1.").arg(section - FirstChoice + 1);
    }
}

}  // namespace loupe::views
