// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/format.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/strings.h"

namespace loupe::views {
namespace {

// What is counted, as lupdate reads it: translations have the forms of their language's numbers.
[[maybe_unused]] const char* const kCounted[] = {
    QT_TRANSLATE_N_NOOP("counted", "%1 block"),      QT_TRANSLATE_N_NOOP("counted", "%1 bookmark"),
    QT_TRANSLATE_N_NOOP("counted", "%1 box"),        QT_TRANSLATE_N_NOOP("counted", "%1 breakpoint"),
    QT_TRANSLATE_N_NOOP("counted", "%1 call"),       QT_TRANSLATE_N_NOOP("counted", "%1 collective"),
    QT_TRANSLATE_N_NOOP("counted", "%1 element"),    QT_TRANSLATE_N_NOOP("counted", "%1 entry"),
    QT_TRANSLATE_N_NOOP("counted", "%1 epoch"),      QT_TRANSLATE_N_NOOP("counted", "%1 event"),
    QT_TRANSLATE_N_NOOP("counted", "%1 frame"),      QT_TRANSLATE_N_NOOP("counted", "%1 group"),
    QT_TRANSLATE_N_NOOP("counted", "%1 op"),         QT_TRANSLATE_N_NOOP("counted", "%1 head"),
    QT_TRANSLATE_N_NOOP("counted", "%1 layer"),      QT_TRANSLATE_N_NOOP("counted", "%1 line"),
    QT_TRANSLATE_N_NOOP("counted", "%1 match"),      QT_TRANSLATE_N_NOOP("counted", "%1 module"),
    QT_TRANSLATE_N_NOOP("counted", "%1 more epoch"), QT_TRANSLATE_N_NOOP("counted", "%1 more run"),
    QT_TRANSLATE_N_NOOP("counted", "%1 more step"),  QT_TRANSLATE_N_NOOP("counted", "%1 note"),
    QT_TRANSLATE_N_NOOP("counted", "%1 operator"),   QT_TRANSLATE_N_NOOP("counted", "%1 parameter"),
    QT_TRANSLATE_N_NOOP("counted", "%1 pass"),       QT_TRANSLATE_N_NOOP("counted", "%1 rank"),
    QT_TRANSLATE_N_NOOP("counted", "%1 region"),     QT_TRANSLATE_N_NOOP("counted", "%1 run"),
    QT_TRANSLATE_N_NOOP("counted", "%1 segment"),    QT_TRANSLATE_N_NOOP("counted", "%1 smaller one"),
    QT_TRANSLATE_N_NOOP("counted", "%1 step"),       QT_TRANSLATE_N_NOOP("counted", "%1 tensor"),
    QT_TRANSLATE_N_NOOP("counted", "%1 time"),       QT_TRANSLATE_N_NOOP("counted", "%1 token"),
    QT_TRANSLATE_N_NOOP("counted", "%1 warm run"),
};

}  // namespace

QString text(std::string_view utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

QString bytesText(double bytes) { return QString::fromStdString(format_bytes(bytes)); }

QString secondsText(double seconds) { return QString::fromStdString(format_seconds(seconds)); }

QString editText(const session::EditStart& edit) {
    QStringList changed;
    for (const std::string& each : edit.changed) changed << text(each);
    const QString what = !edit.function.empty() ? QObject::tr("%1 began again").arg(text(edit.function))
                         : changed.isEmpty()    ? QObject::tr("no function changed")
                                                : QObject::tr("changed: %1").arg(changed.join(QStringLiteral(", ")));
    const QString file = text(edit.place.file).section(QLatin1Char('/'), -1);
    const QString where = edit.place.line > 0 ? QStringLiteral(" (%1:%2)").arg(file).arg(edit.place.line) : QString();
    return QObject::tr("From here on the edited source ran: %1%2").arg(what, where);
}

QString countText(std::int64_t count) {
    static const QLocale english(QLocale::English, QLocale::UnitedStates);
    return english.toString(static_cast<qlonglong>(count));
}

QString counted(std::int64_t count, const char* one, const char* many) {
    const QByteArray source = QByteArrayLiteral("%1 ") + one;
    const int form = static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
    const QString translated = QCoreApplication::translate("counted", source.constData(), nullptr, form);
    if (translated != QLatin1String(source)) return translated.arg(countText(count));
    const QString word = QString::fromUtf8(count == 1 || many == nullptr ? one : many);
    const bool takes_s = count != 1 && many == nullptr;
    return countText(count) + QLatin1Char(' ') + word + (takes_s ? QStringLiteral("s") : QString());
}

QString numberText(double value) {
    if (std::isnan(value)) return QStringLiteral("nan");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    if (value == 0) return QStringLiteral("0");
    const double magnitude = std::fabs(value);
    if (magnitude >= 1e5 || magnitude < 1e-3) return QString::number(value, 'e', 2);
    if (value == std::floor(value)) return QString::number(value, 'f', 0);
    return QString::number(value, 'g', 4);
}

QString shapeText(const session::Shape& shape) { return QString::fromStdString(session::shape_text(shape)); }

QString indexText(const session::Shape& index, int whole) {
    QStringList parts;
    for (const auto at : index) parts += parts.size() == whole ? QStringLiteral(":") : QString::number(at);
    return parts.isEmpty() ? QString() : QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString finiteText(std::int64_t count, std::int64_t notFinite) {
    if (count == 0) return QObject::tr("no elements");
    if (notFinite == 0) return {};
    if (notFinite == count) return QObject::tr("no finite values");
    return QObject::tr("of the finite %1").arg(text(session::share_text(count - notFinite, count)));
}
QString finiteText(const session::Statistics& statistics) {
    return finiteText(statistics.count, statistics.count - statistics.finite_count());
}

QString finiteTip(const session::Statistics& statistics) {
    return QObject::tr("%1: %2 NaN and %3 Inf among %4")
        .arg(finiteText(statistics), countText(statistics.nan_count), countText(statistics.inf_count),
             counted(statistics.count, "element"));
}

double notFiniteShare(const session::Statistics& statistics) {
    return statistics.count == 0 ? 0
                                 : static_cast<double>(statistics.nan_count + statistics.inf_count) /
                                       static_cast<double>(statistics.count);
}

QString shortOpName(std::string_view op) {
    const auto colons = op.rfind("::");
    return text(colons == std::string_view::npos ? op : op.substr(colons + 2));
}

QString scopeText(std::string_view scope) { return scope.empty() ? QStringLiteral("(model)") : text(scope); }

}  // namespace loupe::views
