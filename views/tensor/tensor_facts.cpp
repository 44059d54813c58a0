// SPDX-License-Identifier: GPL-3.0-or-later
// The side of the Tensor panel: numbers about the elements, their histogram, where a NaN comes from, and the history of
// the storage.
#include <qcustomplot.h>

#include <QListWidget>
#include <QTextBrowser>
#include <algorithm>
#include <cmath>

#include "core/record/not_finite.h"
#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/tensor/elided.h"
#include "views/tensor/tensor_view.h"

namespace loupe::views {

using session::EventId;

void TensorView::fillStatistics() {
    const session::Statistics& s = slice_.statistics;
    if (slice_.dtype.empty()) {
        facts_->clear();
        return;
    }
    const QString faint = Theme::instance().colour(Theme::Colour::Faint).name();
    const QString bad = Theme::instance().colour(Theme::Colour::Bad).name();
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    constexpr qsizetype kOneLine = 40;  // numbers are not broken
    const auto row = [&](const QString& name, const QString& value, bool is_bad = false) {
        html += QStringLiteral(
                    "<tr><td style='color:%1; padding-right:10px; white-space:pre'>%2</td><td style='white-space:%5; "
                    "font-family:monospace;%3'>%4</td></tr>")
                    .arg(faint, name, is_bad ? QStringLiteral("color:") + bad : QString(), value.toHtmlEscaped(),
                         value.size() <= kOneLine ? QStringLiteral("pre") : QStringLiteral("normal"));
    };
    const auto share = [&](std::int64_t count) {
        return s.count == 0 || count == 0
                   ? countText(count)
                   : QStringLiteral("%1 (%2)").arg(countText(count),
                                                   QString::fromStdString(session::share_text(count, s.count)));
    };
    row(tr("elements"), countText(s.count));
    if (const QString share = finiteText(s); !share.isEmpty() && s.count > 0) row(tr("numbers"), share, true);
    if (const auto& f = s.finite) {
        row(tr("min, max"), numberText(f->min) + QStringLiteral(", ") + numberText(f->max));
        row(tr("mean"), numberText(f->mean));
        row(tr("std"), numberText(f->standard_deviation()));
        row(tr("mean |x|, max |x|"), numberText(f->abs_mean) + QStringLiteral(", ") + numberText(f->abs_max));
        row(tr("norm"), numberText(f->norm));
    }
    row(tr("zeros"), share(s.zero_count));
    row(tr("NaN"), share(s.nan_count), s.nan_count > 0);
    row(tr("Inf"), share(s.inf_count), s.inf_count > 0);
    html += originRow();
    row(
        tr("strides"), QStringLiteral("(") + [&] {
            QStringList all;
            for (auto stride : slice_.strides) all << QString::number(stride);
            return all.join(QStringLiteral(", "));
        }() + QStringLiteral(")"));
    row(tr("storage"), tr("#%1, offset %2").arg(slice_.storage_id).arg(slice_.offset));
    if (slice_.is_recomputed)
        row(tr("recomputed"), tr("the elements had been dropped; the run was repeated up to them"));
    if (!slice_.aliases.empty()) {
        QStringList all;
        for (const std::string& alias : slice_.aliases) all << text(alias);
        row(tr("shared with"), elided(all.join(QStringLiteral(", ")), 120));
    }
    facts_->setHtml(html + QStringLiteral("</table>"));
}

// The origin of non-finite values: each event on the way back is a link.
QString TensorView::originRow() const {
    const auto& recording = bridge().recording();
    if (!recording || slice_.value == 0 || slice_.value > recording->value_count() ||
        !slice_.statistics.has_nan_or_inf())
        return {};
    const EventId producer = recording->value(slice_.value).producer;
    if (producer == 0 || producer > bridge().eventCount()) return {};
    const auto kind = recording->event(producer).not_finite;
    if (kind == session::NotFinite::None) return {};
    constexpr std::size_t kShown = 6;
    const auto way = session::trace_origin(*recording, producer);
    QStringList steps;
    for (std::size_t i = 0; i < way.size(); ++i) {
        const bool isLeftOut = way.size() > kShown && i >= kShown / 2 && i + kShown / 2 < way.size();
        if (isLeftOut && i == kShown / 2) steps << tr("%1 more").arg(way.size() - kShown);
        if (isLeftOut) continue;
        if (way[i].event == 0) {
            steps << tr("%1, before the run").arg(text(recording->value(way[i].value).name).toHtmlEscaped());
            continue;
        }
        const session::Event& event = recording->event(way[i].event);
        steps
            << QStringLiteral("<a href='event:%1'>#%1 %2</a>").arg(event.id).arg(shortOpName(event.op).toHtmlEscaped());
    }
    const QString faint = Theme::instance().colour(Theme::Colour::Faint).name();
    return QStringLiteral("<tr><td style='color:%1; padding-right:10px'>%2</td><td>%3%4</td></tr>")
        .arg(faint, tr("origin"), engineWord(session::not_finite_name(kind)),
             steps.size() > 1 ? QStringLiteral(": ") + steps.join(QStringLiteral(" \u2190 ")) : QString());
}

void TensorView::fillHistogram() {
    Theme& theme = Theme::instance();
    histogram_->setBackground(theme.colour(Theme::Colour::Panel));
    const QColor faint = theme.colour(Theme::Colour::Faint);
    for (QCPAxis* axis : {histogram_->xAxis, histogram_->yAxis}) {
        axis->setBasePen(theme.colour(Theme::Colour::Border));
        axis->setTickPen(theme.colour(Theme::Colour::Border));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(faint);
        axis->setTickLabelFont(theme.monoFont());
        axis->grid()->setVisible(false);
    }
    histogram_->xAxis->ticker()->setTickCount(3);
    bars_->setBrush(theme.colour(Theme::Colour::Accent));
    const session::Statistics& s = slice_.statistics;
    hatchNotFinite(notFiniteShare(s));
    const bool isShown = s.finite.has_value();
    histogram_->xAxis->setVisible(isShown);
    histogram_->setToolTip(s.has_nan_or_inf() ? finiteTip(s) : QString());
    const session::FiniteStatistics f = s.finite.value_or(session::FiniteStatistics());
    QVector<double> keys;
    QVector<double> counts;
    // Of equal elements all are in the first bin: one narrow bar in the middle.
    const bool isFlat = !(f.max > f.min);
    const double low = f.min;
    const double margin = isFlat ? 0.5 * std::max(1.0, std::abs(low)) : 0;
    const double step = isFlat ? margin / 50 : (f.max - f.min) / static_cast<double>(slice_.histogram.size());
    double most = 0;
    for (std::size_t i = 0; isShown && i < (isFlat ? 1 : slice_.histogram.size()); ++i) {
        keys << (isFlat ? low : low + step * (static_cast<double>(i) + 0.5));
        // Square roots: a column of zeros leaves the others visible.
        counts << std::sqrt(static_cast<double>(slice_.histogram[i]));
        most = std::max(most, counts.back());
    }
    bars_->setWidth(step);
    bars_->setData(keys, counts, true);
    // Room at the right for the hatched part.
    const double high = (isFlat ? low : f.max) + margin;
    const double part = std::min(not_finite_width_, 0.8);
    histogram_->xAxis->setRange(low - margin, high + (high - low + margin) * part / (1 - part));
    histogram_->yAxis->setRange(0, std::max(1.0, most * 1.05));
    if (isShown) {
        const QString tip = tr("How often values occur, from %1 to %2 (height: square root of the count)")
                                .arg(numberText(f.min), numberText(f.max));
        histogram_->setToolTip(s.has_nan_or_inf() ? tip + QLatin1Char('\n') + finiteTip(s) : tip);
    }
    histogram_->replot(QCustomPlot::rpQueuedReplot);
}

// NaN and Inf are not on the axis: a hatched part at the right, as wide as their share.
void TensorView::hatchNotFinite(double share) {
    not_finite_width_ = share > 0 ? std::max(0.06, share) : 0;
    not_finite_->setVisible(share > 0);
    not_finite_label_->setVisible(share > 0);
    if (share <= 0) return;
    Theme& theme = Theme::instance();
    const bool isAll = slice_.statistics.finite_count() == 0;
    const double from = isAll ? 0 : 1 - std::min(not_finite_width_, 0.8);
    not_finite_->setBrush(theme.notFinite());
    not_finite_->setPen(Qt::NoPen);
    not_finite_->topLeft->setCoords(from, 0);
    not_finite_->bottomRight->setCoords(1, 1);
    not_finite_label_->setText(isAll ? finiteText(slice_.statistics) : QString());
    not_finite_label_->setColor(theme.colour(Theme::Colour::Text));
    not_finite_label_->setBrush(theme.colour(Theme::Colour::Panel));
    not_finite_label_->position->setCoords((from + 1) / 2, 0.5);
}

void TensorView::fillHistory() {
    history_->clear();
    const auto& recording = bridge().recording();
    if (!recording) return;
    std::vector<std::pair<EventId, bool>> all;
    for (EventId id : slice_.writers) all.emplace_back(id, true);
    for (EventId id : slice_.readers) all.emplace_back(id, false);
    std::sort(all.begin(), all.end());
    for (const auto& [id, writes] : all) {
        if (id == 0 || id > recording->event_count() || history_->count() > 400) continue;
        const session::Event& event = recording->event(id);
        auto* item = new QListWidgetItem(QStringLiteral("%1 %2 %3  %4")
                                             .arg(writes ? QStringLiteral("W") : QStringLiteral("R"))
                                             .arg(id, 4)
                                             .arg(shortOpName(event.op), text(event.scope)),
                                         history_);
        item->setData(Qt::UserRole, id);
        if (writes) item->setData(Qt::ForegroundRole, Theme::themed(Theme::Colour::Accent));
    }
}

}  // namespace loupe::views
