// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/band_picture.h"

#include <algorithm>
#include <cmath>

#include "views/common/theme.h"

namespace loupe::views {
namespace {

constexpr double kThinnest = 1;  // pixels
constexpr int kSeamFrom = 5;     // pixels: higher bands are parted by a seam

}  // namespace

BandPicture::BandPicture(SnapshotPtr snapshot, const session::SnapshotHistory* history)
    : snapshot_(std::move(snapshot)), history_(history), index_(*history) {}

// Blocks of one place in the user's code have one colour.
QRgb BandPicture::colourOf(std::uint32_t stack) {
    const auto [found, is_new] = colours_.try_emplace(stack, 0);
    if (!is_new) return found->second;
    const Theme& theme = Theme::instance();
    const QColor panel = theme.colour(Theme::Colour::Panel);
    if (stack == 0) return found->second = theme.colour(Theme::Colour::Faint).rgb();
    const std::size_t hash = std::hash<std::string>()(own_frame_text(snapshot_->snapshot, stack));
    const QColor base = theme.series(static_cast<int>(hash % 8));
    const double share = 0.55 + 0.12 * static_cast<double>(hash / 8 % 4);
    const auto mix = [&](int of, int with) { return static_cast<int>(of * share + with * (1 - share)); };
    return found->second =
               qRgb(mix(base.red(), panel.red()), mix(base.green(), panel.green()), mix(base.blue(), panel.blue()));
}

std::int64_t BandPicture::leastBytes(const BandRange& range, int height) {
    return static_cast<std::int64_t>(std::ceil(kThinnest * (range.top - range.bottom) / std::max(1, height)));
}

std::uint32_t BandPicture::stepOf(const BandRange& range, int width, int column) const {
    const double last = history_->steps() - 1;
    const double scale = (range.to - range.from) / std::max(1, width);
    const auto step = [&](double at) { return static_cast<std::uint32_t>(std::clamp(at, 0.0, last)); };
    const std::uint32_t first = step(range.from + scale * column);
    const std::uint32_t end = step(std::ceil(range.from + scale * (column + 1)));
    return index_.peakBetween(first, std::max(end, first + 1));
}

QImage BandPicture::draw(const BandRange& range, const QSize& size, std::uint32_t lit) {
    QImage image(size, QImage::Format_RGB32);
    image.fill(Theme::instance().colour(Theme::Colour::Panel));
    if (history_ == nullptr || size.isEmpty()) return image;
    const std::int64_t least = leastBytes(range, size.height());
    alive_.clear();
    std::int64_t before = -1;
    const double last = history_->steps() - 1;
    const double scale = (range.to - range.from) / size.width();
    for (int column = 0; column < size.width(); ++column) {
        // Nothing was before the first step, and what will be behind the last is not known.
        const double begin = range.from + scale * column;
        if (begin + scale <= 0 || begin > last) continue;
        const std::uint32_t step = stepOf(range, size.width(), column);
        if (static_cast<std::int64_t>(step) < before) continue;
        std::erase_if(alive_, [&](std::uint32_t block) { return history_->blocks[block].to <= step; });
        index_.collect(before, step, least, alive_);
        before = step;
        drawColumn(image, column, step, range, lit);
    }
    return image;
}

void BandPicture::drawColumn(QImage& image, int column, std::uint32_t step, const BandRange& range, std::uint32_t lit) {
    const int height = image.height();
    const double scale = height / (range.top - range.bottom);
    const auto row_of = [&](double bytes) {
        return static_cast<int>(std::clamp(height - (bytes - range.bottom) * scale, 0.0, static_cast<double>(height)));
    };
    auto* pixels = reinterpret_cast<QRgb*>(image.bits()) + column;
    const auto stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    const auto fill = [&](int from, int to, QRgb colour) {
        for (int row = from; row < to; ++row) pixels[row * stride] = colour;
    };
    double bytes = 0;
    int below = row_of(0);
    for (const std::uint32_t number : alive_) {
        const session::HeldBlock& block = history_->blocks[number];
        bytes += static_cast<double>(block.size);
        const int above = row_of(bytes);
        if (above < below) {
            QRgb colour = colourOf(block.stack);
            if (number == lit) colour = Theme::instance().colour(Theme::Colour::Accent).rgb();
            fill(above, below, colour);
            if (below - above >= kSeamFrom) fill(above, above + 1, QColor::fromRgb(colour).darker(135).rgb());
        }
        below = above;
    }
    const auto all = static_cast<double>(history_->active[step]);
    const QRgb small = Theme::instance().colour(Theme::Colour::Border).rgb();
    if (all > bytes)
        fill(row_of(all), below, lit == kSmall ? Theme::instance().colour(Theme::Colour::Faint).rgb() : small);
}

std::uint32_t BandPicture::blockAt(const BandRange& range, const QSize& size, const QPoint& at) const {
    if (history_ == nullptr || size.isEmpty() || !QRect(QPoint(), size).contains(at)) return kNone;
    const double scale = (range.to - range.from) / size.width();
    if (range.from + scale * at.x() > history_->steps() - 1) return kNone;
    const std::uint32_t step = stepOf(range, size.width(), at.x());
    const double wanted = range.bottom + (size.height() - at.y() - 0.5) / size.height() * (range.top - range.bottom);
    std::vector<std::uint32_t> alive;
    index_.collect(-1, step, leastBytes(range, size.height()), alive);
    double bytes = 0;
    for (const std::uint32_t number : alive) {
        bytes += static_cast<double>(history_->blocks[number].size);
        if (wanted < bytes) return wanted < 0 ? kNone : number;
    }
    return wanted < static_cast<double>(history_->active[step]) ? kSmall : kNone;
}

}  // namespace loupe::views
