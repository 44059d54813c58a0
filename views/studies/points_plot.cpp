// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/studies/points_plot.h"

#include <qcustomplot.h>

#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"

namespace loupe::views {

namespace {

constexpr int kShades = 24;
constexpr double kReach = 8;  // pixels from the mouse
constexpr int kMostLabels = 400;

// Cells of a few pixels in which points are drawn.
class Crowd {
  public:
    explicit Crowd(const QRect& room)
        : room_(room),
          columns_(std::max(0, room.width()) / kCell + 1),
          counts_(static_cast<std::size_t>(columns_ * (std::max(0, room.height()) / kCell + 1))) {}

    void add(QPoint place) {
        if (room_.contains(place)) ++counts_[cellOf(place)];
    }
    bool isIn(const QRect& rect) const {
        for (int y = rect.top(); y <= rect.bottom(); y += kCell)
            for (int x = rect.left(); x <= rect.right(); x += kCell)
                if (room_.contains(x, y) && counts_[cellOf({x, y})] > 0) return true;
        return false;
    }

  private:
    static constexpr int kCell = 6;
    std::size_t cellOf(QPoint place) const {
        return static_cast<std::size_t>((place.y() - room_.top()) / kCell * columns_ +
                                        (place.x() - room_.left()) / kCell);
    }

    QRect room_;
    int columns_;
    std::vector<int> counts_;
};

}  // namespace

PointsPlot::PointsPlot(QWidget* parent) : QWidget(parent) {
    plot_ = new QCustomPlot(this);
    plot_->setAccessibleName(tr("Points in the plane in which they differ most"));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->setMinimumSize(120, 100);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
    connect(plot_, &QCustomPlot::mouseMove, this, &PointsPlot::hover);
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, &PointsPlot::fit);
    // Which names have room depends on the ranges.
    connect(plot_, &QCustomPlot::beforeReplot, this, &PointsPlot::drawLabels);
    connect(&Theme::instance(), &Theme::changed, this, &PointsPlot::draw);
}

void PointsPlot::setPoints(const session::StudyPoints& points) {
    points_ = points;
    draw();
    fit();
}

void PointsPlot::setSearch(const QString& words) {
    search_ = words.trimmed();
    draw();
}

QString PointsPlot::nameOf(int point) const {
    const auto at = static_cast<std::size_t>(point);
    return at < points_.labels.size() ? visibleText(text(points_.labels[at])) : QString::number(point);
}

// A graph a shade: a graph has one colour.
void PointsPlot::draw() {
    plot_->clearGraphs();
    stylePlot(*plot_);
    plot_->xAxis->setLabel(text(points_.x_title));
    plot_->yAxis->setLabel(text(points_.y_title));
    const auto& colours = points_.colour;
    const bool isColoured = colours.size() == points_.x.size() && !colours.empty();
    const auto range =
        isColoured ? std::minmax_element(colours.begin(), colours.end()) : std::pair(colours.begin(), colours.begin());
    const auto low = range.first, high = range.second;
    const bool fewPoints = points_.x.size() < 300;
    const auto shadeOf = [&](std::size_t i) {
        if (!isColoured) return 0;
        if (points_.is_grouped) return static_cast<int>(colours[i]);
        return *high > *low ? static_cast<int>((colours[i] - *low) / (*high - *low) * (kShades - 1) + 0.5) : 0;
    };
    std::map<int, QCPGraph*> graphs;
    for (std::size_t i = 0; i < points_.x.size(); ++i) {
        const int shade = shadeOf(i);
        QCPGraph*& graph = graphs[shade];
        if (graph == nullptr) {
            graph = plot_->addGraph();
            const QColor colour = points_.is_grouped ? Theme::instance().series(shade)
                                                     : QColor(colourAt(ColourMap::Viridis, shade / (kShades - 1.0)));
            graph->setLineStyle(QCPGraph::lsNone);
            graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, colour, colour, fewPoints ? 7 : 5));
            graph->setName(tr("%1 %2").arg(text(points_.colour_title)).arg(shade));
            graph->setAntialiasedScatters(true);
        }
        graph->addData(points_.x[i], points_.y[i]);
    }
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void PointsPlot::fit() {
    if (points_.x.empty()) return;
    const auto range = [](const std::vector<double>& values) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const double margin = std::max(1e-12, (*high - *low) * 0.06);
        return QCPRange(*low - margin, *high + margin);
    };
    plot_->xAxis->setRange(range(points_.x));
    plot_->yAxis->setRange(range(points_.y));
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

// Names where no other stands yet and no point is hidden, those that are searched for first, then those far out.
void PointsPlot::drawLabels() {
    plot_->clearItems();
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(points_.x.size()); ++i) order.push_back(i);
    const auto isSearched = [this](int i) {
        return !search_.isEmpty() && nameOf(i).contains(search_, Qt::CaseInsensitive);
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const bool first = isSearched(a), second = isSearched(b);
        if (first != second) return first;
        const auto far = [&](int i) {
            return std::hypot(points_.x[static_cast<std::size_t>(i)], points_.y[static_cast<std::size_t>(i)]);
        };
        return far(a) > far(b);
    });
    QFont font = Theme::instance().monoFont();
    font.setPointSizeF(font.pointSizeF() * 0.9);
    const QFontMetrics metrics(font);
    const QRect room = plot_->axisRect()->rect();
    std::vector<QRect> taken;
    Crowd crowd(room);
    for (const int point : order) crowd.add(placeOf(point).toPoint());
    for (const int point : order) {
        if (static_cast<int>(taken.size()) >= kMostLabels) break;
        const QPointF at = placeOf(point);
        if (!room.contains(at.toPoint())) continue;
        const bool isFound = isSearched(point);
        if (!search_.isEmpty() && !isFound) break;
        const QString name = metrics.elidedText(nameOf(point), Qt::ElideRight, 110);
        const QRect place(static_cast<int>(at.x()) + 6, static_cast<int>(at.y()) - metrics.height() / 2,
                          metrics.horizontalAdvance(name) + 6, metrics.height());
        const QRect airy = place.adjusted(-4, -2, 10, 2);
        const bool hidesPoints = !isFound && crowd.isIn(place.adjusted(4, 3, -2, -3));
        if (!room.contains(place) || hidesPoints ||
            std::any_of(taken.begin(), taken.end(), [&](const QRect& other) { return other.intersects(airy); }))
            continue;
        taken.push_back(airy);
        auto* label = new QCPItemText(plot_);
        label->setFont(font);
        label->setText(name);
        label->setColor(Theme::instance().colour(isFound ? Theme::Colour::Accent : Theme::Colour::Text));
        label->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        label->position->setType(QCPItemPosition::ptAbsolute);
        label->position->setCoords(at.x() + 6, at.y());
    }
}

QPointF PointsPlot::placeOf(int point) const {
    const auto at = static_cast<std::size_t>(point);
    return {plot_->xAxis->coordToPixel(points_.x[at]), plot_->yAxis->coordToPixel(points_.y[at])};
}

int PointsPlot::pointAt(QPointF place) const {
    int best = -1;
    double least = kReach;
    for (int i = 0; i < static_cast<int>(points_.x.size()); ++i) {
        const QPointF there = placeOf(i) - place;
        const double distance = std::hypot(there.x(), there.y());
        if (distance >= least) continue;
        least = distance;
        best = i;
    }
    return best;
}

void PointsPlot::hover(QMouseEvent* event) {
    const int point = pointAt(event->position());
    if (point < 0) {
        emit hovered({});
        return;
    }
    const auto at = static_cast<std::size_t>(point);
    QString words = tr("#%1 %2: %3, %4")
                        .arg(points_.indices[at])
                        .arg(nameOf(point), numberText(points_.x[at]), numberText(points_.y[at]));
    if (at < points_.colour.size())
        words += tr("; %1 %2").arg(text(points_.colour_title), numberText(points_.colour[at]));
    emit hovered(words);
}

}  // namespace loupe::views
