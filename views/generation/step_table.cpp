// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/generation/step_table.h"

#include "views/common/bar_delegate.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"

namespace loupe::views {

void StepTable::setGeneration(std::shared_ptr<const session::Generation> generation) {
    const int before = rowCount();
    const int now = generation ? static_cast<int>(generation->tokens.size()) : 0;
    // Tokens that came are added, so that the selection stays.
    const bool isLonger =
        generation_ && generation && now > before && before > 0 &&
        generation->settings.text == generation_->settings.text &&
        generation->tokens[static_cast<std::size_t>(before) - 1].token.id == generation_->tokens.back().token.id;
    if (isLonger) {
        beginInsertRows({}, before, now - 1);
        generation_ = std::move(generation);
        endInsertRows();
    } else if (now == before && now > 0) {
        generation_ = std::move(generation);
    } else {
        beginResetModel();
        generation_ = std::move(generation);
        endResetModel();
    }
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int StepTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !generation_ ? 0 : static_cast<int>(generation_->tokens.size());
}
int StepTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QString StepTable::shown(const session::GeneratedToken& token, int row, int column) const {
    switch (column) {
        case Number:
            return QString::number(row + 1);
        case Token:
            return visibleToken(token.token);
        case Probability:
            return percentText(token.probability);
        case ModelProbability:
            return percentText(token.model_probability);
        case Rank:
            return countText(token.rank);
        case Left:
            return countText(token.left);
        case Entropy:
            return QString::number(token.entropy, 'f', 2);
        case Time:
            return secondsText(token.seconds);
        case Cache:
            return token.cache_bytes > 0 ? bytesText(static_cast<double>(token.cache_bytes)) : QStringLiteral("\u2014");
        default:
            return {};
    }
}

QVariant StepTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const session::GeneratedToken& token = generation_->tokens[static_cast<std::size_t>(index.row())];
    const bool isShown = index.row() == generation_->shown;
    switch (role) {
        case Qt::DisplayRole:
            return shown(token, index.row(), index.column());
        case Qt::FontRole: {
            QFont font = Theme::instance().monoFont();
            font.setBold(isShown && index.column() <= Token);
            return font;
        }
        case Qt::TextAlignmentRole:
            return QVariant((index.column() == Token ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::ForegroundRole:
            if (index.column() == Number) return Theme::themed(isShown ? Theme::Colour::Accent : Theme::Colour::Faint);
            if (index.column() == Rank && token.rank == 1) return Theme::themed(Theme::Colour::Good);
            return {};
        case BarDelegate::kShareRole:
            if (index.column() == Probability) return token.probability;
            if (index.column() == ModelProbability) return token.model_probability;
            return {};
        case Qt::ToolTipRole:
            if (index.column() == Token) return describeToken(token.token);
            if (index.column() == Probability) return QString::number(token.probability, 'g', 6);
            if (index.column() == ModelProbability) return QString::number(token.model_probability, 'g', 6);
            return isShown ? tr("The run that gave this token is the one that all panels show")
                           : tr("A double click shows the run that gave this token in all panels");
        default:
            return {};
    }
}

QVariant StepTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    static const char* const kNames[] = {"#",
                                         QT_TRANSLATE_NOOP("loupe::views::StepTable", "Token"),
                                         QT_TRANSLATE_NOOP("loupe::views::StepTable", "p"),
                                         QT_TRANSLATE_NOOP("loupe::views::StepTable", "p of model"),
                                         QT_TRANSLATE_NOOP("loupe::views::StepTable", "Rank"),
                                         QT_TRANSLATE_NOOP("loupe::views::StepTable", "Of"),
                                         QT_TRANSLATE_NOOP("loupe::views::StepTable", "Entropy"),
                                         QT_TRANSLATE_NOOP("loupe::views::StepTable", "Time"),
                                         QT_TRANSLATE_NOOP("loupe::views::StepTable", "Cache")};
    static const char* const kTips[] = {
        "",
        "",
        QT_TRANSLATE_NOOP("loupe::views::StepTable",
                          "Its probability among the tokens that the settings left to choose from"),
        QT_TRANSLATE_NOOP("loupe::views::StepTable",
                          "Its probability as the model has it, before temperature and the like"),
        QT_TRANSLATE_NOOP("loupe::views::StepTable", "Its place by the model's scores, 1 for the likeliest"),
        QT_TRANSLATE_NOOP("loupe::views::StepTable", "How many tokens the settings left to choose from"),
        QT_TRANSLATE_NOOP("loupe::views::StepTable", "Of the model's probabilities, in nats"),
        QT_TRANSLATE_NOOP("loupe::views::StepTable", "Of its run: of one that was recorded, the recording included"),
        QT_TRANSLATE_NOOP("loupe::views::StepTable", "Keys and values of all layers behind it")};
    if (role == Qt::DisplayRole) return tr(kNames[section]);
    if (role == Qt::ToolTipRole) return tr(kTips[section]);
    return {};
}

}  // namespace loupe::views
