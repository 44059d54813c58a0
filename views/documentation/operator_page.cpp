// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/documentation/operator_page.h"

#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/documentation/formula_text.h"

namespace loupe::views {

using session::Event;
using session::OperatorInfo;

namespace {

QString colour(Theme::Colour role) { return Theme::instance().colour(role).name(); }

QString escaped(std::string_view words) { return text(words).toHtmlEscaped(); }

QString link(const QString& to, const QString& words) {
    return QStringLiteral("<a href=\"%1\" style=\"text-decoration: none; color: %3\">%2</a>")
        .arg(to.toHtmlEscaped(), words, colour(Theme::Colour::Accent));
}
QString operatorLink(const std::string& name) {
    const QString shown = text(name);
    return link(QStringLiteral("op:") + shown,
                (shown.startsWith(QLatin1String("aten::")) ? shown.mid(6) : shown).toHtmlEscaped());
}
QString faint(const QString& html) {
    return QStringLiteral("<span style=\"color: %1\">%2</span>").arg(colour(Theme::Colour::Faint), html);
}
QString mono(const QString& html) {
    return QStringLiteral("<span style=\"font-family: '%1'; font-size: 8.5pt\">%2</span>")
        .arg(Theme::instance().codeFont().family(), html);
}

QString chip(const QString& words, Theme::Colour back, Theme::Colour front = Theme::Colour::Text) {
    return QStringLiteral(
               "<span style=\"background-color: %1; color: %2; font-size: 8pt\">&nbsp;%3&nbsp;</span>&nbsp; ")
        .arg(colour(back), colour(front), words.toHtmlEscaped());
}

QString heading(const QString& words) {
    return QStringLiteral(
               "<p style=\"margin-top: 14px; margin-bottom: 4px; font-size: 8.5pt; font-weight: 600; color: "
               "%1\">%2</p>")
        .arg(colour(Theme::Colour::Faint), words.toUpper().toHtmlEscaped());
}

// The families that set mathematics well, the best first.
const char kMathFonts[] =
    "'STIX Two Text', 'Libertinus Serif', 'Latin Modern Roman', 'Cambria', 'Noto Serif', 'DejaVu Serif'";

QString set(const QString& formula, double points, const OperatorInfo& info) {
    QSet<QString> variables;
    for (const auto& argument : info.arguments) variables += text(argument.name);
    for (const auto& result : info.returns) variables += text(result.name);
    return QStringLiteral("<span style=\"font-family: %1; font-size: %2pt\">%3</span>")
        .arg(QLatin1String(kMathFonts))
        .arg(points)
        .arg(formulaHtml(formula, variables));
}

QString box(const QString& html) {
    return QStringLiteral(
               "<table width=\"100%\" cellspacing=\"0\" cellpadding=\"10\" style=\"margin-top: 8px\"><tr><td "
               "bgcolor=\"%1\">%2</td></tr></table>")
        .arg(colour(Theme::Colour::Raised), html);
}

class Rows {
  public:
    void add(const QStringList& cells, Theme::Colour back = Theme::Colour::Panel) {
        html_ += QStringLiteral("<tr bgcolor=\"%1\">").arg(colour(back));
        for (const QString& cell : cells)
            html_ += QStringLiteral("<td style=\"padding: 2px 10px 2px 4px\">%1</td>").arg(cell);
        html_ += QStringLiteral("</tr>");
    }
    QString html() const {
        return html_.isEmpty()
                   ? QString()
                   : QStringLiteral(
                         "<table cellspacing=\"0\" cellpadding=\"0\" style=\"margin-bottom: 8px\">%1</table>")
                         .arg(html_);
    }

  private:
    QString html_;
};

QString aliasText(const OperatorInfo::Argument& argument) {
    if (argument.alias.empty()) return {};
    const QString mark = mono(QStringLiteral("(%1)").arg(escaped(argument.alias)));
    return mark + QLatin1Char(' ') +
           faint(argument.is_written ? QObject::tr("written in place")
                                     : QObject::tr("shares its memory with what bears the same letter"));
}

QString titleHtml(const OperatorInfo& info) {
    const QString full = text(info.name);
    const qsizetype space = full.indexOf(QLatin1String("::")) + 2;
    const qsizetype dot = full.indexOf(u'.', space);
    const QString name = dot < 0 ? full.mid(space) : full.mid(space, dot - space);
    QString html =
        QStringLiteral("<p style=\"margin: 0\">%1<span style=\"font-size: 16pt; font-weight: 600\">%2</span>%3</p>")
            .arg(faint(full.left(space).toHtmlEscaped()), name.toHtmlEscaped(),
                 dot < 0 ? QString() : faint(full.mid(dot).toHtmlEscaped()));
    QString chips = chip(text(info.family), Theme::Colour::Raised, Theme::Colour::Faint);
    if (info.is_composite)
        chips += chip(QObject::tr("made of other operators"), Theme::Colour::Raised, Theme::Colour::Faint);
    if (info.is_view) chips += chip(QObject::tr("view: shares memory"), Theme::Colour::AccentBack);
    if (info.is_random) chips += chip(QObject::tr("random: draws from the generator"), Theme::Colour::ReachedBack);
    if (info.is_gradient_stop) chips += chip(QObject::tr("gradient ends here"), Theme::Colour::BadBack);
    return html + QStringLiteral("<p style=\"margin-top: 4px; margin-bottom: 0\">%1</p>").arg(chips);
}

// The schema, a line an argument when it is long.
QString schemaHtml(const OperatorInfo& info) {
    const QString schema = text(info.schema);
    QString html = schema.toHtmlEscaped();
    const qsizetype open = schema.indexOf(u'(');
    if (schema.size() > 72 && open > 0) {
        const qsizetype arrow = schema.lastIndexOf(QLatin1String(") -> "));
        QString arguments = schema.mid(open + 1, arrow - open - 1);
        // Commas inside brackets part no arguments.
        QString lines;
        int depth = 0;
        for (const QChar c : std::as_const(arguments)) {
            if (c == u'[' || c == u'(') ++depth;
            if (c == u']' || c == u')') --depth;
            lines += QString(c).toHtmlEscaped();
            if (c == u',' && depth == 0) lines += QStringLiteral("<br>&nbsp;&nbsp;&nbsp;");
        }
        html = schema.left(open + 1).toHtmlEscaped() + QStringLiteral("<br>&nbsp;&nbsp;&nbsp;&nbsp;") + lines +
               schema.mid(arrow).toHtmlEscaped();
    }
    return heading(QObject::tr("Schema")) + QStringLiteral("<p style=\"margin: 0\">%1</p>").arg(mono(html));
}

QString argumentsHtml(const OperatorInfo& info) {
    if (info.arguments.empty() && info.returns.empty()) return {};
    Rows rows;
    for (const auto& argument : info.arguments) {
        QStringList notes;
        if (!argument.default_text.empty())
            notes += faint(QObject::tr("default")) + QLatin1Char(' ') + mono(escaped(argument.default_text));
        if (argument.is_keyword_only) notes += faint(QObject::tr("by keyword only"));
        if (const QString alias = aliasText(argument); !alias.isEmpty()) notes += alias;
        rows.add({QStringLiteral("<b>%1</b>").arg(escaped(argument.name)), mono(escaped(argument.type)),
                  notes.join(faint(QStringLiteral(" · ")))});
    }
    int index = 0;
    for (const auto& result : info.returns) {
        const QString name = !result.name.empty()       ? escaped(result.name)
                             : info.returns.size() == 1 ? QStringLiteral("out")
                                                        : QStringLiteral("out%1").arg(index);
        rows.add({faint(QStringLiteral("→ ")) + name, mono(escaped(result.type)), aliasText(result)});
        ++index;
    }
    return heading(QObject::tr("Arguments and results")) + rows.html();
}

QString savedHtml(const OperatorInfo& info) {
    if (info.saved.empty()) return QObject::tr("Keeps no tensor for backward.");
    QStringList kept;
    for (const auto& saved : info.saved) {
        const QString name = QStringLiteral("<b>%1</b>").arg(escaped(saved.name));
        kept += saved.if_needed.empty()
                    ? name
                    : name + faint(QObject::tr(" (if the gradient of %1 is wanted)").arg(escaped(saved.if_needed)));
    }
    return QObject::tr("Keeps for backward: %1").arg(kept.join(QStringLiteral(", ")));
}

QString gradientHtml(const OperatorInfo& info) {
    QString html = heading(QObject::tr("Gradient"));
    Rows rows;
    for (const auto& argument : info.arguments) {
        if (argument.gradient.empty() || argument.type.find("Tensor") == std::string::npos) continue;
        rows.add({QStringLiteral("<span style=\"font-family: %1; font-size: 11pt\">∂<i>%2</i> =</span>")
                      .arg(QLatin1String(kMathFonts), escaped(argument.name)),
                  set(text(argument.gradient), 11, info)});
    }
    const auto paragraph = [](const QString& words) {
        return QStringLiteral("<p style=\"margin: 2px 0 4px 0\">%1</p>").arg(words);
    };
    if (!info.derivative.empty())
        html += paragraph(
            QObject::tr("Backward node %1.").arg(mono(QStringLiteral("<b>%1</b>").arg(escaped(info.derivative)))) +
            QLatin1Char(' ') + savedHtml(info));
    else if (info.is_gradient_stop)
        html += paragraph(QObject::tr("None: results never require a gradient."));
    else if (info.is_composite)
        html += paragraph(QObject::tr("Of the operators that it is made of; in all:"));
    else
        html += paragraph(QObject::tr("None."));
    if (rows.html().isEmpty() && info.is_composite && !info.is_gradient_stop) {
        html = heading(QObject::tr("Gradient")) + paragraph(QObject::tr("Of the operators that it is made of."));
    }
    if (rows.html().isEmpty()) return html;
    return html + rows.html() +
           paragraph(
               faint(QObject::tr("<i>grad</i> is the gradient that arrives for the result, <i>out</i> the result.")));
}

QString quantity(double value, const char* unit) {
    static const char* const kPrefixes[] = {"", "k", "M", "G", "T", "P"};
    int step = 0;
    while (value >= 1000 && step < 5) {
        value /= 1000;
        ++step;
    }
    return QStringLiteral("%1 %2%3")
        .arg(value, 0, 'f',
             value < 10 && step > 0    ? 2
             : value < 100 && step > 0 ? 1
                                       : 0)
        .arg(QLatin1String(kPrefixes[step]), QLatin1String(unit));
}

QString costHtml(const OperatorPage& page) {
    QString html = heading(QObject::tr("Cost"));
    const QString rule =
        page.info.is_composite && !page.info.has_cost ? QObject::tr("The sum of the operators that it is made of.")
        : page.info.has_cost
            ? QObject::tr("The record counts arithmetic operations and bytes moved from the shapes.")
            : QObject::tr("Every input is read and every output written once; no arithmetic is counted.");
    html += QStringLiteral("<p style=\"margin: 2px 0 4px 0\">%1</p>").arg(faint(rule));
    if (page.event == 0) return html;
    const Event& event = page.recording->event(page.event);
    Rows rows;
    const auto times = page.recording->warm_times();
    const session::OperatorTime* warm = times ? times->of(event.id) : nullptr;
    const double seconds = warm ? warm->median : event.duration;
    const QString what = warm            ? QObject::tr("median of %1 warm runs").arg(times->repeats)
                         : event.is_cold ? QObject::tr("first recorded call of its kernel")
                                         : QString();
    rows.add({QObject::tr("Time"), QStringLiteral("<b>%1</b>").arg(secondsText(seconds)),
              what.isEmpty() ? QString() : faint(what)});
    if (const double setup = event.setup.total(); setup > 0)
        rows.add({QObject::tr("Set-up"), QStringLiteral("<b>%1</b>").arg(secondsText(setup)),
                  faint(text(event.setup.text()))});
    if (const std::string device = event.device.text(); !device.empty())
        rows.add({QObject::tr("Device"), escaped(device), QString()});
    if (event.flops > 0) {
        rows.add({QObject::tr("Arithmetic"), QStringLiteral("<b>%1</b>").arg(quantity(event.flops, "FLOP")),
                  seconds > 0 ? faint(quantity(event.flops / seconds, "FLOP/s")) : QString()});
    }
    if (event.bytes_moved > 0) {
        rows.add({QObject::tr("Bytes moved"), QStringLiteral("<b>%1</b>").arg(bytesText(event.bytes_moved)),
                  seconds > 0 ? faint(bytesText(event.bytes_moved / seconds) + QStringLiteral("/s")) : QString()});
    }
    if (event.flops > 0 && event.bytes_moved > 0) {
        const double intensity = event.flops / event.bytes_moved;
        rows.add({QObject::tr("Intensity"), QStringLiteral("<b>%1 FLOP/B</b>").arg(numberText(intensity)),
                  faint(intensity < 4 ? QObject::tr("memory is likely the limit")
                                      : QObject::tr("arithmetic is likely the limit"))});
    }
    return html + rows.html();
}

QString kernelsHtml(const OperatorPage& page) {
    QString html = heading(QObject::tr("Kernels"));
    const Event* event = page.event != 0 ? &page.recording->event(page.event) : nullptr;
    const QString ran = event ? text(event->backend) : QString();
    Rows rows;
    QStringList listed;
    for (const auto& kernel : page.info.kernels) {
        const QString backend = text(kernel.backend);
        const QString name = QStringLiteral("%1 %2").arg(backend.toHtmlEscaped(), faint(text(kernel.device)));
        const bool is_taken = backend == ran && !listed.contains(backend);
        QString reason;
        for (const std::string& line : event ? event->declined : std::vector<std::string>()) {
            const QString why = text(line);
            if (why.startsWith(backend + u' ') || why.startsWith(backend + u':'))
                reason = why.mid(backend.size()).remove(QLatin1String(" declined:")).remove(u':').trimmed();
        }
        listed += backend;
        rows.add({is_taken ? QStringLiteral("<span style=\"color: %1\">●</span>").arg(colour(Theme::Colour::Good))
                           : faint(QStringLiteral("○")),
                  name,
                  is_taken            ? QObject::tr("ran")
                  : !reason.isEmpty() ? faint(QObject::tr("declined: ")) + reason.toHtmlEscaped()
                                      : QString()},
                 is_taken ? Theme::Colour::AccentBack : Theme::Colour::Panel);
    }
    if (page.info.is_composite) {
        html +=
            QStringLiteral("<p style=\"margin: 2px 0 4px 0\">%1</p>")
                .arg(ran.isEmpty() ? QObject::tr("None of its own: it calls other operators.")
                                   : QObject::tr("None of its own: it calls other operators, whose last kernel was %1.")
                                         .arg(QStringLiteral("<b>%1</b>").arg(ran.toHtmlEscaped())));
        for (const std::string& line : event ? event->declined : std::vector<std::string>())
            rows.add({faint(QStringLiteral("○")), escaped(line)});
    } else if (event != nullptr && event->device.fell_back) {
        rows.add({QStringLiteral("<span style=\"color: %1\">●</span>").arg(colour(Theme::Colour::Good)),
                  ran.toHtmlEscaped(), escaped(event->device.text())},
                 Theme::Colour::AccentBack);
    } else if (page.info.kernels.empty()) {
        html += QStringLiteral("<p style=\"margin: 2px 0 4px 0\">%1</p>").arg(QObject::tr("None."));
    }
    return html + rows.html();
}

QString linksHtml(const QString& title, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    QStringList links;
    for (const std::string& name : names) links += operatorLink(name);
    return heading(title) + QStringLiteral("<p style=\"margin: 2px 0 0 0\">%1</p>")
                                .arg(mono(links.join(QStringLiteral("&nbsp;&nbsp; "))));
}

QString usesHtml(const std::vector<OperatorUse>& uses, std::size_t count) {
    QString html = heading(QObject::tr("In this model"));
    if (uses.empty())
        return html + QStringLiteral("<p style=\"margin: 2px 0\">%1</p>").arg(faint(QObject::tr("Not called.")));
    Rows rows;
    for (const OperatorUse& use : uses) {
        rows.add({link(use.link, use.place.toHtmlEscaped()), faint(use.detail.toHtmlEscaped())},
                 use.is_current ? Theme::Colour::AccentBack : Theme::Colour::Panel);
    }
    html += rows.html();
    if (count > uses.size())
        html += QStringLiteral("<p style=\"margin: 2px 4px\">%1</p>")
                    .arg(faint(QObject::tr("and %1 more").arg(count - uses.size())));
    return html;
}

QString body(const QString& html) {
    return QStringLiteral("<html><body style=\"margin: 10px 12px\">%1</body></html>").arg(html);
}

}  // namespace

QString operatorPageHtml(const OperatorPage& page) {
    const OperatorInfo& info = page.info;
    QString html = titleHtml(info);
    html += QStringLiteral("<p style=\"margin-top: 8px; margin-bottom: 0; font-size: 10.5pt\">%1</p>")
                .arg(escaped(info.summary));
    if (!info.formula.empty()) html += box(set(text(info.formula), 13, info));
    html += gradientHtml(info) + argumentsHtml(info) + costHtml(page) + kernelsHtml(page) + schemaHtml(info);
    html += linksHtml(QObject::tr("Forms"), info.variants) + linksHtml(QObject::tr("Overloads"), info.overloads) +
            linksHtml(QObject::tr("Related"), info.related);
    return body(html + usesHtml(page.uses, page.use_count));
}

QString languagePageHtml(const QString& kind, const std::vector<OperatorUse>& uses, std::size_t use_count) {
    QString words = QObject::tr("A statement of the language, no operator: it has no record.");
    if (kind == QLatin1String("AccumulateGrad"))
        words = QObject::tr("Where a gradient ends: it is added to the grad of a parameter or input.");
    else if (!kind.contains(QLatin1String("::")))
        words = QObject::tr("A module: a call of its forward. Its operators are inside.");
    return body(QStringLiteral("<p style=\"margin: 0; font-size: 16pt; font-weight: 600\">%1</p><p style=\"margin-top: "
                               "8px; font-size: 10.5pt\">%2</p>")
                    .arg(kind.toHtmlEscaped(), words) +
                usesHtml(uses, use_count));
}

}  // namespace loupe::views
