// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/address_map.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

namespace {

// A hole wider than this parts two regions.
constexpr std::uint64_t kHole = 256 * 1024;
// Between regions the map leaves as much as this part of all.
constexpr double kSeam = 0.004;

}  // namespace

AddressMap::AddressMap(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Blocks by their addresses"));
    setMinimumHeight(kRow);
}

void AddressMap::setBlocks(std::vector<session::Allocation> blocks) {
    blocks_ = std::move(blocks);
    std::erase_if(blocks_, [](const session::Allocation& block) { return block.bytes <= 0 || block.address == 0; });
    std::sort(blocks_.begin(), blocks_.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
    start_.clear();
    regions_ = blocks_.empty() ? 0 : 1;
    gaps_ = 0;
    double used = 0;
    for (const auto& block : blocks_) used += static_cast<double>(block.bytes);
    double at = 0;
    std::uint64_t end = blocks_.empty() ? 0 : blocks_.front().address;
    for (const auto& block : blocks_) {
        const std::uint64_t hole = block.address > end ? block.address - end : 0;
        if (hole > kHole) {
            ++regions_;
            at += used * kSeam;
        } else {
            at += static_cast<double>(hole);
            gaps_ += static_cast<std::int64_t>(hole);
        }
        start_.push_back(at);
        at += static_cast<double>(block.bytes);
        end = std::max(end, block.address + static_cast<std::uint64_t>(block.bytes));
    }
    length_ = at;
    update();
}

int AddressMap::rowCount() const { return std::max(1, (height() - 4) / (kRow + kSpace)); }

double AddressMap::bytesPerRow() const { return std::max(1.0, length_ / rowCount()); }

QPoint AddressMap::placeOf(int block) const {
    const double at = start_[static_cast<std::size_t>(block)];
    const int row = std::min(rowCount() - 1, static_cast<int>(at / bytesPerRow()));
    return {static_cast<int>((at - row * bytesPerRow()) / bytesPerRow() * width()), 2 + row * (kRow + kSpace)};
}

int AddressMap::blockAt(QPoint point) const {
    if (blocks_.empty()) return -1;
    const int row = (point.y() - 2) / (kRow + kSpace);
    if (row < 0 || row >= rowCount() || (point.y() - 2) % (kRow + kSpace) >= kRow) return -1;
    const double at = (row + (point.x() + 0.5) / width()) * bytesPerRow();
    const auto after = std::upper_bound(start_.begin(), start_.end(), at);
    if (after == start_.begin()) return -1;
    const auto index = static_cast<std::size_t>(after - start_.begin() - 1);
    return at < start_[index] + static_cast<double>(blocks_[index].bytes) ? static_cast<int>(index) : -1;
}

void AddressMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::instance();
    painter.fillRect(rect(), theme.colour(Theme::Colour::Panel));
    for (int row = 0; row < rowCount(); ++row)
        painter.fillRect(0, 2 + row * (kRow + kSpace), width(), kRow, theme.colour(Theme::Colour::Grid));
    const double scale = width() / bytesPerRow();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const QColor fill = theme.category(blocks_[i].category);
        double from = start_[i];
        const double to = from + static_cast<double>(blocks_[i].bytes);
        // A long block continues in the next rows.
        for (int row = static_cast<int>(from / bytesPerRow()); from < to && row < rowCount(); ++row) {
            const double end = std::min(to, (row + 1) * bytesPerRow());
            const QRectF part((from - row * bytesPerRow()) * scale, 2 + row * (kRow + kSpace),
                              std::max(1.0, (end - from) * scale), kRow);
            painter.fillRect(part, fill);
            if (part.width() > 3)
                painter.fillRect(QRectF(part.right() - 1, part.top(), 1, kRow), theme.colour(Theme::Colour::Panel));
            from = end;
        }
    }
}

void AddressMap::mousePressEvent(QMouseEvent* event) {
    const int block = blockAt(event->pos());
    if (block >= 0) emit chosen(blocks_[static_cast<std::size_t>(block)]);
}

bool AddressMap::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int at = blockAt(help->pos());
    if (at < 0) {
        QToolTip::hideText();
        return true;
    }
    const session::Allocation& block = blocks_[static_cast<std::size_t>(at)];
    QStringList lines{
        QStringLiteral("0x%1  %2").arg(block.address, 0, 16).arg(bytesText(static_cast<double>(block.bytes))),
        engineWord(session::category_name(block.category))};
    if (!block.owner.empty()) lines += text(block.owner);
    if (!block.scope.empty()) lines += text(block.scope);
    if (block.allocated != 0) lines += tr("made by #%1").arg(block.allocated);
    if (block.saved_by != 0) lines += tr("saved for backward by #%1").arg(block.saved_by);
    QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), this);
    return true;
}

}  // namespace loupe::views
