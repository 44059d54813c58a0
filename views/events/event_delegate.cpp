// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/events/event_delegate.h"

#include <QPainter>
#include <cmath>
#include <numeric>

#include "views/common/theme.h"
#include "views/events/event_model.h"

namespace loupe::views {

namespace {

void drawBar(QPainter* painter, const QRect& cell, const QModelIndex& index) {
    const double fraction = index.data(EventModel::FractionRole).toDouble();
    const double setup = index.data(EventModel::SetupRole).toDouble();
    if (fraction <= 0 && setup <= 0) return;
    const auto phase = static_cast<session::RunPhase>(index.data(EventModel::PhaseRole).toInt());
    QColor colour = Theme::instance().phase(phase);
    colour.setAlpha(index.data(EventModel::IsGroupRole).toBool() ? 50 : 90);
    const QRect room = cell.adjusted(2, 2, -2, -2);
    const int wide = std::clamp(static_cast<int>(room.width() * fraction), 1, room.width());
    painter->fillRect(QRect(room.left(), room.top(), wide, room.height()), colour);
    if (setup < 0.01) return;
    QColor faint = Theme::instance().colour(Theme::Colour::Faint);
    faint.setAlpha(80);  // background of the number
    const int hatched = std::min(room.width() - wide, std::max(3, static_cast<int>(room.width() * setup)));
    painter->fillRect(QRect(room.left() + wide, room.top(), hatched, room.height()), QBrush(faint, Qt::BDiagPattern));
}

constexpr qsizetype kFirstBin = 16;
constexpr qsizetype kLastBin = 52;

// Bars of square roots: rare magnitudes stay visible. The end bins include values beyond.
void drawHistogram(QPainter* painter, const QRect& cell, const QModelIndex& index) {
    const auto all = index.data(EventModel::HistogramRole).value<QList<quint32>>();
    if (all.isEmpty()) return;
    QList<quint32> counts = all.mid(kFirstBin, kLastBin - kFirstBin);
    counts.front() += std::accumulate(all.begin(), all.begin() + kFirstBin, quint32{0});
    counts.back() += std::accumulate(all.begin() + kLastBin, all.end(), quint32{0});
    QRectF room = QRectF(cell).adjusted(3, 2, -3, -2);
    if (const double share = index.data(EventModel::NotFiniteRole).toDouble(); share > 0) {
        // A hatched part at the right, as wide as the share of NaN and Inf.
        const double width = std::max(std::min(5.0, room.width()), room.width() * share);
        painter->fillRect(QRectF(room.right() - width, room.top(), width, room.height()),
                          Theme::instance().notFinite());
        room.setRight(room.right() - width - 1);
    }
    const quint32 most = *std::max_element(counts.begin(), counts.end());
    if (most == 0 || room.width() < 2) return;
    const double width = room.width() / static_cast<double>(counts.size());
    const QColor colour = Theme::instance().colour(Theme::Colour::Accent);
    for (qsizetype i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        const double height = room.height() * std::sqrt(static_cast<double>(counts[i]) / most);
        painter->fillRect(
            QRectF(room.left() + width * static_cast<double>(i), room.bottom() - height, std::max(width, 1.0), height),
            colour);
    }
}

void drawReached(QPainter* painter, const QRect& cell) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(Theme::instance().colour(Theme::Colour::Reached));
    const double middle = cell.center().y() + 0.5;
    painter->drawPolygon(
        QPolygonF{{cell.right() - 9.0, middle - 4}, {cell.right() - 3.0, middle}, {cell.right() - 9.0, middle + 4}});
    painter->restore();
}

}  // namespace

void EventDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const {
    QStyleOptionViewItem option = given;
    const bool reached = index.data(EventModel::ReachedRole).toBool();
    if (reached && !(option.state & QStyle::State_Selected)) {
        painter->fillRect(option.rect, Theme::instance().colour(Theme::Colour::ReachedBack));
    }
    if (index.column() == EventModel::Time) drawBar(painter, option.rect, index);
    if (index.column() == EventModel::Operator) {
        const bool group = index.data(EventModel::IsGroupRole).toBool();
        const auto phase = static_cast<session::RunPhase>(index.data(EventModel::PhaseRole).toInt());
        const QColor mark = group ? Theme::instance().phase(phase)
                                  : Theme::instance().operatorKind(index.data().toString().toStdString());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(mark);
        const QRectF spot(option.rect.left() + 3, option.rect.center().y() - 3, 7, 7);
        group ? painter->drawRoundedRect(spot, 1.5, 1.5) : painter->drawEllipse(spot);
        painter->restore();
        option.rect.adjust(13, 0, reached ? -12 : 0, 0);
    }
    QStyledItemDelegate::paint(painter, option, index);
    if (index.column() == EventModel::Distribution) drawHistogram(painter, given.rect, index);
    if (reached && index.column() == EventModel::Operator) drawReached(painter, given.rect);
    // What is above the line is of the source as it was.
    if (index.data(EventModel::EditRole).toBool())
        painter->fillRect(QRect(given.rect.topLeft(), QSize(given.rect.width(), 2)), Theme::instance().edited());
}

QSize EventDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    return {size.width() + (index.column() == EventModel::Operator ? 16 : 4), std::max(20, size.height())};
}

}  // namespace loupe::views
