// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/module_map.h"

#include <algorithm>
#include <numeric>

namespace loupe::views {
namespace {

constexpr double kGap = 2;          // between a frame and its contents
constexpr double kLeastSide = 3;    // of a tile that is drawn
constexpr double kLeastFrame = 22;  // of a group that is entered

// The worst of the ratios of sides, when weights of this sum, least and most are a row along a side.
double worstRatio(double sum, double least, double most, double side) {
    const double side2 = side * side;
    const double sum2 = sum * sum;
    return std::max(side2 * most / sum2, sum2 / (side2 * least));
}

class Mapper {
  public:
    Mapper(const GraphIndex& index, const MapWeight& weight, const QRectF& clip)
        : index_(index), weight_(weight), clip_(clip) {}

    std::vector<MapTile> map(const QRectF& area) {
        enter(-1, area, 0, 1);
        return std::move(tiles_);
    }

  private:
    void enter(int group, const QRectF& area, int depth, double share) {
        const std::vector<int>& children = index_.level(group).children;
        std::vector<double> weights;
        for (const int child : children) weights.push_back(std::max(0.0, weight_(child)));
        const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
        if (!(all > 0)) return;
        const std::vector<QRectF> places = squarify(weights, area);
        for (std::size_t i = 0; i < children.size(); ++i) {
            const QRectF& place = places[i];
            if (place.width() < kLeastSide || place.height() < kLeastSide || !place.intersects(clip_)) continue;
            MapTile tile{children[i], place, depth, false, share * weights[i] / all};
            const bool is_group = index_.isGroup(tile.node);
            const bool is_titled = place.height() >= kLeastFrame + kMapTitle && place.width() >= 2 * kLeastFrame;
            tile.is_frame = is_group && is_titled;
            tiles_.push_back(tile);
            if (!tile.is_frame) continue;
            enter(tile.node, place.adjusted(kGap, kMapTitle, -kGap, -kGap), depth + 1, tile.share);
        }
    }

    const GraphIndex& index_;
    const MapWeight& weight_;
    QRectF clip_;
    std::vector<MapTile> tiles_;
};

}  // namespace

std::vector<QRectF> squarify(const std::vector<double>& weights, const QRectF& into) {
    std::vector<QRectF> places(weights.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] > 0) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    double left = 0;
    for (const std::size_t i : order) left += weights[i];
    QRectF rest = into;
    for (std::size_t at = 0; at < order.size();) {
        if (rest.width() <= 0 || rest.height() <= 0) break;
        const bool is_column = rest.width() >= rest.height();  // the row stands along the shorter side
        const double side = is_column ? rest.height() : rest.width();
        const double scale = rest.width() * rest.height() / left;
        double sum = 0;
        std::size_t end = at;
        double worst = 0;
        for (; end < order.size(); ++end) {
            const double next = weights[order[end]] * scale;
            const double ratio = worstRatio(sum + next, next, weights[order[at]] * scale, side);
            if (end > at && ratio > worst) break;
            worst = ratio;
            sum += next;
        }
        const double thick = sum / side;
        double from = is_column ? rest.top() : rest.left();
        for (std::size_t i = at; i < end; ++i) {
            const double length = weights[order[i]] * scale / thick;
            places[order[i]] =
                is_column ? QRectF(rest.left(), from, thick, length) : QRectF(from, rest.top(), length, thick);
            from += length;
            left -= weights[order[i]];
        }
        if (is_column)
            rest.setLeft(rest.left() + thick);
        else
            rest.setTop(rest.top() + thick);
        at = end;
    }
    return places;
}

std::vector<MapTile> mapTiles(const GraphIndex& index, const MapWeight& weight, const QRectF& area,
                              const QRectF& clip) {
    return Mapper(index, weight, clip).map(area);
}

}  // namespace loupe::views
