// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/inputs/drawing_pad.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/common/theme.h"

namespace loupe::views {

namespace {

double distance(QPointF at, QPointF from, QPointF to) {
    const QPointF along = to - from;
    const double length = QPointF::dotProduct(along, along);
    const double t = length > 0 ? std::clamp(QPointF::dotProduct(at - from, along) / length, 0.0, 1.0) : 0.0;
    const QPointF away = at - (from + t * along);
    return std::hypot(away.x(), away.y());
}

}  // namespace

DrawingPad::DrawingPad(QWidget* parent) : QWidget(parent) {
    setFixedSize(kSide, kSide);
    setAccessibleName(tr("Picture of the input"));
}

void DrawingPad::setPicture(Picture picture) {
    if (drawing_) return;
    picture_ = std::move(picture);
    low_ = 0;
    high_ = 1;
    if (!picture_.isEmpty()) {
        const auto [least, most] = std::minmax_element(picture_.elements.begin(), picture_.elements.end());
        low_ = std::isfinite(*least) ? *least : 0;
        high_ = std::isfinite(*most) && *most > low_ ? *most : low_ + 1;
    }
    render();
}

void DrawingPad::setDrawable(bool drawable) {
    drawable_ = drawable;
    setCursor(drawable ? Qt::CrossCursor : Qt::ArrowCursor);
    setToolTip(drawable ? tr("Draw here and the model runs on it; the right button rubs out")
                        : tr("The input as a picture"));
}

void DrawingPad::clear() {
    // Paper is as dark as an empty picture, ink as bright as what was there before.
    std::fill(picture_.elements.begin(), picture_.elements.end(), std::min(low_, 0.0));
    low_ = std::min(low_, 0.0);
    if (!(high_ > low_)) high_ = low_ + 1;
    render();
    emit drawn();
}

void DrawingPad::render() {
    image_ = {};
    if (!picture_.isEmpty()) {
        image_ = QImage(picture_.columns, picture_.rows, QImage::Format_RGB32);
        const auto plane = static_cast<std::size_t>(picture_.rows) * static_cast<std::size_t>(picture_.columns);
        for (int row = 0; row < picture_.rows; ++row) {
            for (int column = 0; column < picture_.columns; ++column) {
                const auto at = static_cast<std::size_t>(row) * static_cast<std::size_t>(picture_.columns) +
                                static_cast<std::size_t>(column);
                const auto level = [&](std::size_t channel) {
                    const double value = picture_.elements[(picture_.channels == 3 ? channel * plane : 0) + at];
                    return static_cast<int>(std::clamp((value - low_) / (high_ - low_), 0.0, 1.0) * 255);
                };
                image_.setPixel(column, row, qRgb(level(0), level(1), level(2)));
            }
        }
    }
    update();
}

QRectF DrawingPad::pictureRect() const {
    if (image_.isNull()) return rect();
    const QSizeF size = QSizeF(image_.size()).scaled(QSizeF(this->size()), Qt::KeepAspectRatio);
    return QRectF(QPointF((width() - size.width()) / 2, (height() - size.height()) / 2), size);
}

void DrawingPad::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::instance();
    if (image_.isNull()) {
        painter.setPen(theme.colour(Theme::Colour::Border));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
        return;
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform, image_.width() > width());
    painter.drawImage(pictureRect(), image_);
    painter.setPen(theme.colour(drawable_ && underMouse() ? Theme::Colour::Accent : Theme::Colour::Border));
    painter.drawRect(pictureRect().adjusted(0, 0, -1, -1));
}

// Ink fades towards the rim of the stroke, as a scan of a pen's line does.
void DrawingPad::stroke(QPointF from, QPointF to, bool erase) {
    const QRectF area = pictureRect();
    const double scale = picture_.columns / area.width();
    const QPointF a = (from - area.topLeft()) * scale;
    const QPointF b = (to - area.topLeft()) * scale;
    const double radius = std::max(0.55, picture_.columns / 18.0) * (erase ? 2.2 : 1);
    const auto plane = static_cast<std::size_t>(picture_.rows) * static_cast<std::size_t>(picture_.columns);
    for (int row = 0; row < picture_.rows; ++row) {
        for (int column = 0; column < picture_.columns; ++column) {
            const double ink = std::clamp(radius + 0.5 - distance({column + 0.5, row + 0.5}, a, b), 0.0, 1.0);
            if (ink <= 0) continue;
            for (int channel = 0; channel < picture_.channels; ++channel) {
                double& value = picture_.elements[static_cast<std::size_t>(channel) * plane +
                                                  static_cast<std::size_t>(row * picture_.columns + column)];
                const double inked = low_ + ink * (high_ - low_);
                value = erase ? std::min(value, high_ - ink * (high_ - low_)) : std::max(value, inked);
            }
        }
    }
    render();
}

void DrawingPad::mousePressEvent(QMouseEvent* event) {
    if (!drawable_ || picture_.isEmpty() || (event->button() != Qt::LeftButton && event->button() != Qt::RightButton))
        return;
    drawing_ = true;
    last_ = event->position();
    stroke(last_, last_, event->button() == Qt::RightButton);
}

void DrawingPad::mouseMoveEvent(QMouseEvent* event) {
    if (!drawing_) return;
    stroke(last_, event->position(), event->buttons().testFlag(Qt::RightButton));
    last_ = event->position();
}

void DrawingPad::mouseReleaseEvent(QMouseEvent*) {
    if (!drawing_) return;
    drawing_ = false;
    emit drawn();
}

}  // namespace loupe::views
