// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_colours.h"

#include <algorithm>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/graph/canvas_style.h"

namespace loupe::views {

using namespace canvas;

GraphColours::Range GraphColours::Range::clamped() const {
    constexpr double kLeastShare = 1e-6;
    return {std::max(low, high * kLeastShare), high};
}

void GraphColours::setIndex(std::shared_ptr<const GraphIndex> index) {
    index_ = std::move(index);
    const auto& nodes = index_->model().nodes;
    shares_.assign(nodes.size(), {});
    // Children have greater ids than their group.
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const session::GraphNode& node = nodes[i];
        if (!index_->isShown(node.id)) continue;
        if (!index_->holds(node.id) && index_->ghost(node.id) == nullptr)
            ++shares_[i][static_cast<std::size_t>(Theme::familyOf(node.kind))];
        if (node.parent < 0) continue;
        Shares& around = shares_[static_cast<std::size_t>(node.parent)];
        for (std::size_t family = 0; family < around.size(); ++family) around[family] += shares_[i][family];
    }
}

Theme::Family GraphColours::familyOf(int node) const {
    const Shares& shares = shares_[static_cast<std::size_t>(node)];
    const auto most = std::max_element(shares.begin(), shares.end() - 1);
    return *most > 0 ? static_cast<Theme::Family>(most - shares.begin()) : Theme::Family::Other;
}

double GraphColours::metricOf(int node) const {
    if (metrics_ == nullptr) return -1;
    const NodeMetric& metric = metrics_->of(node);
    switch (colouring_) {
        case GraphColouring::Kind:
            return -1;
        case GraphColouring::Time:
            return metric.forward == 0 && metric.backward == 0 ? -1 : metric.seconds;
        case GraphColouring::Memory:
            return metric.forward == 0 ? -1 : static_cast<double>(metric.bytes);
        case GraphColouring::Activation:
            return metric.activation;
        case GraphColouring::Gradient:
            return metric.gradient;
        case GraphColouring::Difference:
            return metric.difference;
    }
    return -1;
}

void GraphColours::widen(Range& range, int node) const {
    const double value = node >= 0 ? metricOf(node) : -1;
    if (!(value > 0) || !std::isfinite(value)) return;
    range.low = range.isEmpty() ? value : std::min(range.low, value);
    range.high = std::max(range.high, value);
}

QColor GraphColours::metricColour(double value, const Range& range) const {
    const double span = std::log(range.high / range.low);
    const double t = value <= range.low ? 0 : span > 0 ? std::log(value / range.low) / span : 1;
    return QColor::fromRgb(colourAt(ColourMap::Viridis, 0.08 + 0.92 * std::clamp(t, 0.0, 1.0)));
}

QColor GraphColours::tileColour(int node, const Range& range, double strength) const {
    const QColor unknown = blend(colour(C::Panel), colour(C::Text), 0.18);
    if (node < 0) return unknown;
    if (isOfKinds()) return blend(colour(C::Panel), Theme::instance().family(familyOf(node)), strength);
    const double value = metricOf(node);
    return value < 0 || range.isEmpty() ? unknown : metricColour(value, range);
}

void GraphColours::paintShares(QPainter& painter, const QRectF& place, int node) const {
    const Shares& shares = shares_[static_cast<std::size_t>(node)];
    int all = 0;
    for (std::size_t family = 0; family + 1 < shares.size(); ++family) all += shares[family];
    if (all == 0) return painter.fillRect(place, Theme::instance().family(Theme::Family::Other));
    double left = place.left();
    for (std::size_t family = 0; family + 1 < shares.size(); ++family) {
        if (shares[family] == 0) continue;
        const double width = place.width() * shares[family] / all;
        painter.fillRect(QRectF(left, place.top(), width, place.height()),
                         Theme::instance().family(static_cast<Theme::Family>(family)));
        left += width;
    }
}

// The runs that times are of: first runs take longer.
QString GraphColours::timeNote() const {
    if (colouring_ != GraphColouring::Time || metrics_ == nullptr) return {};
    return metrics_->isWarm() ? tr(", median of warm runs") : tr(" of a first run (Run > Time it properly)");
}

void GraphColours::paintKinds(QPainter& painter, const Shares& used, QSize room) const {
    const QFontMetrics metrics(painter.font());
    QColor back = colour(C::Panel);
    back.setAlpha(225);
    // From the bottom up, as many rows as the width needs.
    struct Entry {
        Theme::Family family;
        QPoint at;
        int wide;
    };
    std::vector<Entry> entries;
    QPoint at(10, 0);
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i] == 0) continue;
        const auto family = static_cast<Theme::Family>(i);
        const int wide = metrics.horizontalAdvance(Theme::familyName(family)) + 26;
        if (at.x() > 10 && at.x() + wide > room.width()) at = QPoint(10, at.y() + 18);
        entries.push_back({family, at, wide});
        at.rx() += wide;
    }
    const int top = room.height() - 20 - at.y();
    for (const Entry& entry : entries) {
        const QColor kind = Theme::instance().family(entry.family);
        const int x = entry.at.x();
        const int y = top + entry.at.y();
        painter.fillRect(x - 4, y - 3, entry.wide, 18, back);
        painter.setPen(kind);
        painter.setBrush(blend(colour(C::Raised), kind, 0.45));
        painter.drawRoundedRect(QRectF(x + 0.5, y + 1.5, 9, 9), 2, 2);
        painter.setPen(colour(C::Faint));
        painter.drawText(x + 15, y + 10, Theme::familyName(entry.family));
    }
}

QPen GraphColours::changePen(GraphChange change, double width) {
    const C role = change == GraphChange::Added ? C::Good : change == GraphChange::Changed ? C::Warning : C::Bad;
    const QColor plain = colour(role);
    QPen pen(change == GraphChange::Removed ? blend(colour(C::Panel), plain, 0.7) : plain, width);
    pen.setStyle(change == GraphChange::Removed ? Qt::DotLine : Qt::DashLine);
    return pen;
}

int GraphColours::legendHeight(const Shares& used, QSize room) const {
    if (!isOfKinds()) return 44;
    const QFontMetrics metrics(pixelFont(10.5, false));
    int x = 10;
    int rows = 1;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i] == 0) continue;
        const int wide = metrics.horizontalAdvance(Theme::familyName(static_cast<Theme::Family>(i))) + 26;
        if (x > 10 && x + wide > room.width()) {
            ++rows;
            x = 10;
        }
        x += wide;
    }
    return 2 + 18 * rows;
}

void GraphColours::paintChanges(QPainter& painter, const std::vector<GraphChange>& changes, QSize room) const {
    painter.setFont(pixelFont(10.5, false));
    const QFontMetrics metrics(painter.font());
    QColor back = colour(C::Panel);
    back.setAlpha(225);
    int x = 10;
    const int y = room.height() - 18;
    for (const GraphChange change : changes) {
        const QString name = change == GraphChange::Added ? is_of_reference_ ? tr("only in this run") : tr("added")
                             : change == GraphChange::Changed
                                 ? is_of_reference_ ? tr("another operator in the reference") : tr("changed")
                             : is_of_reference_ ? tr("only in the reference")
                                                : tr("removed");
        const int wide = metrics.horizontalAdvance(name) + 36;
        painter.fillRect(x - 4, y - 3, wide, 18, back);
        painter.setPen(changePen(change, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(x + 0.5, y + 1.5, 19, 9), 2, 2);
        painter.setPen(colour(C::Faint));
        painter.drawText(x + 25, y + 10, name);
        x += wide;
    }
}

void GraphColours::paintLegend(QPainter& painter, const Shares& used, const Range& range, QSize room) const {
    painter.setFont(pixelFont(10.5, false));
    const QFontMetrics metrics(painter.font());
    QColor back = colour(C::Panel);
    back.setAlpha(225);
    if (isOfKinds()) return paintKinds(painter, used, room);
    const bool empty = range.isEmpty();
    const auto format = [&](double value) {
        if (colouring_ == GraphColouring::Time) return secondsText(value);
        if (colouring_ == GraphColouring::Memory) return bytesText(value);
        return numberText(value);
    };
    static const char* titles[] = {"",
                                   QT_TR_NOOP("time"),
                                   QT_TR_NOOP("bytes made"),
                                   QT_TR_NOOP("greatest activation"),
                                   QT_TR_NOOP("greatest gradient"),
                                   QT_TR_NOOP("difference from the reference, relative (RMS)")};
    const QString nothing = colouring_ == GraphColouring::Difference
                                ? tr("No difference to show: all is equal, or no reference is pinned (Compare)")
                                : tr("Nothing recorded yet: run the model (F5)");
    const QString title = empty ? nothing : tr(titles[static_cast<int>(colouring_)]) + timeNote() + tr(", logarithmic");
    const QRect area(8, room.height() - 44, std::max(200, metrics.horizontalAdvance(title) + 16), 38);
    painter.setPen(Qt::NoPen);
    painter.setBrush(back);
    painter.drawRoundedRect(area, 4, 4);
    painter.setPen(colour(C::Faint));
    painter.drawText(area.adjusted(6, 2, -6, 0), Qt::AlignLeft | Qt::AlignTop, title);
    if (empty) return;
    for (int x = 0; x < 184; ++x) {
        painter.fillRect(area.left() + 6 + x, area.top() + 16, 1, 7,
                         QColor::fromRgb(colourAt(ColourMap::Viridis, 0.08 + 0.92 * x / 183.0)));
    }
    painter.drawText(QRect(area.left() + 6, area.top() + 23, 184, 14), Qt::AlignLeft, format(range.low));
    painter.drawText(QRect(area.left() + 6, area.top() + 23, 184, 14), Qt::AlignRight, format(range.high));
}

}  // namespace loupe::views
