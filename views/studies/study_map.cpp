// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/studies/study_map.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/study/studies/study_picture.h"
#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

namespace {

constexpr int kMargin = 10;
constexpr int kBar = 12;
constexpr int kBarText = 74;
constexpr int kLeastSmooth = 64;  // larger maps are drawn smoothly

}  // namespace

QImage imageOf(const session::StudyPicture& picture) {
    if (picture.rows <= 0 || picture.columns <= 0) return {};
    QImage image(static_cast<int>(picture.columns), static_cast<int>(picture.rows), QImage::Format_RGB32);
    for (int i = 0; i < image.height(); ++i) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(i));
        const std::uint8_t* from = picture.rgb.data() + static_cast<std::ptrdiff_t>(i) * image.width() * 3;
        for (int j = 0; j < image.width(); ++j, from += 3) line[j] = qRgb(from[0], from[1], from[2]);
    }
    return image;
}

StudyMapPicture::StudyMapPicture(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setAccessibleName(tr("Map over the input"));
    setMinimumSize(120, 100);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void StudyMapPicture::setMap(const session::StudyMap& map) {
    map_ = map;
    full_ = session::full_colour_of(map_);
    makeImage();
}

void StudyMapPicture::setStrength(double strength) {
    strength_ = strength;
    makeImage();
}

void StudyMapPicture::makeImage() {
    image_ = map_.values.empty() ? QImage() : imageOf(session::picture_of(map_, strength_));
    update();
}

QRectF StudyMapPicture::area() const {
    if (image_.isNull()) return {};
    const QRectF room = QRectF(rect()).adjusted(kMargin, kMargin, -(2 * kMargin + kBar + kBarText), -kMargin);
    // Of a few elements not over the whole panel.
    const QSizeF most = QSizeF(image_.size()) * 64;
    const QSizeF size = QSizeF(image_.size()).scaled(room.size().boundedTo(most), Qt::KeepAspectRatio);
    return {room.topLeft() + QPointF((room.width() - size.width()) / 2, (room.height() - size.height()) / 2), size};
}

void StudyMapPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::instance();
    painter.fillRect(rect(), theme.colour(Theme::Colour::Panel));
    const QRectF place = area();
    if (place.isEmpty()) return;
    painter.setRenderHint(QPainter::SmoothPixmapTransform, std::max(image_.width(), image_.height()) >= kLeastSmooth);
    painter.drawImage(place, image_);
    painter.setPen(theme.colour(Theme::Colour::Border));
    painter.drawRect(place);
    paintScale(painter, place);
}

void StudyMapPicture::paintScale(QPainter& painter, const QRectF& area) const {
    const Theme& theme = Theme::instance();
    const double height = std::min(area.height(), 220.0);
    const QRectF bar(area.right() + kMargin, area.center().y() - height / 2, kBar, height);
    for (int i = 0; i < static_cast<int>(height); ++i) {
        const double share = 1 - i / height;
        painter.fillRect(QRectF(bar.left(), bar.top() + i, kBar, 1.5),
                         QColor(colourAt(map_.is_signed ? ColourMap::Diverging : ColourMap::Viridis, share)));
    }
    painter.setPen(theme.colour(Theme::Colour::Border));
    painter.drawRect(bar);
    painter.setPen(theme.colour(Theme::Colour::Faint));
    painter.setFont(theme.monoFont());
    const auto label = [&](double y, const QString& words) {
        painter.drawText(QRectF(bar.right() + 5, y - 9, kBarText, 18), Qt::AlignLeft | Qt::AlignVCenter, words);
    };
    label(bar.top() + 5, numberText(full_));
    label(bar.bottom() - 5, map_.is_signed ? numberText(-full_) : QStringLiteral("0"));
    if (map_.is_signed) label(bar.center().y(), QStringLiteral("0"));
}

void StudyMapPicture::mouseMoveEvent(QMouseEvent* event) {
    const QRectF place = area();
    if (!place.contains(event->position())) {
        emit hovered({});
        return;
    }
    const auto part = [](double at, double from, double size, std::int64_t count) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>((at - from) / size * static_cast<double>(count)), 0,
                                        count - 1);
    };
    const std::int64_t row = part(event->position().y(), place.top(), place.height(), map_.rows);
    const std::int64_t column = part(event->position().x(), place.left(), place.width(), map_.columns);
    const float value = map_.values[static_cast<std::size_t>(row * map_.columns + column)];
    emit hovered(tr("[%1, %2]: %3").arg(row).arg(column).arg(static_cast<double>(value), 0, 'g', 5));
}

void StudyMapPicture::leaveEvent(QEvent*) { emit hovered({}); }

}  // namespace loupe::views
