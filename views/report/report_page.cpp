// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/report_page.h"

#include <QFileInfo>

#include <algorithm>
#include <map>

#include "core/study/gradient_health.h"
#include "core/study/verdict.h"
#include "views/common/engine_words.h"
#include "views/report/comparison_page.h"
#include "views/report/html.h"

namespace loupe::views {
namespace {

const char* kStyle = R"(
:root { color-scheme: light dark; --back: #fff; --text: #1d2229; --faint: #66707c; --line: #dde1e6; --head: #f3f5f7; --bad: #b3261e; --good: #2e7d32; }
@media (prefers-color-scheme: dark) { :root { --back: #16191d; --text: #dfe3e8; --faint: #8f99a5; --line: #2c3239; --head: #1f2429; --bad: #ff8a80; --good: #81c784; } }
body { background: var(--back); color: var(--text); font: 14px/1.5 system-ui, sans-serif; font-variant-ligatures: no-contextual; max-width: 1400px; margin: 24px auto; padding: 0 20px; }
h1 { font-size: 22px; margin: 0 0 2px; } h2 { font-size: 16px; margin: 30px 0 8px; } h3 { font-size: 14px; margin: 20px 0 6px; }
.lead { font-size: 16px; margin: 4px 0; } section.compared { margin-top: 18px; } details { margin: 4px 0; } summary { cursor: pointer; color: var(--faint); }
.faint, figcaption { color: var(--faint); } p.faint, figcaption { margin: 2px 0 8px; } .bad { color: var(--bad); } .good { color: var(--good); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th, td { padding: 3px 14px 3px 8px; border-bottom: 1px solid var(--line); text-align: left; }
th { background: var(--head); font-weight: 600; } td.n, th.n { text-align: right; } td.m { font-family: ui-monospace, monospace; font-size: 12.5px; }
figure { margin: 0 0 28px; } img { max-width: 100%; border: 1px solid var(--line); border-radius: 4px; }
nav a { margin-right: 14px; } .columns { display: flex; gap: 48px; flex-wrap: wrap; }
)";

using html::escaped;
using html::row;

QString modelTable(const session::ModelInfo& model) {
    QString html = QStringLiteral("<table>\n");
    html += row(QObject::tr("File"), escaped(model.path)) + row(QObject::tr("Format"), escaped(model.format));
    html += row(QObject::tr("Modules"), countText(static_cast<std::int64_t>(model.modules.size())));
    html += row(QObject::tr("Parameters"),
                QStringLiteral("%1 (%2)").arg(countText(model.parameter_count),
                                              bytesText(static_cast<double>(model.parameter_bytes))));
    html += row(QObject::tr("Buffers"), bytesText(static_cast<double>(model.buffer_bytes)));
    for (const session::MethodInfo& method : model.methods) html += row(QObject::tr("Method"), escaped(method.schema));
    if (!model.missing_operators.empty()) {
        QStringList names;
        for (const std::string& name : model.missing_operators) names << escaped(name);
        html += row(QObject::tr("Operators the engine lacks"),
                    QStringLiteral("<span class='bad'>%1</span>").arg(names.join(QStringLiteral(", "))));
    }
    return html + QStringLiteral("</table>\n");
}

struct Kind {
    std::int64_t count = 0;
    double seconds = 0;
    double share = 0;
};

// The warm median where there is one.
double secondsOf(const session::Event& event, const session::OperatorTimes* times) {
    const session::OperatorTime* warm = times ? times->of(event.id) : nullptr;
    return warm ? warm->median : event.duration;
}

// Which times the page has.
QString timesNote(const session::Recording& recording) {
    double setup = 0;
    std::int64_t cold = 0;
    for (std::size_t i = 1; i <= recording.event_count(); ++i) {
        const session::Event& event = recording.event(static_cast<session::EventId>(i));
        setup += event.setup.total();
        cold += event.is_cold;
    }
    const auto times = recording.warm_times();
    const QString apart =
        setup > 0 ? QObject::tr("; the first run took %1 more to set kernels up").arg(secondsText(setup)) : QString();
    if (times) return QObject::tr("median of %1 warm runs%2").arg(times->repeats).arg(apart);
    return QObject::tr("of a first run, with %1 first calls of kernels%2: no warm times were measured")
        .arg(cold)
        .arg(apart);
}

QString runTable(const SessionBridge& bridge) {
    const session::Recording& recording = *bridge.recording();
    const auto times = recording.warm_times();
    std::int64_t phases[3] = {};
    double seconds[3] = {};
    std::int64_t bad = 0;
    std::int64_t begun = 0;
    for (std::size_t i = 1; i <= recording.event_count(); ++i) {
        const session::Event& event = recording.event(static_cast<session::EventId>(i));
        ++phases[static_cast<int>(event.phase)];
        seconds[static_cast<int>(event.phase)] += secondsOf(event, times.get());
        bad += event.not_finite != session::NotFinite::None && event.not_finite != session::NotFinite::Meant;
        begun += session::is_origin(event.not_finite);
    }
    QString html = QStringLiteral("<table>\n");
    html +=
        row(QObject::tr("Forward"), QObject::tr("%1, %2").arg(counted(phases[0], "operator"), secondsText(seconds[0])));
    html += row(QObject::tr("Backward"),
                QObject::tr("%1, %2").arg(counted(phases[1], "operator"), secondsText(seconds[1])));
    html += row(QObject::tr("Times"), timesNote(recording));
    const session::EventId peak = recording.peak_event();
    QString where;
    if (peak != 0 && peak <= recording.event_count())
        where = QObject::tr(" at #%1 %2 %3")
                    .arg(peak)
                    .arg(escaped(shortOpName(recording.event(peak).op)), escaped(recording.event(peak).scope));
    html += row(QObject::tr("Peak of memory"), bytesText(static_cast<double>(recording.peak_bytes())) + where);
    html += row(
        QObject::tr("Events with NaN or Inf"),
        bad == 0 ? QStringLiteral("0") : QObject::tr("<span class='bad'>%1</span>, begun in %2").arg(bad).arg(begun));
    if (const auto& verdict = bridge.status().verdict) {
        const bool isBad = verdict->severity >= session::Verdict::Severity::Warning;
        html += row(QObject::tr("Verdict"),
                    QStringLiteral("<span%1>%2</span>")
                        .arg(isBad ? QStringLiteral(" class='bad'") : QString(), escaped(verdict->line())));
    }
    if (!bridge.status().error.empty())
        html += row(QObject::tr("Error"),
                    QStringLiteral("<span class='bad'>%1</span>").arg(escaped(bridge.status().error)));
    return html + QStringLiteral("</table>\n");
}

QString slowestTable(const session::Recording& recording) {
    const auto times = recording.warm_times();
    std::map<std::string_view, Kind> kinds;
    double all = 0;
    for (std::size_t i = 1; i <= recording.event_count(); ++i) {
        const session::Event& event = recording.event(static_cast<session::EventId>(i));
        Kind& kind = kinds[event.op];
        ++kind.count;
        kind.seconds += secondsOf(event, times.get());
        all += secondsOf(event, times.get());
    }
    std::vector<std::pair<std::string_view, Kind>> sorted(kinds.begin(), kinds.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
    if (sorted.size() > 12) sorted.resize(12);
    QString html = QObject::tr(
        "<table><tr><th>Operator</th><th class='n'>Calls</th><th class='n'>Time</th><th class='n'>Share</th></tr>\n");
    for (const auto& [op, kind] : sorted) {
        html += QStringLiteral(
                    "<tr><td class='m'>%1</td><td class='n'>%2</td><td class='n'>%3</td><td class='n'>%4 %</td></tr>\n")
                    .arg(escaped(op), countText(kind.count), secondsText(kind.seconds),
                         QString::number(all > 0 ? 100 * kind.seconds / all : 0, 'f', 1));
    }
    return html + QObject::tr("</table>\n<p class='faint'>Times: %1.</p>\n").arg(timesNote(recording));
}

// " of the finite 43 %" behind the first number of a row.
QString finiteNote(const session::GradientRow& row) {
    return row.has_nan_or_inf() ? QStringLiteral(" <span class='bad'>%1</span>")
                                      .arg(escaped(finiteText(row.count(), row.nan_count + row.inf_count)))
                                : QString();
}

QString gradientSection(const std::vector<session::GradientRow>& rows, const session::Recording* recording) {
    const bool any =
        std::any_of(rows.begin(), rows.end(), [](const session::GradientRow& row) { return row.has_gradient; });
    if (!any) return {};
    const auto troubles = session::judge_gradients(rows, recording);
    QString html = QObject::tr("<h2>Gradients</h2>\n");
    if (recording && recording->backward_start())
        html += QObject::tr("<p>Backward from: %1</p>\n").arg(escaped(engineWord(recording->backward_start()->text)));
    if (troubles.empty())
        html += QObject::tr("<p>Healthy: no NaN or Inf, nothing vanishes or explodes, every parameter is used.</p>\n");
    else {
        html += QStringLiteral("<ul>\n");
        for (const session::GradientFinding& finding : troubles)
            html += QStringLiteral("<li>%1</li>\n").arg(escaped(finding.text));
        html += QStringLiteral("</ul>\n");
    }
    html += QObject::tr(
        "<table><tr><th>Parameter</th><th>Shape</th><th class='n'>mean |g|</th><th class='n'>max |g|</th><th "
        "class='n'>norm</th>"
        "<th class='n'>norm / weights</th><th class='n'>zeros</th></tr>\n");
    for (const session::GradientRow& each : rows) {
        if (!each.has_gradient) continue;
        html += QStringLiteral(
                    "<tr><td class='m'>%1</td><td class='m'>%2</td><td class='n'>%3</td><td class='n'>%4</td><td "
                    "class='n'>%5</td><td class='n'>%6</td><td class='n'>%7</td></tr>\n")
                    .arg(escaped(each.parameter), shapeText(each.shape),
                         each.finite ? numberText(each.finite->mean_abs) + finiteNote(each) : finiteNote(each),
                         each.finite ? numberText(each.finite->max_abs) : QString(),
                         each.finite ? numberText(each.finite->norm) : QString(),
                         each.weight_ratio() ? numberText(*each.weight_ratio()) : QString())
                    .arg(each.finite ? QStringLiteral("%1 %").arg(100 * each.zero_fraction, 0, 'f', 1) : QString());
    }
    return html + QStringLiteral("</table>\n");
}

// One for each reference that the run was compared with.
QString comparisonSections(SessionBridge& bridge) {
    const Comparison& comparison = Comparison::of(bridge);
    QString html;
    for (const session::PinnedReference& reference : comparison.references()) {
        const auto found = comparison.all().find(reference.id);
        if (found != comparison.all().end() && bridge.recording())
            html += comparisonSection(comparison, reference, *found->second, *bridge.recording());
    }
    return html;
}

QString titleOf(SessionBridge& bridge) {
    QStringList titles{text(bridge.model()->title)};
    for (const session::PinnedReference& reference : Comparison::of(bridge).references())
        titles << text(reference.label);
    return titles.join(QLatin1Char(' ') + QObject::tr("against") + QLatin1Char(' '));
}

}  // namespace

QString reportPage(SessionBridge& bridge, const std::vector<session::GradientRow>& gradients,
                   const std::vector<ReportPicture>& pictures, const std::vector<EmptyPanel>& empty) {
    const session::ModelInfo& model = *bridge.model();
    QString html = QStringLiteral(
                       "<!DOCTYPE html>\n<html lang='en'><head><meta "
                       "charset='utf-8'><title>%1</title><style>%2</style></head><body>\n")
                       .arg(escaped(titleOf(bridge)), QLatin1String(kStyle));
    html += QObject::tr("<h1>%1</h1><p class='faint'>%2</p>\n<nav>")
                .arg(escaped(titleOf(bridge)), QString::fromUtf8(kReportMark));
    for (const ReportPicture& each : pictures)
        html +=
            QStringLiteral("<a href='#%1'>%2</a>").arg(QFileInfo(each.file).completeBaseName(), escaped(each.title));
    html += QStringLiteral("</nav>\n") + comparisonSections(bridge);
    html += QObject::tr("<div class='columns'><div><h2>Model</h2>\n%1</div>").arg(modelTable(model));
    if (bridge.recording() && bridge.recording()->event_count() > 0) {
        html += QObject::tr("<div><h2>Run</h2>\n%1</div>").arg(runTable(bridge));
        html += QObject::tr("<div><h2>Where the time went</h2>\n%1</div>").arg(slowestTable(*bridge.recording()));
    } else if (!bridge.status().error.empty()) {
        html += QObject::tr("<div><h2>Run</h2>\n<p class='bad'>%1</p></div>").arg(escaped(bridge.status().error));
    }
    html += QStringLiteral("</div>\n") + gradientSection(gradients, bridge.recording().get());
    for (const ReportPicture& each : pictures) {
        html +=
            QStringLiteral("<figure id='%1'><h2>%2</h2><figcaption>%3</figcaption><img src='%4' alt='%2'></figure>\n")
                .arg(QFileInfo(each.file).completeBaseName(), escaped(each.title), escaped(each.tip),
                     escaped(each.file));
    }
    if (!empty.empty()) {
        html += QObject::tr("<h2>Nothing to show</h2>\n<table>\n");
        for (const EmptyPanel& each : empty)
            html += QStringLiteral("<tr><td>%1</td><td>%2</td></tr>\n").arg(escaped(each.title), escaped(each.note));
        html += QStringLiteral("</table>\n");
    }
    return html + QStringLiteral("</body></html>\n");
}

}  // namespace loupe::views
