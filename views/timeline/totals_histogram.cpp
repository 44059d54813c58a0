// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/totals_histogram.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/format.h"
#include "views/timeline/timeline_surface.h"

namespace loupe::views {
namespace {

constexpr double kMargin = 10;
constexpr double kTitle = 38;
constexpr double kAxis = 20;

}  // namespace

TotalsHistogram::TotalsHistogram(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Calls of the operator by duration"));
    setMinimumWidth(120);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void TotalsHistogram::show(const std::optional<session::OperatorTotals>& totals) {
    totals_ = totals;
    update();
}

double TotalsHistogram::edge(std::size_t bin) const {
    const double from = std::max(totals_->least, 1e-9);
    const double ratio = std::max(totals_->greatest, from) / from;
    return from * std::pow(ratio, static_cast<double>(bin) / session::OperatorTotals::kBins);
}

int TotalsHistogram::binAt(double x) const {
    const double share = (x - kMargin) / std::max(1.0, width() - 2 * kMargin);
    const int bin = static_cast<int>(std::floor(share * session::OperatorTotals::kBins));
    return bin >= 0 && bin < static_cast<int>(session::OperatorTotals::kBins) ? bin : -1;
}

void TotalsHistogram::paintEvent(QPaintEvent*) {
    using C = Theme::Colour;
    QPainter painter(this);
    PainterSurface surface(painter);
    surface.box(0, 0, width(), height(), themeRgb(C::Panel));
    if (!totals_) {
        surface.text(kMargin, 6, themeRgb(C::Faint), tr("Select an operator"));
        return;
    }
    const double room = width() - 2 * kMargin;
    surface.text(kMargin, 4, themeRgb(C::Text), shortened(surface, text(totals_->name), room));
    surface.text(kMargin, 20, themeRgb(C::Faint),
                 tr("%1 by duration").arg(counted(static_cast<std::int64_t>(totals_->count), "call")));
    const double bottom = height() - kAxis;
    const double high = bottom - kTitle - 4;
    if (high < 8) return;
    const auto most = static_cast<double>(std::max<std::uint64_t>(1, *std::ranges::max_element(totals_->histogram)));
    const double wide = room / session::OperatorTotals::kBins;
    for (std::size_t i = 0; i < session::OperatorTotals::kBins; ++i) {
        if (totals_->histogram[i] == 0) continue;
        const double x = kMargin + wide * static_cast<double>(i);
        const double tall = std::max(1.0, high * static_cast<double>(totals_->histogram[i]) / most);
        surface.box(x, bottom - tall, x + wide - 1, bottom, mixed(themeRgb(C::Panel), themeRgb(C::Accent), 0.7));
    }
    surface.line(kMargin, bottom, width() - kMargin, bottom, themeRgb(C::Border));
    const QString last = secondsText(totals_->greatest);
    surface.text(kMargin, bottom + 3, themeRgb(C::Faint), secondsText(totals_->least));
    surface.text(width() - kMargin - surface.textWidth(last), bottom + 3, themeRgb(C::Faint), last);
}

bool TotalsHistogram::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !totals_) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int bin = binAt(help->pos().x());
    if (bin < 0) {
        QToolTip::hideText();
        return true;
    }
    const auto at = static_cast<std::size_t>(bin);
    QToolTip::showText(help->globalPos(),
                       tr("%1 between %2 and %3")
                           .arg(counted(static_cast<std::int64_t>(totals_->histogram[at]), "call"),
                                secondsText(edge(at)), secondsText(edge(at + 1))),
                       this);
    return true;
}

}  // namespace loupe::views
