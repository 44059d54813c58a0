// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/rank_lanes.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

constexpr double kGutter = 64;       // of the names
constexpr double kAxis = 20;         // height
constexpr double kShortest = 1e-7;   // seconds across
constexpr double kWorthAnArrow = 4;  // pixels of waiting

// Steps of 1, 2 and 5.
double stepFor(double span, double most) {
    const double raw = span / most;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double times : {1.0, 2.0, 5.0}) {
        if (power * times >= raw) return power * times;
    }
    return power * 10;
}

void paintArrow(QPainter& painter, const QPointF& from, const QPointF& to) {
    painter.drawLine(from, to);
    const double down = to.y() > from.y() ? -1 : 1;
    painter.drawPolygon(QPolygonF{to, {to.x() - 3, to.y() + 5 * down}, {to.x() + 3, to.y() + 5 * down}});
}

}  // namespace

RankLanes::RankLanes(SessionBridge& bridge, QWidget* parent) : QWidget(parent), bridge_(bridge) {
    setObjectName(QStringLiteral("rankLanes"));
    setAccessibleName(tr("Timeline of the ranks"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    Ranks& ranks = Ranks::of(bridge);
    connect(&ranks, &Ranks::studied, this, &RankLanes::take);
    connect(&ranks, &Ranks::changed, this, qOverload<>(&QWidget::update));
    connect(&bridge, &SessionBridge::currentChanged, this, qOverload<>(&QWidget::update));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
    take();
}

void RankLanes::take() {
    report_ = Ranks::of(bridge_).report();
    bool any = false;
    for (std::size_t place = 0; report_ && place < report_->set.ranks.size(); ++place) {
        const session::Recording& recording = *report_->set.ranks[place].recording;
        const auto count = static_cast<session::EventId>(recording.event_count());
        if (count == 0) continue;
        const double begin = common(place, recording.event(1).start);
        const double end = common(place, recording.event(count).end());
        first_ = any ? std::min(first_, begin) : begin;
        last_ = any ? std::max(last_, end) : end;
        any = true;
    }
    if (!any) first_ = 0, last_ = 1;
    if (shows_all_) fit();
    update();
}

void RankLanes::fit() {
    const double margin = std::max((last_ - first_) * 0.02, kShortest);
    from_ = first_ - margin;
    to_ = last_ + margin;
    shows_all_ = true;
    update();
}

void RankLanes::zoomTo(double from, double to) {
    const double span = std::clamp(to - from, kShortest, (last_ - first_) * 1.2 + kShortest);
    const double middle = std::clamp((from + to) / 2, first_, last_);
    from_ = middle - span / 2;
    to_ = middle + span / 2;
    shows_all_ = false;
    update();
}

double RankLanes::common(std::size_t place, double own) const { return report_->clocks[place].common(own); }

double RankLanes::xOf(double seconds) const {
    return kGutter + (seconds - from_) / (to_ - from_) * std::max(1.0, width() - kGutter);
}
double RankLanes::timeAt(double x) const {
    return from_ + (x - kGutter) / std::max(1.0, width() - kGutter) * (to_ - from_);
}

QRectF RankLanes::laneRect(std::size_t place) const {
    const std::size_t count = report_ ? report_->set.ranks.size() : 1;
    const double high = std::clamp((height() - kAxis) / static_cast<double>(count), 16.0, 64.0);
    return {kGutter, kAxis + high * static_cast<double>(place), width() - kGutter, high};
}

// --- painting

void RankLanes::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::instance();
    painter.fillRect(rect(), theme.colour(Theme::Colour::Panel));
    if (!report_) return;
    paintAxis(painter);
    for (std::size_t place = 0; place < report_->set.ranks.size(); ++place) {
        const QRectF lane = laneRect(place);
        if (lane.top() > height()) break;
        const int rank = report_->set.ranks[place].rank();
        const bool isCurrent = bridge_.rankAt(bridge_.currentSeat()) == rank;
        if (isCurrent)
            painter.fillRect(QRectF(0, lane.top(), width(), lane.height()), theme.colour(Theme::Colour::AccentBack));
        painter.setPen(theme.colour(Theme::Colour::Grid));
        painter.drawLine(QPointF(0, lane.bottom()), QPointF(width(), lane.bottom()));
        painter.setPen(theme.colour(isCurrent ? Theme::Colour::Text : Theme::Colour::Faint));
        painter.drawText(QRectF(8, lane.top(), kGutter - 12, lane.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("rank %1").arg(rank));
        painter.save();
        painter.setClipRect(lane);
        paintEvents(painter, place);
        paintCollectives(painter, place);
        painter.restore();
    }
    painter.save();
    painter.setClipRect(QRectF(kGutter, kAxis, width() - kGutter, height() - kAxis));
    paintArrows(painter);
    paintCurrent(painter);
    painter.restore();
}

void RankLanes::paintAxis(QPainter& painter) const {
    const Theme& theme = Theme::instance();
    const double step = stepFor(to_ - from_, std::max(2.0, (width() - kGutter) / 90));
    for (double at = std::ceil(from_ / step) * step; at <= to_; at += step) {
        const double x = xOf(at);
        painter.setPen(theme.colour(Theme::Colour::Grid));
        painter.drawLine(QPointF(x, kAxis), QPointF(x, height()));
        painter.setPen(theme.colour(Theme::Colour::Faint));
        painter.drawText(QRectF(x - 60, 0, 120, kAxis), Qt::AlignCenter,
                         std::abs(at) < step / 2 ? QStringLiteral("0") : secondsText(at));
    }
}

// Those that are too small to be seen merge with what stands before them.
void RankLanes::paintEvents(QPainter& painter, std::size_t place) const {
    const session::Recording& recording = *report_->set.ranks[place].recording;
    const QRectF lane = laneRect(place);
    const double top = lane.top() + lane.height() * 0.12;
    const double high = lane.height() * 0.46;
    const auto count = static_cast<session::EventId>(recording.event_count());
    double reached = -1;
    for (session::EventId id = std::max<session::EventId>(1, eventAt(place, from_)); id <= count; ++id) {
        const session::Event& event = recording.event(id);
        const double begin = xOf(common(place, event.start));
        if (begin > width()) break;
        const double end = std::max(begin + 1, xOf(common(place, event.end())));
        if (end <= reached) continue;
        reached = std::max(reached, std::floor(end));
        painter.fillRect(QRectF(begin, top, end - begin, high), Theme::instance().phase(event.phase));
    }
}

void RankLanes::paintCollectives(QPainter& painter, std::size_t place) const {
    const QRectF lane = laneRect(place);
    const double top = lane.top() + lane.height() * 0.64;
    const double high = lane.height() * 0.26;
    const Theme& theme = Theme::instance();
    double reached = -1;
    for (std::size_t number = 0; number < report_->matched.size(); ++number) {
        const auto& on = report_->times[number].ranks[place];
        if (!on) continue;
        const session::Collective& own = *report_->matched[number].on(report_->set, place);
        const double begin = xOf(on->arrived);
        const double end = std::max(begin + 2, std::isnan(on->ended) ? begin + 2 : xOf(on->ended));
        if (begin > width() || end < kGutter || end <= reached) continue;
        reached = std::floor(end);
        const QRectF box(begin, top, end - begin, high);
        painter.fillRect(box, theme.colour(Theme::Colour::Border));
        if (own.waited_from && on->waited > 0) {
            const double from = xOf(common(place, *own.waited_from));
            const double until = xOf(common(place, *own.waited_from) + on->waited);
            painter.fillRect(QRectF(from, top, std::max(1.0, until - from), high),
                             QBrush(theme.colour(Theme::Colour::Warning), Qt::BDiagPattern));
        }
        if (report_->mismatch && report_->mismatch->collective == number) {
            painter.setPen(QPen(theme.colour(Theme::Colour::Bad), 2));
            painter.drawRect(box.adjusted(1, 1, -1, -1));
        }
    }
}

// From the rank that came last, at that moment, to those that had waited for it.
void RankLanes::paintArrows(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = Theme::instance().colour(Theme::Colour::Warning);
    painter.setPen(QPen(colour, 1.2));
    painter.setBrush(colour);
    double reached = -1e9;
    for (const session::CollectiveTimes& each : report_->times) {
        if (each.last < 0) continue;
        const auto last = static_cast<std::size_t>(each.last);
        const double x = xOf(each.ranks[last]->arrived);
        if (x < kGutter || x > width() || x - reached < kWorthAnArrow) continue;
        const double pixels = (width() - kGutter) / (to_ - from_);
        const double y = laneRect(last).top() + laneRect(last).height() * 0.77;
        for (std::size_t place = 0; place < each.ranks.size(); ++place) {
            if (place == last || !each.ranks[place] || each.ranks[place]->waited * pixels < kWorthAnArrow) continue;
            paintArrow(painter, {x, y}, {x, laneRect(place).top() + laneRect(place).height() * 0.77});
            reached = x;
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void RankLanes::paintCurrent(QPainter& painter) const {
    const int place = Ranks::of(bridge_).placeOf(bridge_.currentSeat());
    const auto& recording = bridge_.recording();
    const session::EventId event = bridge_.currentEvent();
    if (place < 0 || !recording || event == 0 || event > recording->event_count()) return;
    const double x = xOf(common(static_cast<std::size_t>(place), recording->event(event).start));
    const QRectF lane = laneRect(static_cast<std::size_t>(place));
    painter.setPen(QPen(Theme::instance().colour(Theme::Colour::Accent), 1.5));
    painter.drawLine(QPointF(x, lane.top()), QPointF(x, lane.bottom()));
}

// --- the mouse

// The last event that begins before; 0: none.
session::EventId RankLanes::eventAt(std::size_t place, double seconds) const {
    const session::Recording& recording = *report_->set.ranks[place].recording;
    session::EventId low = 0;
    auto high = static_cast<session::EventId>(recording.event_count());
    while (low < high) {
        const session::EventId middle = low + (high - low + 1) / 2;
        if (common(place, recording.event(middle).start) <= seconds)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

std::optional<RankLanes::Hit> RankLanes::hitAt(const QPointF& at) const {
    if (!report_) return std::nullopt;
    for (std::size_t place = 0; place < report_->set.ranks.size(); ++place) {
        const QRectF lane = laneRect(place);
        if (at.y() < lane.top() || at.y() >= lane.bottom()) continue;
        Hit hit{place, 0, -1};
        if (at.x() < kGutter) return hit;
        if (at.y() >= lane.top() + lane.height() * 0.6) {
            double nearest = 5;  // pixels
            for (std::size_t number = 0; number < report_->matched.size(); ++number) {
                const auto& on = report_->times[number].ranks[place];
                if (!on) continue;
                const double begin = xOf(on->arrived);
                const double end = std::max(begin + 2, std::isnan(on->ended) ? begin + 2 : xOf(on->ended));
                const double away = std::max({0.0, begin - at.x(), at.x() - end});
                if (away >= nearest) continue;
                nearest = away;
                hit.collective = static_cast<int>(number);
                hit.event = report_->matched[number].on(report_->set, place)->event;
            }
            if (hit.collective >= 0) return hit;
        }
        hit.event = eventAt(place, timeAt(at.x() + 2));
        return hit;
    }
    return std::nullopt;
}

QString RankLanes::tipOf(const Hit& hit) const {
    const session::RankRun& run = report_->set.ranks[hit.place];
    if (hit.collective >= 0) {
        const auto number = static_cast<std::size_t>(hit.collective);
        const session::CollectiveTimes& times = report_->times[number];
        QString tip = tr("rank %1: %2").arg(run.rank()).arg(text(report_->matched[number].name(report_->set)));
        if (times.last >= 0 && times.ranks[hit.place]) {
            tip += static_cast<std::size_t>(times.last) == hit.place
                       ? tr("\ncame last, %1 behind the one before it").arg(secondsText(times.late_by))
                       : tr("\nwaited %1 for rank %2")
                             .arg(secondsText(times.ranks[hit.place]->waited))
                             .arg(report_->set.ranks[static_cast<std::size_t>(times.last)].rank());
        }
        return tip;
    }
    if (hit.event == 0 || hit.event > run.recording->event_count()) return tr("rank %1").arg(run.rank());
    const session::Event& event = run.recording->event(hit.event);
    return tr("rank %1: #%2 %3 %4\n%5")
        .arg(run.rank())
        .arg(hit.event)
        .arg(shortOpName(event.op), text(event.scope), secondsText(event.duration));
}

void RankLanes::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position();
    pressed_from_ = from_;
    pressed_to_ = to_;
    has_moved_ = false;
}

void RankLanes::mouseMoveEvent(QMouseEvent* event) {
    if (pressed_) {
        const double moved = event->position().x() - pressed_->x();
        has_moved_ = has_moved_ || std::abs(moved) > 3;
        if (!has_moved_) return;
        const double by = moved / std::max(1.0, width() - kGutter) * (pressed_to_ - pressed_from_);
        zoomTo(pressed_from_ - by, pressed_to_ - by);
        return;
    }
    const auto hit = hitAt(event->position());
    QToolTip::showText(event->globalPosition().toPoint(), hit ? tipOf(*hit) : QString(), this);
}

void RankLanes::mouseReleaseEvent(QMouseEvent* event) {
    const bool isClick = pressed_ && !has_moved_;
    pressed_.reset();
    if (!isClick) return;
    if (const auto hit = hitAt(event->position()))
        Ranks::of(bridge_).goTo(
            {.rank = report_->set.ranks[hit->place].rank(), .event = hit->event, .value = 0, .place = {}});
}

void RankLanes::wheelEvent(QWheelEvent* event) {
    const double factor = std::pow(0.8, event->angleDelta().y() / 120.0);
    const double at = timeAt(event->position().x());
    zoomTo(at - (at - from_) * factor, at + (to_ - at) * factor);
    event->accept();
}

}  // namespace loupe::views
