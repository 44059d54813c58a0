// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/segment_map.h"

#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/memory/snapshot_bands.h"

namespace loupe::views {
namespace {

constexpr int kRow = 18;
constexpr int kBar = 14;
constexpr int kMargin = 8;
constexpr int kApart = 4;
constexpr int kShortest = 6;
constexpr int kTipFrames = 8;

}  // namespace

SegmentMap::SegmentMap(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Segments of the allocator and the blocks in them"));
    connect(&Theme::instance(), &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void SegmentMap::show(SnapshotPtr snapshot, const session::SnapshotHistory* history, std::uint32_t step,
                      ColourOf colour) {
    snapshot_ = std::move(snapshot);
    history_ = history;
    colour_ = std::move(colour);
    bars_.clear();
    blocks_.clear();
    sums_ = {};
    if (history_ != nullptr) {
        for (std::uint32_t i = 0; i < history_->blocks.size() && history_->blocks[i].from <= step; ++i)
            if (history_->blocks[i].to > step) blocks_.push_back(i);
        const auto address_of = [&](std::uint32_t block) { return history_->blocks[block].address; };
        std::ranges::sort(blocks_, {}, address_of);
        for (const session::SegmentSpan& span : session::segments_at(snapshot_->snapshot, *history_, step)) {
            const std::uint64_t end = span.address + static_cast<std::uint64_t>(span.size);
            const auto low = std::ranges::lower_bound(blocks_, span.address, {}, address_of);
            const auto high = std::ranges::lower_bound(blocks_, end, {}, address_of);
            Bar bar;
            bar.span = span;
            bar.first = static_cast<std::size_t>(low - blocks_.begin());
            bar.count = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, high - low));
            std::uint64_t at = span.address;
            const auto hole = [&](std::uint64_t until) {
                if (until > at)
                    sums_.largest_hole = std::max(sums_.largest_hole, static_cast<std::int64_t>(until - at));
            };
            for (std::size_t i = bar.first; i < bar.first + bar.count; ++i) {
                const session::HeldBlock& block = history_->blocks[blocks_[i]];
                hole(block.address);
                at = std::max(at, block.address + static_cast<std::uint64_t>(block.size));
                sums_.active += block.size;
            }
            hole(end);
            sums_.reserved += span.size;
            bars_.push_back(bar);
        }
        sums_.segments = bars_.size();
        std::ranges::stable_sort(bars_, std::ranges::greater(), [](const Bar& bar) { return bar.span.size; });
    }
    layOut();
}

void SegmentMap::setPinned(std::uint32_t block) {
    pinned_ = block;
    viewport()->update();
}

// In rows from the left, the largest across the whole width.
void SegmentMap::layOut() {
    const int room = std::max(40, viewport()->width() - 2 * kMargin);
    const double largest = bars_.empty() ? 1 : static_cast<double>(bars_.front().span.size);
    int x = kMargin;
    int y = kMargin;
    for (Bar& bar : bars_) {
        bar.width = std::max(kShortest, static_cast<int>(static_cast<double>(bar.span.size) / largest * room));
        if (x > kMargin && x + bar.width > kMargin + room) {
            x = kMargin;
            y += kRow;
        }
        bar.x = x;
        bar.y = y;
        x += bar.width + kApart;
    }
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(kRow);
    verticalScrollBar()->setRange(0, std::max(0, y + kRow + kMargin - viewport()->height()));
    viewport()->update();
}

void SegmentMap::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void SegmentMap::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = Theme::instance();
    painter.fillRect(viewport()->rect(), theme.colour(Theme::Colour::Panel));
    if (bars_.empty()) {
        painter.setPen(theme.colour(Theme::Colour::Faint));
        painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("The snapshot has no segments"));
        return;
    }
    const int top = verticalScrollBar()->value();
    for (const Bar& bar : bars_) {
        const int y = bar.y - top;
        if (y + kRow < 0 || y > viewport()->height()) continue;
        painter.fillRect(bar.x, y, bar.width, kBar, theme.colour(Theme::Colour::Grid));
        const double scale = bar.width / static_cast<double>(bar.span.size);
        for (std::size_t i = bar.first; i < bar.first + bar.count; ++i) {
            const session::HeldBlock& block = history_->blocks[blocks_[i]];
            const double from = static_cast<double>(block.address - bar.span.address) * scale;
            const double wide = std::min(static_cast<double>(block.size) * scale, bar.width - from);
            const QRgb colour =
                blocks_[i] == pinned_ ? theme.colour(Theme::Colour::Accent).rgb() : colour_(block.stack);
            painter.fillRect(QRectF(bar.x + from, y, std::max(0.5, wide - (wide > 3 ? 1 : 0)), kBar),
                             QColor::fromRgb(colour));
        }
        painter.setPen(theme.colour(Theme::Colour::Border));
        painter.drawRect(bar.x, y, bar.width - 1, kBar - 1);
    }
}

const SegmentMap::Bar* SegmentMap::barAt(const QPoint& at) const {
    const int y = at.y() + verticalScrollBar()->value();
    for (const Bar& bar : bars_)
        if (y >= bar.y && y < bar.y + kBar && at.x() >= bar.x && at.x() < bar.x + bar.width) return &bar;
    return nullptr;
}

std::int64_t SegmentMap::blockAt(const QPoint& at) const {
    const Bar* bar = barAt(at);
    if (bar == nullptr) return -1;
    const double share = (at.x() + 0.5 - bar->x) / bar->width;
    const std::uint64_t address =
        bar->span.address + static_cast<std::uint64_t>(share * static_cast<double>(bar->span.size));
    for (std::size_t i = bar->first; i < bar->first + bar->count; ++i) {
        const session::HeldBlock& block = history_->blocks[blocks_[i]];
        if (address >= block.address && address < block.address + static_cast<std::uint64_t>(block.size))
            return blocks_[i];
    }
    return -1;
}

void SegmentMap::mousePressEvent(QMouseEvent* event) {
    if (const std::int64_t block = blockAt(event->pos()); block >= 0) emit chosen(static_cast<std::uint32_t>(block));
}

bool SegmentMap::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Bar* bar = barAt(help->pos());
    const std::int64_t block = blockAt(help->pos());
    if (bar == nullptr) {
        QToolTip::hideText();
        return true;
    }
    QStringList lines;
    if (block >= 0) lines = blockLines(*snapshot_, *history_, static_cast<std::uint32_t>(block), kTipFrames);
    lines << tr("segment of %1 at 0x%2, %3")
                 .arg(bytesText(static_cast<double>(bar->span.size)))
                 .arg(bar->span.address, 0, 16)
                 .arg(counted(static_cast<std::int64_t>(bar->count), "block"));
    QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), viewport());
    return true;
}

}  // namespace loupe::views
