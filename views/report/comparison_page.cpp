// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/comparison_page.h"

#include <algorithm>
#include <cmath>

#include "views/report/html.h"

namespace loupe::views {

using session::EventDifference;
using session::ModuleDifference;
using session::ParameterDifference;
using session::Presence;
using session::RunDifferences;

namespace {

using html::cell;
using html::escaped;
using html::row;

constexpr qsizetype kMostModules = 40;
constexpr qsizetype kMostRows = 20;
constexpr std::size_t kMostCosts = 10;

// A table of rows, those beyond the most behind a line that opens them. Empty without rows.
QString table(const QString& head, const QStringList& rows, qsizetype most) {
    if (rows.isEmpty()) return {};
    const QString open = QStringLiteral("<table>%1\n").arg(head);
    QString out = open + rows.mid(0, most).join(QString()) + QStringLiteral("</table>\n");
    if (rows.size() > most)
        out += QObject::tr("<details><summary>and %1 more</summary>\n").arg(rows.size() - most) + open +
               rows.mid(most).join(QString()) + QStringLiteral("</table></details>\n");
    return out;
}

// The first rows, and how many more there are.
QString shortList(const QString& head, const QStringList& rows) {
    if (rows.isEmpty()) return {};
    QString out =
        QStringLiteral("<table>%1\n").arg(head) + rows.mid(0, kMostRows).join(QString()) + QStringLiteral("</table>\n");
    if (rows.size() > kMostRows) out += QObject::tr("<p class='faint'>and %1 more</p>\n").arg(rows.size() - kMostRows);
    return out;
}

QString sentence(const QString& text, bool isBad) {
    return QStringLiteral("<p class='lead %1'>%2</p>\n")
        .arg(isBad ? QStringLiteral("bad") : QStringLiteral("good"), escaped(text));
}

QString leadOf(const RunDifferences& found) {
    QString out = sentence(text(found.headline()), found.diverges() || found.compared == 0);
    if (found.forward && found.backward)
        out += sentence(QObject::tr("first divergence in backward: %1").arg(text(found.backward->text)), true);
    return out;
}

QString toleranceText(const session::CompareOptions& options) {
    if (!options.rtol && !options.atol) return QObject::tr("by dtype, as torch.testing.assert_close");
    const auto number = [](const std::optional<double>& given) {
        return given ? QString::number(*given, 'g', 6) : QObject::tr("by dtype");
    };
    return QObject::tr("rtol %1, atol %2").arg(number(options.rtol), number(options.atol));
}

QString differenceCells(const std::optional<session::Difference>& numbers) {
    QString out;
    for (int column = 0; column < kDifferenceColumns; ++column)
        out += cell(numbers ? differenceText(*numbers, static_cast<DifferenceColumn>(column)) : QString(), "n");
    return out;
}

QString differenceHeads() {
    QString out;
    for (int column = 0; column < kDifferenceColumns; ++column)
        out += QStringLiteral("<th class='n' title='%2'>%1</th>")
                   .arg(escaped(differenceHeader(static_cast<DifferenceColumn>(column))),
                        escaped(differenceTip(static_cast<DifferenceColumn>(column))));
    return out;
}

QString marked(const QString& text, const char* tone) {
    return QStringLiteral("<span class='%1'>%2</span>").arg(QLatin1String(tone), text);
}

QString backwardCell(const ModuleDifference& module) {
    return cell(module.backward ? differenceText(*module.backward, DifferenceColumn::Snr) : QString(), "n");
}

QString backwardHead() {
    return QObject::tr("<th class='n' title='Signal to noise of the gradient that leaves the module'>Backward</th>");
}

// What a module came to, in a word or two.
QString verdictOf(const ModuleDifference& module) {
    if (module.presence == Presence::OnlyThere) return marked(QObject::tr("only there"), "bad");
    if (module.diverges) return marked(QObject::tr("differs"), "bad");
    if (module.backward_diverges) return marked(QObject::tr("its gradient differs"), "bad");
    if (module.numbers) return marked(module.numbers->is_same() ? QObject::tr("equal") : QObject::tr("close"), "good");
    return module.presence == Presence::OnlyHere ? marked(QObject::tr("only here"), "bad") : QString();
}

QString moduleTable(const RunDifferences& found) {
    QStringList rows;
    const bool hasBackward = std::any_of(found.modules.begin(), found.modules.end(), [](const ModuleDifference& each) {
        return each.backward || each.backward_diverges;
    });
    for (const ModuleDifference& module : found.modules) {
        if (!module.has_events && module.presence == Presence::Both) continue;
        const bool isThere = module.presence == Presence::OnlyThere;
        QString name = escaped(scopeText(isThere ? module.there : module.here));
        if (module.presence == Presence::Both && module.there != module.here)
            name += QObject::tr(" <span class='faint'>there %1</span>").arg(escaped(scopeText(module.there)));
        rows << QStringLiteral("<tr>%1%2%3%4</tr>\n")
                    .arg(cell(name, "m"), cell(escaped(module.class_name), ""),
                         differenceCells(module.numbers) + (hasBackward ? backwardCell(module) : QString()),
                         cell(verdictOf(module), ""));
    }
    if (rows.isEmpty()) return {};
    return QObject::tr("<h3>By module</h3>\n") +
           table(QObject::tr("<tr><th>Module</th><th>Class</th>%1<th></th></tr>")
                     .arg(differenceHeads() + (hasBackward ? backwardHead() : QString())),
                 rows, kMostModules);
}

QString parameterTable(const RunDifferences& found) {
    QStringList rows;
    for (const ParameterDifference& each : found.parameters) {
        const bool differs = each.numbers && !each.numbers->is_close();
        const bool isOther = each.presence == Presence::Both && each.why.text().starts_with("shape");
        if (!differs && !isOther) continue;
        rows << QStringLiteral("<tr>%1%2%3</tr>\n")
                    .arg(cell(escaped(each.here), "m"), differenceCells(each.numbers), cell(escaped(each.why), ""));
    }
    if (rows.isEmpty()) return {};
    return QObject::tr("<h3>Parameters that differ</h3>\n") +
           shortList(QObject::tr("<tr><th>Parameter</th>%1<th></th></tr>").arg(differenceHeads()), rows);
}

QString whose(bool isHere) { return isHere ? QObject::tr("this run") : QObject::tr("the reference"); }

QString presenceRow(bool isHere, const QString& kind, const QString& name, const QString& place) {
    return QStringLiteral("<tr>%1%2%3%4</tr>\n")
        .arg(cell(whose(isHere), ""), cell(kind, ""), cell(escaped(name), "m"), cell(escaped(place), "m"));
}

// Modules and parameters first: events of a module that only one has follow from it.
QString onlyInOne(const RunDifferences& found, const session::Recording& recording) {
    QStringList rows;
    for (const ModuleDifference& each : found.modules) {
        if (each.presence == Presence::Both) continue;
        const bool isHere = each.presence == Presence::OnlyHere;
        rows << presenceRow(isHere, QObject::tr("module"), scopeText(isHere ? each.here : each.there),
                            text(each.class_name));
    }
    for (const ParameterDifference& each : found.parameters) {
        if (each.presence == Presence::Both) continue;
        const bool isHere = each.presence == Presence::OnlyHere;
        rows << presenceRow(isHere, QObject::tr("parameter"), text(isHere ? each.here : each.there), {});
    }
    for (const EventDifference& each : found.events) {
        if (each.here != 0 && each.there != 0) continue;
        // Where nothing is aligned every event would be one.
        if (each.there == 0 && found.aligned == 0) continue;
        if (each.here != 0) {
            const session::Event& event = recording.event(each.here);
            rows << presenceRow(true, QObject::tr("event"), QStringLiteral("#%1 %2").arg(each.here).arg(text(event.op)),
                                scopeText(event.scope));
        } else {
            const session::ReferenceEvent& event = found.reference_events[each.there - 1];
            rows << presenceRow(false, QObject::tr("event"),
                                QStringLiteral("#%1 %2").arg(each.there).arg(text(event.op)), scopeText(event.scope));
        }
    }
    if (rows.isEmpty()) return {};
    return QObject::tr("<h3>What only one of them has</h3>\n") +
           shortList(QObject::tr("<tr><th>Only in</th><th></th><th>Name</th><th>Where</th></tr>"), rows);
}

QString signedText(double difference, QString (*format)(double)) {
    if (difference == 0) return QStringLiteral("0");
    return (difference < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + format(std::fabs(difference));
}

// Modules without modules in them: the rest are their sums.
std::vector<const ModuleDifference*> slowerModules(const RunDifferences& found) {
    std::vector<const ModuleDifference*> out;
    for (const ModuleDifference& each : found.modules) {
        const bool isSlower = each.has_events && each.seconds_here > 1.1 * each.seconds_there;
        if (each.presence == Presence::Both && isSlower) out.push_back(&each);
    }
    std::sort(out.begin(), out.end(), [](const ModuleDifference* a, const ModuleDifference* b) {
        return a->seconds_here - a->seconds_there > b->seconds_here - b->seconds_there;
    });
    if (out.size() > kMostCosts) out.resize(kMostCosts);
    return out;
}

// Which of both times is not one to compare.
QString whyNoTimes(const RunDifferences& found) {
    if (found.is_warm_here) return QObject::tr("not compared: the reference has the times of a first run only");
    if (found.is_warm_there) return QObject::tr("not compared: this run has the times of a first run only");
    return QObject::tr("not compared: both have the times of a first run only");
}

QString costs(const RunDifferences& found) {
    QString out = QObject::tr(
        "<h3>Time and memory</h3>\n<table><tr><th></th><th class='n'>This run</th><th class='n'>Reference</th><th "
        "class='n'>Difference</th></tr>\n");
    const auto line = [](const QString& name, const QString& here, const QString& there, const QString& difference) {
        return QStringLiteral("<tr><td>%1</td>%2%3%4</tr>\n")
            .arg(name, cell(here, "n"), cell(there, "n"), cell(difference, "n"));
    };
    if (found.has_times())
        out += line(QObject::tr("Operators, warm"), secondsText(found.seconds_here), secondsText(found.seconds_there),
                    signedText(found.seconds_here - found.seconds_there, secondsText));
    const bool hasPeaks = found.peak_there > 0;
    out += line(QObject::tr("Peak of memory"), bytesText(static_cast<double>(found.peak_here)),
                hasPeaks ? bytesText(static_cast<double>(found.peak_there)) : QObject::tr("not known"),
                hasPeaks ? signedText(static_cast<double>(found.peak_here - found.peak_there), bytesText) : QString());
    out += QStringLiteral("</table>\n");
    if (!found.has_times()) return out + QObject::tr("<p class='faint'>Times: %1.</p>\n").arg(whyNoTimes(found));
    QStringList rows;
    for (const ModuleDifference* each : slowerModules(found))
        rows << QStringLiteral("<tr>%1%2%3%4</tr>\n")
                    .arg(cell(escaped(scopeText(each->here)), "m"), cell(secondsText(each->seconds_here), "n"),
                         cell(secondsText(each->seconds_there), "n"),
                         cell(signedText(each->seconds_here - each->seconds_there, secondsText), "n"));
    if (rows.isEmpty()) return out;
    return out + QObject::tr("<p>Where this run is slower:</p>\n") +
           shortList(QObject::tr("<tr><th>Module</th><th class='n'>This run</th><th class='n'>Reference</th><th "
                                 "class='n'>Slower by</th></tr>"),
                     rows);
}

}  // namespace

QString comparisonSection(const Comparison& comparison, const session::PinnedReference& reference,
                          const RunDifferences& found, const session::Recording& recording) {
    QString out = QObject::tr("<section class='compared'><h2>Compared with %1</h2>\n").arg(escaped(reference.label));
    out += leadOf(found);
    QStringList facts{
        QObject::tr("%1 aligned").arg(counted(found.aligned, "event")),
        QObject::tr("%1 compared").arg(found.compared),
        QObject::tr("%1 beyond tolerance").arg(found.diverging),
    };
    if (found.only_here > 0) facts << QObject::tr("%1 only in this run").arg(found.only_here);
    if (found.only_there > 0) facts << QObject::tr("%1 only in the reference").arg(found.only_there);
    facts << QObject::tr("tolerance %1").arg(toleranceText(comparison.options()));
    out += QStringLiteral("<p class='faint'>%1.</p>\n").arg(escaped(facts.join(QStringLiteral(", "))));
    for (const std::string& note : found.notes) out += QStringLiteral("<p>%1.</p>\n").arg(escaped(note));
    out += moduleTable(found) + onlyInOne(found, recording) + parameterTable(found);
    if (!reference.is_arrays) out += costs(found);
    return out + QStringLiteral("</section>\n");
}

}  // namespace loupe::views
