// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/attention/attention_picture.h"

#include <QKeyEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"

namespace loupe::views {

namespace {

constexpr int kWidestLabel = 110;
constexpr int kMargin = 6;
constexpr int kScaleHeight = 22;
constexpr double kGreatestCell = 34;
constexpr int kFewRows = 4;

QFont labelFont() {
    QFont font = Theme::instance().monoFont();
    font.setPointSizeF(font.pointSizeF() * 0.9);
    return font;
}

}  // namespace

QString attentionText(const session::AttentionMap& map, int row, int column) {
    const auto& tile = map.map;
    if (row < 0 || column < 0 || row >= tile.rows || column >= tile.columns) return {};
    const auto name = [](const std::vector<session::TokenInfo>& tokens, int place) {
        const bool isKnown =
            place < static_cast<int>(tokens.size()) && !tokens[static_cast<std::size_t>(place)].text.empty();
        return isKnown
                   ? QStringLiteral("%1 (#%2)").arg(visibleToken(tokens[static_cast<std::size_t>(place)])).arg(place)
                   : QStringLiteral("#%1").arg(place);
    };
    const float weight = tile.weights[static_cast<std::size_t>(row) * static_cast<std::size_t>(tile.columns) +
                                      static_cast<std::size_t>(column)];
    const bool isThinned = tile.row_step > 1 || tile.column_step > 1;
    return QObject::tr("%1 attends to %2: %3%4")
        .arg(
            name(map.query_tokens, row * tile.row_step), name(map.key_tokens, column * tile.column_step),
            QString::number(static_cast<double>(weight), 'g', 5),
            isThinned ? QObject::tr(", the greatest of %1 by %2").arg(tile.row_step).arg(tile.column_step) : QString());
}

AttentionPicture::AttentionPicture(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Attention weights, by query and key"));
    setMinimumSize(80, 80);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        measure();
        update();
    });
}

void AttentionPicture::setMap(const session::AttentionMap& map) {
    const bool isOther = map.map.rows != map_.map.rows || map.map.columns != map_.map.columns;
    map_ = map;
    if (isOther) {
        row_ = column_ = -1;
        zoom_ = 1;
        pan_ = {};
    }
    greatest_ = 0;
    for (const float weight : map_.map.weights)
        if (std::isfinite(weight)) greatest_ = std::max(greatest_, static_cast<double>(weight));
    image_ = QImage(std::max(1, map_.map.columns), std::max(1, map_.map.rows), QImage::Format_RGB32);
    for (int i = 0; i < map_.map.rows; ++i) {
        auto* line = reinterpret_cast<QRgb*>(image_.scanLine(i));
        const float* weights = map_.map.weights.data() + static_cast<std::ptrdiff_t>(i) * map_.map.columns;
        for (int j = 0; j < map_.map.columns; ++j)
            line[j] = colourAt(ColourMap::Viridis, greatest_ > 0 ? static_cast<double>(weights[j]) / greatest_
                                                                 : static_cast<double>(weights[j]));
    }
    measure();
    update();
}

void AttentionPicture::measure() {
    const QFontMetrics metrics(labelFont());
    const auto widest = [&](const std::vector<session::TokenInfo>& tokens, int count, int step) {
        int wide = metrics.horizontalAdvance(QString::number(std::max(0, count * step - 1)));
        for (int i = 0; i < count; ++i) wide = std::max(wide, metrics.horizontalAdvance(labelOf(tokens, i, step)));
        return std::min(wide, kWidestLabel) + 8;
    };
    row_label_ = widest(map_.query_tokens, map_.map.rows, map_.map.row_step);
    column_label_ = widest(map_.key_tokens, map_.map.columns, map_.map.column_step);
}

QString AttentionPicture::labelOf(const std::vector<session::TokenInfo>& tokens, int place, int step) const {
    const auto at = static_cast<std::size_t>(place) * static_cast<std::size_t>(step);
    if (at >= tokens.size() || tokens[at].text.empty()) return QString::number(at);
    return visibleToken(tokens[at]);
}

void AttentionPicture::setMarked(int row, int column) {
    row_ = row;
    column_ = column;
    update();
}

void AttentionPicture::fit() {
    zoom_ = 1;
    pan_ = {};
    update();
}

// Square cells, as large as there is room for, beside their labels; those of a few queries are higher than wide.
QRectF AttentionPicture::area() const {
    const double wide = std::max(10, width() - row_label_ - 2 * kMargin);
    const double tall = std::max(10, height() - column_label_ - kScaleHeight - 2 * kMargin);
    const double across = wide / std::max(1, map_.map.columns), down = tall / std::max(1, map_.map.rows);
    const double cell = std::min({across, down, kGreatestCell});
    const double high = map_.map.rows <= kFewRows ? std::min(down, kGreatestCell) : cell;
    return {kMargin + row_label_ + pan_.x(), kMargin + column_label_ + pan_.y(), cell * zoom_ * map_.map.columns,
            high * zoom_ * map_.map.rows};
}

QRectF AttentionPicture::cellRect(int row, int column) const {
    const QRectF all = area();
    const double wide = all.width() / std::max(1, map_.map.columns), high = all.height() / std::max(1, map_.map.rows);
    return {all.left() + column * wide, all.top() + row * high, wide, high};
}

std::pair<int, int> AttentionPicture::cellAt(QPointF place) const {
    const QRectF all = area();
    const QRectF seen(kMargin + row_label_, kMargin + column_label_, width(), height() - kScaleHeight);
    if (!all.contains(place) || !seen.contains(place) || map_.map.columns == 0) return {-1, -1};
    const double wide = all.width() / map_.map.columns, high = all.height() / std::max(1, map_.map.rows);
    return {std::min(static_cast<int>((place.y() - all.top()) / high), map_.map.rows - 1),
            std::min(static_cast<int>((place.x() - all.left()) / wide), map_.map.columns - 1)};
}

void AttentionPicture::paintLabels(QPainter& painter) const {
    const QRectF all = area();
    const double cell = all.width() / std::max(1, map_.map.columns);
    const double high = all.height() / std::max(1, map_.map.rows);
    const QFontMetrics metrics(labelFont());
    painter.setFont(labelFont());
    const Theme& theme = Theme::instance();
    // Where cells are narrower than a line, one label for several.
    const auto everyFor = [&](double size) {
        return std::max(1, static_cast<int>(std::ceil(metrics.height() * 0.95 / std::max(size, 0.01))));
    };
    const int every = everyFor(cell), everyRow = everyFor(high);
    const auto ink = [&](bool isMarked) {
        return theme.colour(isMarked ? Theme::Colour::Accent : Theme::Colour::Text);
    };
    painter.save();
    painter.setClipRect(
        QRectF(0, kMargin + column_label_, row_label_ + kMargin, height() - column_label_ - kScaleHeight - kMargin));
    for (int i = 0; i < map_.map.rows; ++i) {
        if (i % everyRow != 0 && i != row_) continue;
        painter.setPen(ink(i == row_));
        const QRectF place(kMargin, all.top() + i * high + high / 2 - metrics.height() / 2.0, row_label_ - 5,
                           metrics.height());
        painter.drawText(
            place, Qt::AlignRight | Qt::AlignVCenter,
            metrics.elidedText(labelOf(map_.query_tokens, i, map_.map.row_step), Qt::ElideRight, row_label_ - 5));
    }
    painter.restore();
    painter.save();
    painter.setClipRect(QRectF(kMargin + row_label_, 0, width(), column_label_ + kMargin));
    for (int j = 0; j < map_.map.columns; ++j) {
        if (j % every != 0 && j != column_) continue;
        painter.setPen(ink(j == column_));
        painter.save();
        painter.translate(all.left() + j * cell + cell / 2, kMargin + column_label_ - 4);
        painter.rotate(-90);
        painter.drawText(
            QRectF(0, -metrics.height() / 2.0, column_label_, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter,
            metrics.elidedText(labelOf(map_.key_tokens, j, map_.map.column_step), Qt::ElideRight, column_label_ - 4));
        painter.restore();
    }
    painter.restore();
}

void AttentionPicture::paintScale(QPainter& painter) const {
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics(theme.uiFont());
    painter.setFont(theme.uiFont());
    painter.setPen(theme.colour(Theme::Colour::Faint));
    const int y = height() - kScaleHeight;
    const QString low = QStringLiteral("0"), high = QString::number(greatest_, 'g', 3);
    const int x = kMargin + row_label_;
    painter.drawText(QRect(x, y, 20, kScaleHeight), Qt::AlignLeft | Qt::AlignVCenter, low);
    const int left = x + metrics.horizontalAdvance(low) + 6;
    const int wide = std::clamp(width() - left - metrics.horizontalAdvance(high) - 2 * kMargin - 6, 10, 140);
    for (int i = 0; i < wide; ++i)
        painter.fillRect(left + i, y + kScaleHeight / 2 - 4, 1, 8,
                         QColor::fromRgb(colourAt(ColourMap::Viridis, i / static_cast<double>(wide))));
    painter.drawText(QRect(left + wide + 6, y, 200, kScaleHeight), Qt::AlignLeft | Qt::AlignVCenter, high);
}

void AttentionPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::instance();
    painter.fillRect(rect(), theme.colour(Theme::Colour::Panel));
    if (map_.map.weights.empty()) return;
    painter.save();
    painter.setClipRect(QRectF(kMargin + row_label_, kMargin + column_label_, width(),
                               height() - column_label_ - kScaleHeight - kMargin));
    const QRectF all = area();
    painter.drawImage(all, image_);
    painter.setPen(theme.colour(Theme::Colour::Border));
    painter.drawRect(all);
    painter.setPen(QPen(theme.colour(Theme::Colour::Accent), 1.5));
    if (row_ >= 0)
        painter.drawRect(QRectF(all.left(), cellRect(row_, 0).top(), all.width(), cellRect(row_, 0).height()));
    if (column_ >= 0)
        painter.drawRect(QRectF(cellRect(0, column_).left(), all.top(), cellRect(0, column_).width(), all.height()));
    painter.restore();
    paintLabels(painter);
    paintScale(painter);
}

void AttentionPicture::keepInside() {
    const QRectF all = area();
    const double wide = width() - row_label_ - 2.0 * kMargin,
                 tall = height() - column_label_ - kScaleHeight - 2.0 * kMargin;
    pan_.setX(std::clamp(pan_.x(), std::min(0.0, wide - all.width()), 0.0));
    pan_.setY(std::clamp(pan_.y(), std::min(0.0, tall - all.height()), 0.0));
}

void AttentionPicture::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton) && zoom_ > 1) {
        const QPointF pan = event->position() - drag_from_;
        was_dragged_ = was_dragged_ || (pan - pan_).manhattanLength() > 3;
        if (was_dragged_) {
            pan_ = pan;
            keepInside();
            update();
        }
    }
    const auto [row, column] = cellAt(event->position());
    emit hovered(row < 0 ? QString() : attentionText(map_, row, column));
}

void AttentionPicture::mousePressEvent(QMouseEvent* event) {
    drag_from_ = event->position() - pan_;
    was_dragged_ = false;
}

void AttentionPicture::mouseReleaseEvent(QMouseEvent* event) {
    if (was_dragged_) return;
    const auto [row, column] = cellAt(event->position());
    if (row >= 0) emit clicked(row, column);
}

void AttentionPicture::wheelEvent(QWheelEvent* event) {
    const QRectF before = area();
    const QPointF inside((event->position().x() - before.left()) / std::max(before.width(), 1.0),
                         (event->position().y() - before.top()) / std::max(before.height(), 1.0));
    zoom_ = std::clamp(zoom_ * std::pow(1.0015, event->angleDelta().y()), 1.0, 60.0);
    const QRectF after = area();
    pan_ += event->position() -
            QPointF(after.left() + inside.x() * after.width(), after.top() + inside.y() * after.height());
    keepInside();
    update();
    event->accept();
}

void AttentionPicture::keyPressEvent(QKeyEvent* event) {
    const auto go = [&](int rows, int columns) {
        const int row = std::clamp(std::max(0, row_) + rows, 0, std::max(0, map_.map.rows - 1));
        const int column = std::clamp(std::max(0, column_) + columns, 0, std::max(0, map_.map.columns - 1));
        emit clicked(row, column);
        emit hovered(attentionText(map_, row, column));
    };
    switch (event->key()) {
        case Qt::Key_Up:
            return go(-1, 0);
        case Qt::Key_Down:
            return go(1, 0);
        case Qt::Key_Left:
            return go(0, -1);
        case Qt::Key_Right:
            return go(0, 1);
        default:
            return QWidget::keyPressEvent(event);
    }
}

void AttentionPicture::leaveEvent(QEvent*) { emit hovered({}); }
void AttentionPicture::resizeEvent(QResizeEvent*) { keepInside(); }

}  // namespace loupe::views
