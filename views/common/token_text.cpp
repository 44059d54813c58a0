// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/token_text.h"

#include <QObject>
#include <cmath>

#include "views/common/format.h"

namespace loupe::views {

QString visibleText(const QString& text) {
    QString out;
    out.reserve(text.size());
    for (const QChar each : text) {
        if (each == QLatin1Char(' '))
            out += QChar(0x00B7);
        else if (each == QLatin1Char('\n'))
            out += QChar(0x23CE);
        else if (each == QLatin1Char('\t'))
            out += QChar(0x21E5);
        else if (!each.isPrint() && !each.isSurrogate())
            out += QStringLiteral("\\x%1").arg(each.unicode(), 2, 16, QLatin1Char('0'));
        else
            out += each;
    }
    return out;
}

QString visibleToken(const session::TokenInfo& token) {
    return token.text.empty() ? QString::number(token.id) : visibleText(text(token.text));
}

QString describeToken(const session::TokenInfo& token) {
    QString out = QObject::tr("%1, token %2").arg(visibleToken(token)).arg(token.id);
    if (token.token != token.text) out += QObject::tr(", in the vocabulary %1").arg(text(token.token));
    if (token.is_special) out += QObject::tr(", special");
    if (token.is_added) out += QObject::tr(", put there by the tokenizer");
    return out;
}

QString percentText(double share) {
    if (std::isnan(share)) return QStringLiteral("nan");
    const double percent = share * 100;
    if (percent > 0 && percent < 0.1) return QStringLiteral("< 0.1 %");
    return QStringLiteral("%1 %").arg(percent, 0, 'f', 1);
}

}  // namespace loupe::views
