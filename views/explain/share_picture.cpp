// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explain/share_picture.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

constexpr int kMargin = 8;
constexpr int kLabel = 15;

QImage imageOf(const session::ShareGroup& group, const std::vector<double>& cells, ColourMap map, double low,
               double high) {
    const auto count = static_cast<std::size_t>(group.rows) * static_cast<std::size_t>(group.columns);
    if (count == 0 || cells.size() < count) return {};
    QImage image(group.columns, group.rows, QImage::Format_RGB32);
    for (int row = 0; row < group.rows; ++row) {
        for (int column = 0; column < group.columns; ++column) {
            const double value = cells[static_cast<std::size_t>(row * group.columns + column)];
            const double t = high > low ? (value - low) / (high - low) : 0.5;
            image.setPixel(column, row, colourAt(map, std::isinf(value) ? 1.0 : t));
        }
    }
    return image;
}

}  // namespace

QImage shareImage(const session::ShareGroup& group) {
    double greatest = 0;
    for (const double share : group.shares)
        if (std::isfinite(share)) greatest = std::max(greatest, std::abs(share));
    return imageOf(group, group.shares, ColourMap::Diverging, -greatest, greatest);
}

QImage elementImage(const session::ShareGroup& group) {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (const double element : group.elements) {
        if (!std::isfinite(element)) continue;
        low = std::min(low, element);
        high = std::max(high, element);
    }
    return imageOf(group, group.elements, ColourMap::Grey, low, high);
}

SharePicture::SharePicture(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setMinimumHeight(90);
    setAccessibleName(tr("The elements that the number was made of, and their shares"));
}

void SharePicture::setGroup(const session::ShareGroup& group) {
    group_ = group;
    shares_ = shareImage(group);
    elements_ = elementImage(group);
    update();
}

// 0: the elements, 1: the shares; side by side, in the proportions of the box.
QRectF SharePicture::place(int picture) const {
    if (shares_.isNull()) return {};
    const double wide = (width() - 3.0 * kMargin) / 2;
    const double high = height() - 2.0 * kMargin - kLabel;
    // A row or column is drawn as a band that can be seen.
    const double pixel = std::min(wide / shares_.width(), high / shares_.height());
    const QSizeF size(std::min(wide, std::max(shares_.width() * pixel, 10.0)),
                      std::min(high, std::max(shares_.height() * pixel, 14.0)));
    return {QPointF(kMargin + picture * (wide + kMargin), kMargin + kLabel), size};
}

void SharePicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::instance();
    painter.fillRect(rect(), theme.colour(Theme::Colour::Panel));
    if (shares_.isNull()) return;
    painter.setFont(theme.monoFont());
    for (int i = 0; i < 2; ++i) {
        const QRectF at = place(i);
        painter.drawImage(at, i == 0 ? elements_ : shares_);
        painter.setPen(theme.colour(Theme::Colour::Border));
        painter.drawRect(at.adjusted(-0.5, -0.5, 0.5, 0.5));
        painter.setPen(theme.colour(Theme::Colour::Faint));
        painter.drawText(QRectF(at.left(), kMargin - 2, width() / 2.0 - kMargin, kLabel),
                         Qt::AlignLeft | Qt::AlignVCenter, i == 0 ? tr("elements") : tr("shares"));
    }
}

void SharePicture::mouseMoveEvent(QMouseEvent* event) {
    for (int i = 0; i < 2; ++i) {
        const QRectF at = place(i);
        if (shares_.isNull() || !at.contains(event->position())) continue;
        const QPointF inside = event->position() - at.topLeft();
        const int row = std::clamp(static_cast<int>(inside.y() / at.height() * group_.rows), 0, group_.rows - 1);
        const int column =
            std::clamp(static_cast<int>(inside.x() / at.width() * group_.columns), 0, group_.columns - 1);
        // Leading dimensions are added up: they are ranges.
        QStringList index;
        const auto dims = static_cast<int>(group_.from.size());
        for (int d = 0; d < dims; ++d) {
            const auto from = group_.from[static_cast<std::size_t>(d)];
            const auto to = group_.to[static_cast<std::size_t>(d)];
            const int cells = d == dims - 1 ? group_.columns : group_.rows;
            const int cell = d == dims - 1 ? column : row;
            const bool isDrawn = d >= dims - 2;
            const auto first = isDrawn ? from + cell * (to - from) / cells : from;
            const auto last = isDrawn ? from + (cell + 1) * (to - from) / cells : to;
            index += last - first <= 1 ? QString::number(first) : QStringLiteral("%1:%2").arg(first).arg(last);
        }
        const auto place = static_cast<std::size_t>(row * group_.columns + column);
        emit hovered(tr("[%1]  element %2  share %3")
                         .arg(index.join(QStringLiteral(", ")), numberText(group_.elements[place]),
                              numberText(group_.shares[place])));
        return;
    }
    emit hovered({});
}

void SharePicture::leaveEvent(QEvent*) { emit hovered({}); }

}  // namespace loupe::views
