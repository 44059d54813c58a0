// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/studies/words_table.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"

namespace loupe::views {

namespace {

constexpr int kCellWidth = 78;
constexpr int kCellHeight = 24;
constexpr int kHeader = 26;
constexpr int kWidestName = 150;

}  // namespace

WordsTable::WordsTable(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Likeliest word by layer and place"));
    viewport()->setMouseTracking(true);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        arrange();
        viewport()->update();
    });
}

void WordsTable::setWords(const session::StudyWords& words) {
    words_ = words;
    row_ = column_ = -1;
    arrange();
    viewport()->update();
}

// Without what all layers have in front: "layers.3".
QString WordsTable::nameOf(int row) const {
    const QString name = text(words_.rows[static_cast<std::size_t>(row)].name);
    const auto parts = name.split(QLatin1Char('.'));
    return parts.size() > 2 ? parts.mid(parts.size() - 2).join(QLatin1Char('.')) : name;
}

void WordsTable::arrange() {
    const QFontMetrics metrics(Theme::instance().monoFont());
    int wide = 40;
    for (int row = 0; row < rows(); ++row) wide = std::max(wide, metrics.horizontalAdvance(nameOf(row)));
    name_width_ = std::min(wide, kWidestName) + 14;
    const int width = name_width_ + columns() * kCellWidth, height = kHeader + rows() * kCellHeight;
    horizontalScrollBar()->setRange(0, std::max(0, width - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(kCellWidth);
    verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(kCellHeight);
}

// The last layer stands above: what the model says comes first.
QRect WordsTable::cellRect(int row, int column) const {
    const int line = rows() - 1 - row;
    return {name_width_ + column * kCellWidth - horizontalScrollBar()->value(),
            kHeader + line * kCellHeight - verticalScrollBar()->value(), kCellWidth, kCellHeight};
}

QPoint WordsTable::cellAt(QPoint place) const {
    if (place.x() < name_width_ || place.y() < kHeader) return {-1, -1};
    const int column = (place.x() - name_width_ + horizontalScrollBar()->value()) / kCellWidth;
    const int line = (place.y() - kHeader + verticalScrollBar()->value()) / kCellHeight;
    const int row = rows() - 1 - line;
    return column < columns() && row >= 0 ? QPoint(column, row) : QPoint(-1, -1);
}

void WordsTable::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = Theme::instance();
    painter.fillRect(viewport()->rect(), theme.colour(Theme::Colour::Panel));
    if (rows() == 0) return;
    painter.setFont(theme.monoFont());
    const QFontMetrics metrics(theme.monoFont());
    painter.setClipRect(QRect(name_width_, kHeader, viewport()->width(), viewport()->height()));
    for (int row = 0; row < rows(); ++row) {
        for (int column = 0; column < columns(); ++column) {
            const QRect rect = cellRect(row, column);
            if (!rect.intersects(viewport()->rect())) continue;
            const auto& cell = words_.cells[static_cast<std::size_t>(row * columns() + column)];
            const double probability = cell.top.empty() ? 0 : cell.top.front().probability;
            const QRgb back = colourAt(ColourMap::Viridis, cell.top.empty() ? std::nan("") : probability);
            painter.fillRect(rect.adjusted(0, 0, -1, -1), QColor(back));
            painter.setPen(readableOn(back));
            const QString word = cell.top.empty() ? tr("NaN") : visibleToken(cell.top.front().token);
            painter.drawText(rect.adjusted(5, 0, -5, 0), Qt::AlignLeft | Qt::AlignVCenter,
                             metrics.elidedText(word, Qt::ElideRight, rect.width() - 10));
        }
    }
    if (row_ >= 0) {
        painter.setPen(QPen(theme.colour(Theme::Colour::Accent), 2));
        painter.drawRect(cellRect(row_, column_).adjusted(0, 0, -2, -2));
    }
    painter.setClipping(false);
    paintHeaders(painter);
}

void WordsTable::paintHeaders(QPainter& painter) const {
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics(theme.monoFont());
    painter.setPen(theme.colour(Theme::Colour::Text));
    painter.setClipRect(QRect(name_width_, 0, viewport()->width(), kHeader));
    for (int column = 0; column < columns(); ++column) {
        const QRect cell = cellRect(0, column);
        const QRect rect(cell.left(), 0, kCellWidth, kHeader);
        const QString word = visibleToken(words_.columns[static_cast<std::size_t>(column)]);
        painter.drawText(rect.adjusted(5, 0, -5, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(word, Qt::ElideRight, kCellWidth - 10));
    }
    painter.setClipRect(QRect(0, kHeader, name_width_, viewport()->height()));
    painter.setPen(theme.colour(Theme::Colour::Faint));
    for (int row = 0; row < rows(); ++row) {
        const QRect cell = cellRect(row, 0);
        const QRect rect(0, cell.top(), name_width_, kCellHeight);
        painter.drawText(rect.adjusted(4, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(nameOf(row), Qt::ElideLeft, name_width_ - 12));
    }
    painter.setClipping(false);
}

QString WordsTable::tipOf(int row, int column) const {
    const auto& cell = words_.cells[static_cast<std::size_t>(row * columns() + column)];
    QStringList lines{tr("%1 at %2 (#%3); entropy %4 nats")
                          .arg(text(words_.rows[static_cast<std::size_t>(row)].name),
                               visibleToken(words_.columns[static_cast<std::size_t>(column)]))
                          .arg(column)
                          .arg(cell.entropy, 0, 'f', 3)};
    for (const session::TokenChoice& each : cell.top)
        lines += QStringLiteral("%1  %2").arg(percentText(each.probability), visibleToken(each.token));
    return lines.join(QLatin1Char('\n'));
}

void WordsTable::mouseMoveEvent(QMouseEvent* event) {
    const QPoint cell = cellAt(event->position().toPoint());
    emit hovered(cell.x() < 0 ? QString()
                              : tipOf(cell.y(), cell.x()).replace(QLatin1Char('\n'), QStringLiteral("   ")));
}

void WordsTable::mousePressEvent(QMouseEvent* event) {
    const QPoint cell = cellAt(event->position().toPoint());
    if (cell.x() >= 0) choose(cell.y(), cell.x());
}

void WordsTable::choose(int row, int column) {
    row_ = row;
    column_ = column;
    viewport()->update();
    emit hovered(tipOf(row, column).replace(QLatin1Char('\n'), QStringLiteral("   ")));
    emit clicked(row, column);
}

void WordsTable::keyPressEvent(QKeyEvent* event) {
    const auto step = [&](int down, int right) {
        if (rows() == 0) return;
        choose(std::clamp(row_ < 0 ? rows() - 1 : row_ - down, 0, rows() - 1),
               std::clamp(column_ < 0 ? columns() - 1 : column_ + right, 0, columns() - 1));
    };
    switch (event->key()) {
        case Qt::Key_Up:
            return step(-1, 0);
        case Qt::Key_Down:
            return step(1, 0);
        case Qt::Key_Left:
            return step(0, -1);
        case Qt::Key_Right:
            return step(0, 1);
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

bool WordsTable::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QPoint cell = cellAt(help->pos());
        if (cell.x() >= 0)
            QToolTip::showText(help->globalPos(), tipOf(cell.y(), cell.x()));
        else
            QToolTip::hideText();
        return true;
    }
    if (event->type() == QEvent::Leave) emit hovered({});
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace loupe::views
