// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_minimap.h"

#include <algorithm>

#include "views/common/theme.h"

namespace loupe::views {
namespace {

constexpr int kMargin = 10;  // from the edges of the canvas
constexpr int kPadding = 5;  // around the scene
constexpr double kMostStretch = 10;

}  // namespace

QRect GraphMinimap::place(const QSize& canvas, const QSizeF& scene) {
    if (canvas.width() < 280 || canvas.height() < 220 || scene.isEmpty()) return {};
    const QSizeF most(std::min(170.0, canvas.width() * 0.26), std::min(280.0, canvas.height() * 0.5));
    const double scale = std::min(most.width() / scene.width(), most.height() / scene.height());
    QSizeF size(scene.width() * scale, scene.height() * scale);
    // Not drawn as a strip of a few pixels.
    size.setWidth(std::min(std::max(size.width(), 72.0), size.width() * kMostStretch));
    size.setHeight(std::min(std::max(size.height(), 48.0), size.height() * kMostStretch));
    const QSize whole = size.toSize() + QSize(2 * kPadding, 2 * kPadding);
    return {QPoint(canvas.width() - whole.width() - kMargin, canvas.height() - whole.height() - kMargin), whole};
}

QTransform GraphMinimap::onto(const QRect& place, const QSizeF& scene) {
    const QRectF inside = QRectF(place).adjusted(kPadding, kPadding, -kPadding, -kPadding);
    return {inside.width() / scene.width(), 0, 0, inside.height() / scene.height(), inside.left(), inside.top()};
}

void GraphMinimap::paint(QPainter& painter, const QRect& place, const QSizeF& scene, const QRectF& seen,
                         const Paint& paint_scene) {
    const Theme& theme = Theme::instance();
    const double ratio = painter.device()->devicePixelRatio();
    if (picture_.size() != place.size() * ratio || picture_.devicePixelRatio() != ratio) {
        picture_ = QPixmap(place.size() * ratio);
        picture_.setDevicePixelRatio(ratio);
        picture_.fill(Qt::transparent);
        QPainter inside(&picture_);
        paint_scene(inside, onto(QRect({}, place.size()), scene));
    }
    painter.save();
    QColor back = theme.colour(Theme::Colour::Window);
    back.setAlpha(235);
    painter.setPen(QPen(theme.colour(Theme::Colour::Border), 1));
    painter.setBrush(back);
    painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.drawPixmap(place.topLeft(), picture_);
    QRectF frame = onto(place, scene).mapRect(seen.intersected(QRectF({}, scene)));
    const QPointF centre = frame.center();
    frame.setSize(frame.size().expandedTo({6, 6}));
    frame.moveCenter(centre);
    QColor glass = theme.colour(Theme::Colour::Accent);
    painter.setPen(QPen(glass, 1.5));
    glass.setAlpha(38);
    painter.setBrush(glass);
    painter.drawRect(frame.intersected(QRectF(place).adjusted(1, 1, -1, -1)));
    painter.restore();
}

}  // namespace loupe::views
