// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/snapshot_bands.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

using C = Theme::Colour;

constexpr int kLeft = 72;
constexpr int kBelow = 22;
constexpr int kAbove = 16;
constexpr int kBandFrames = 6;

QColor tone(C role) { return Theme::instance().colour(role); }

double niceBytes(double wanted) { return std::exp2(std::ceil(std::log2(std::max(1.0, wanted)))); }

}  // namespace

QStringList blockLines(const session::StudiedSnapshot& studied, const session::SnapshotHistory& history,
                       std::uint32_t number, int frames) {
    const MemorySnapshot& snapshot = studied.snapshot;
    const session::HeldBlock& block = history.blocks[number];
    QStringList lines{
        QObject::tr("%1 at 0x%2").arg(bytesText(static_cast<double>(block.size))).arg(block.address, 0, 16)};
    const QString from = block.from == 0 ? QObject::tr("there before the first entry")
                                         : QObject::tr("from entry %1").arg(countText(block.from));
    const QString to =
        block.to >= history.steps() ? QObject::tr("never freed") : QObject::tr("to %1").arg(countText(block.to));
    lines << QStringLiteral("%1, %2").arg(from, to);
    if (block.stream != 0) lines.last() += QObject::tr(", stream %1").arg(block.stream);
    const auto stack = snapshot.frames_of(block.stack);
    for (std::size_t i = 0; i < std::min<std::size_t>(stack.size(), static_cast<std::size_t>(frames)); ++i)
        lines << text(frame_text(snapshot, stack[i]));
    if (stack.empty()) lines << QObject::tr("no stack was recorded");
    if (stack.size() > static_cast<std::size_t>(frames))
        lines << QObject::tr("\u2026 and %1").arg(counted(static_cast<std::int64_t>(stack.size()) - frames, "frame"));
    return lines;
}

SnapshotBands::SnapshotBands(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Active memory over the entries of the snapshot"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(160, 80);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        picture_.forgetColours();
        drawn_ = {};
        update();
    });
}

void SnapshotBands::setHistory(const SnapshotPtr& snapshot, const session::SnapshotHistory* history) {
    snapshot_ = snapshot;
    history_ = history;
    picture_ = history != nullptr ? BandPicture(snapshot, history) : BandPicture();
    pinned_ = hovered_ = BandPicture::kNone;
    pinned_step_ = history != nullptr ? history->peak : 0;
    drawn_ = {};
    fit();
}

void SnapshotBands::fit() {
    range_ = {};
    if (history_ != nullptr) {
        range_.to = std::max(1.0, static_cast<double>(history_->steps()));
        const auto peak = static_cast<double>(history_->peak_bytes());
        const auto reserved = static_cast<double>(*std::ranges::max_element(history_->reserved));
        range_.top = std::max(1.0, std::max(peak * 1.08, std::min(reserved * 1.04, peak * 1.5)));
    }
    update();
}

void SnapshotBands::setRange(const BandRange& range) {
    if (history_ == nullptr) return;
    const double all = std::max(1.0, static_cast<double>(history_->steps()));
    const double span = std::clamp(range.to - range.from, 4.0, std::max(4.0, all));
    range_.from = std::clamp(range.from, 0.0, std::max(0.0, all - span));
    range_.to = range_.from + span;
    range_.bottom = std::max(0.0, range.bottom);
    range_.top = std::max(range_.bottom + 64, range.top);
    update();
}

void SnapshotBands::pin(std::uint32_t step, std::uint32_t block) {
    pinned_step_ = step;
    pinned_ = block;
    update();
    emit pinned(step, block);
}

QRect SnapshotBands::area() const { return rect().adjusted(kLeft, kAbove, -8, -kBelow); }
QSize SnapshotBands::pixels() const { return area().size() * devicePixelRatioF(); }
double SnapshotBands::stepAt(double x) const {
    return range_.from + (x - area().left()) / std::max(1, area().width()) * (range_.to - range_.from);
}
double SnapshotBands::xOf(double step) const {
    return area().left() + (step - range_.from) / (range_.to - range_.from) * area().width();
}
double SnapshotBands::yOf(double bytes) const {
    return area().bottom() + 1 - (bytes - range_.bottom) / (range_.top - range_.bottom) * area().height();
}

std::uint32_t SnapshotBands::blockAt(const QPointF& at) const {
    const QPointF in = (at - area().topLeft()) * devicePixelRatioF();
    return picture_.blockAt(range_, pixels(), in.toPoint());
}

// --- drawing

void SnapshotBands::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tone(C::Panel));
    if (history_ == nullptr) return;
    QFont font = Theme::instance().uiFont();
    font.setPixelSize(11);
    painter.setFont(font);
    const std::uint32_t lit = hovered_ != BandPicture::kNone ? hovered_ : pinned_;
    if (drawn_.size() != pixels() || drawn_range_ != range_ || drawn_lit_ != lit) {
        drawn_ = picture_.draw(range_, pixels(), lit);
        drawn_range_ = range_;
        drawn_lit_ = lit;
    }
    painter.drawImage(area(), drawn_);
    drawReserved(painter);
    drawAxes(painter);
    drawMarks(painter);
    drawTip(painter);
}

void SnapshotBands::drawAxes(QPainter& painter) {
    const QFontMetrics metrics = painter.fontMetrics();
    painter.setPen(tone(C::Border));
    painter.drawLine(area().left() - 1, area().top(), area().left() - 1, area().bottom());
    painter.drawLine(area().left() - 1, area().bottom() + 1, area().right(), area().bottom() + 1);
    painter.setPen(tone(C::Faint));
    const double bytes = niceBytes((range_.top - range_.bottom) * 36 / std::max(1, area().height()));
    for (double at = std::ceil(range_.bottom / bytes) * bytes; at <= range_.top; at += bytes) {
        const int y = static_cast<int>(yOf(at));
        const QString label = at == 0 ? QStringLiteral("0") : bytesText(at);
        painter.drawText(area().left() - 6 - metrics.horizontalAdvance(label), y + metrics.ascent() / 2 - 1, label);
    }
    const double wanted = (range_.to - range_.from) * 110 / std::max(1, area().width());
    double step = std::pow(10.0, std::ceil(std::log10(std::max(1.0, wanted))));
    if (step / 5 >= wanted && step >= 5) step /= 5;
    if (step / 2 >= wanted && step >= 2) step /= 2;
    for (double at = std::ceil(range_.from / step) * step; at < range_.to; at += step) {
        const double x = xOf(at);
        const QString label = countText(static_cast<std::int64_t>(at));
        if (x + metrics.horizontalAdvance(label) > area().right()) break;
        painter.drawLine(QPointF(x, area().bottom() + 1), QPointF(x, area().bottom() + 4));
        painter.drawText(QPointF(x + 3, area().bottom() + 5 + metrics.ascent()), label);
    }
}

void SnapshotBands::drawReserved(QPainter& painter) {
    painter.setPen(QPen(tone(C::Text), 1, Qt::DotLine));
    QPolygonF line;
    const double last = history_->steps() - 1;
    for (int x = area().left(); x <= area().right(); x += 2) {
        const double step = stepAt(x);
        if (step < 0 || step > last) continue;
        const auto bytes = static_cast<double>(history_->reserved[static_cast<std::size_t>(step)]);
        if (bytes > 0) line << QPointF(x, std::max<double>(area().top(), yOf(bytes)));
    }
    if (line.size() > 1 && line.front().y() > area().top()) painter.drawPolyline(line);
}

void SnapshotBands::drawMarks(QPainter& painter) {
    const QFontMetrics metrics = painter.fontMetrics();
    std::vector<QRectF> taken;
    const auto mark = [&](std::uint32_t step, const QColor& colour, const QString& label) {
        const double x = xOf(step + 0.5);
        if (x < area().left() || x > area().right()) return;
        painter.setPen(QPen(colour, 1.5));
        painter.drawLine(QPointF(x, kAbove - 2), QPointF(x, area().bottom()));
        const int wide = metrics.horizontalAdvance(label);
        const double left = x + 4 + wide > area().right() ? x - 4 - wide : x + 4;
        QRectF place(left, 1, wide, metrics.height());
        while (std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(place); }))
            place.translate(0, metrics.height());
        if (place.bottom() > area().bottom()) return;
        taken.push_back(place);
        painter.drawText(QPointF(left, place.top() + metrics.ascent()), label);
    };
    mark(history_->peak, tone(C::Warning), tr("peak %1").arg(bytesText(static_cast<double>(history_->peak_bytes()))));
    constexpr std::size_t kMostMarks = 50;
    for (std::size_t i = 0; i < std::min(kMostMarks, history_->out_of_memory.size()); ++i) {
        const std::uint32_t step = history_->out_of_memory[i];
        const SnapshotEntry& entry = snapshot_->snapshot.devices[history_->device].entries[step - 1];
        mark(step, tone(C::Bad), tr("out of memory: %1").arg(bytesText(static_cast<double>(entry.size))));
    }
    if (pinned_step_ != history_->peak) mark(pinned_step_, tone(C::Accent), tr("here"));
}

QStringList SnapshotBands::tipLines(std::uint32_t block, std::uint32_t step) const {
    const QString sum = tr("%1 active, %2 reserved")
                            .arg(bytesText(static_cast<double>(history_->active[step])),
                                 bytesText(static_cast<double>(history_->reserved[step])));
    if (block == BandPicture::kSmall) return {tr("blocks too small for this picture: zoom in"), sum};
    if (block == BandPicture::kNone) return {};
    return blockLines(*snapshot_, *history_, block, kBandFrames) << sum;
}

void SnapshotBands::drawTip(QPainter& painter) {
    if (!mouse_ || !area().contains(mouse_->toPoint())) return;
    const double last = history_->steps() - 1;
    const double at = stepAt(mouse_->x());
    if (at > last) return;
    const int column = static_cast<int>((mouse_->x() - area().left()) * devicePixelRatioF());
    const QStringList lines = tipLines(hovered_, picture_.stepOf(range_, pixels().width(), column));
    if (lines.empty()) return;
    const QFontMetrics metrics = painter.fontMetrics();
    int wide = 0;
    for (const QString& line : lines) wide = std::max(wide, metrics.horizontalAdvance(line));
    wide = std::min(wide, std::max(80, width() - 40));
    const int high = static_cast<int>(lines.size()) * 16 + 8;
    const double left = std::max(2.0, std::min(mouse_->x() + 14, width() - wide - 22.0));
    const double top = std::max(2.0, std::min(mouse_->y() + 16, height() - high - 4.0));
    const QRectF box(left, top, wide + 16, high);
    painter.setPen(tone(C::Border));
    painter.setBrush(tone(C::Raised));
    painter.drawRect(box);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        painter.setPen(i == 0 ? tone(C::Text) : tone(C::Faint));
        painter.drawText(QPointF(left + 8, top + 4 + 16.0 * static_cast<double>(i) + metrics.ascent()),
                         metrics.elidedText(lines[i], Qt::ElideMiddle, wide));
    }
}

// --- input

void SnapshotBands::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position();
    pressed_range_ = range_;
    moved_ = false;
}

void SnapshotBands::mouseMoveEvent(QMouseEvent* event) {
    mouse_ = event->position();
    if (event->buttons() != Qt::NoButton && history_ != nullptr) {
        const QPointF moved = event->position() - pressed_;
        moved_ = moved_ || moved.manhattanLength() > 3;
        if (moved_) {
            BandRange range = pressed_range_;
            const double shift = -moved.x() / std::max(1, area().width()) * (range.to - range.from);
            const double rise =
                std::max(-range.bottom, moved.y() / std::max(1, area().height()) * (range.top - range.bottom));
            range.from += shift;
            range.to += shift;
            range.bottom += rise;
            range.top += rise;
            setRange(range);
        }
    } else if (history_ != nullptr) {
        hovered_ = area().contains(event->position().toPoint()) ? blockAt(event->position()) : BandPicture::kNone;
    }
    update();
}

void SnapshotBands::mouseReleaseEvent(QMouseEvent* event) {
    if (moved_ || history_ == nullptr || !area().contains(event->position().toPoint())) return;
    const int column = static_cast<int>((event->position().x() - area().left()) * devicePixelRatioF());
    const std::uint32_t block = blockAt(event->position());
    pin(picture_.stepOf(range_, pixels().width(), column), block == BandPicture::kSmall ? BandPicture::kNone : block);
}

void SnapshotBands::wheelEvent(QWheelEvent* event) {
    if (history_ == nullptr) return;
    BandRange range = range_;
    const double factor = std::pow(0.9985, event->angleDelta().y());
    if (event->modifiers() & Qt::ControlModifier) {
        const double fixed = range.bottom + (area().bottom() + 1 - event->position().y()) /
                                                std::max(1, area().height()) * (range.top - range.bottom);
        range.bottom = fixed - (fixed - range.bottom) * factor;
        range.top = fixed + (range.top - fixed) * factor;
    } else if (event->modifiers() & Qt::ShiftModifier) {
        const double shift = -(event->angleDelta().y() + event->angleDelta().x()) / 1200.0 * (range.to - range.from);
        range.from += shift;
        range.to += shift;
    } else {
        const double fixed = stepAt(event->position().x());
        range.from = fixed - (fixed - range.from) * factor;
        range.to = fixed + (range.to - fixed) * factor;
    }
    setRange(range);
    event->accept();
}

void SnapshotBands::keyPressEvent(QKeyEvent* event) {
    BandRange range = range_;
    const double span = (range.to - range.from) * 0.15;
    switch (event->key()) {
        case Qt::Key_Space:
            return fit();
        case Qt::Key_Left:
        case Qt::Key_A:
            range.from -= span;
            range.to -= span;
            return setRange(range);
        case Qt::Key_Right:
        case Qt::Key_D:
            range.from += span;
            range.to += span;
            return setRange(range);
        case Qt::Key_Plus:
        case Qt::Key_W:
            range.from += span;
            range.to -= span;
            return setRange(range);
        case Qt::Key_Minus:
        case Qt::Key_S:
            range.from -= span;
            range.to += span;
            return setRange(range);
        default:
            QWidget::keyPressEvent(event);
    }
}

void SnapshotBands::leaveEvent(QEvent*) {
    mouse_.reset();
    hovered_ = BandPicture::kNone;
    update();
}

}  // namespace loupe::views
