// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/attention/head_tiles.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/theme.h"

namespace loupe::views {

namespace {

constexpr int kTile = 46;
constexpr int kGap = 4;
constexpr int kLabel = 13;

}  // namespace

HeadTiles::HeadTiles(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("All heads"));
    connect(&Theme::instance(), &Theme::changed, this, [this] { viewport()->update(); });
}

void HeadTiles::setHeads(const std::vector<session::AttentionTile>& heads) {
    images_.clear();
    for (const session::AttentionTile& head : heads) {
        double greatest = 0;
        for (const float weight : head.weights)
            if (std::isfinite(weight)) greatest = std::max(greatest, static_cast<double>(weight));
        QImage image(std::max(1, head.columns), std::max(1, head.rows), QImage::Format_RGB32);
        image.fill(Qt::black);
        for (int i = 0; i < head.rows; ++i)
            for (int j = 0; j < head.columns; ++j) {
                const auto weight = static_cast<double>(head.weights[static_cast<std::size_t>(i * head.columns + j)]);
                image.setPixel(j, i, colourAt(ColourMap::Viridis, greatest > 0 ? weight / greatest : weight));
            }
        images_.push_back(std::move(image));
    }
    arrange();
}

void HeadTiles::setChosen(int head) {
    chosen_ = head;
    viewport()->update();
}

int HeadTiles::columns() const { return std::max(1, (viewport()->width() - kGap) / (kTile + kGap)); }

QRect HeadTiles::tileRect(int head) const {
    const int column = head % columns(), row = head / columns();
    return {kGap + column * (kTile + kGap), kGap + row * (kTile + kLabel + kGap) - verticalScrollBar()->value(), kTile,
            kTile + kLabel};
}

QSize HeadTiles::sizeHint() const { return {4 * (kTile + kGap), kTile + kLabel + 2 * kGap}; }

void HeadTiles::arrange() {
    const int rows = (count() + columns() - 1) / columns();
    const int all = kGap + rows * (kTile + kLabel + kGap);
    verticalScrollBar()->setRange(0, std::max(0, all - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(kTile / 2);
    viewport()->update();
}

void HeadTiles::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = Theme::instance();
    painter.fillRect(viewport()->rect(), theme.colour(Theme::Colour::Panel));
    QFont font = theme.uiFont();
    font.setPointSizeF(font.pointSizeF() * 0.8);
    painter.setFont(font);
    for (int head = 0; head < count(); ++head) {
        const QRect rect = tileRect(head);
        if (!rect.intersects(viewport()->rect())) continue;
        const QImage& image = images_[static_cast<std::size_t>(head)];
        // Fewer queries than keys make a flat picture, not a stretched one.
        QSize size = image.size().scaled(kTile, kTile, Qt::KeepAspectRatio).expandedTo({10, 10});
        const QRect inside(rect.topLeft(), size);
        painter.drawImage(inside, image);
        painter.setPen(head == chosen_ ? QPen(theme.colour(Theme::Colour::Accent), 2)
                                       : QPen(theme.colour(Theme::Colour::Border)));
        painter.drawRect(inside.adjusted(0, 0, -1, -1));
        painter.setPen(theme.colour(head == chosen_ ? Theme::Colour::Text : Theme::Colour::Faint));
        painter.drawText(QRect(rect.left(), rect.top() + kTile, kTile, kLabel), Qt::AlignCenter, QString::number(head));
    }
}

int HeadTiles::headAt(QPoint place) const {
    for (int head = 0; head < count(); ++head)
        if (tileRect(head).contains(place)) return head;
    return -1;
}

void HeadTiles::mousePressEvent(QMouseEvent* event) {
    const int head = headAt(event->position().toPoint());
    if (head >= 0) emit chosenChanged(head == chosen_ ? -1 : head);
}

void HeadTiles::resizeEvent(QResizeEvent*) { arrange(); }

bool HeadTiles::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int head = headAt(help->pos());
        if (head >= 0)
            QToolTip::showText(help->globalPos(), head == chosen_
                                                      ? tr("head %1; a click shows the mean of all").arg(head)
                                                      : tr("head %1").arg(head));
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace loupe::views
