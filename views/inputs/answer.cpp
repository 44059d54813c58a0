// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/inputs/answer.h"
#include "views/common/engine_files.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace loupe::views {

namespace {

std::vector<double> probabilities(const std::vector<double>& logits) {
    const double sum = std::accumulate(logits.begin(), logits.end(), 0.0);
    const double least = *std::min_element(logits.begin(), logits.end());
    if (least >= 0 && std::abs(sum - 1) < 1e-3) return logits;
    const double most = *std::max_element(logits.begin(), logits.end());
    std::vector<double> out;
    double total = 0;
    for (const double logit : logits) total += out.emplace_back(std::exp(logit - most));
    for (double& p : out) p /= total;
    return out;
}

QString nameOf(std::size_t index, const QStringList& classes, bool characters) {
    if (static_cast<qsizetype>(index) < classes.size()) return classes[static_cast<qsizetype>(index)];
    if (characters && index > 32 && index < 127)
        return QStringLiteral("\u201c%1\u201d").arg(QChar(static_cast<char16_t>(index)));
    if (characters && index == 32) return QStringLiteral("space");
    return QString::number(index);
}

}  // namespace

QString answerText(const std::vector<double>& logits, const QStringList& classes, bool characters) {
    if (logits.size() < 2 || !std::all_of(logits.begin(), logits.end(), [](double x) { return std::isfinite(x); }))
        return {};
    const std::vector<double> p = probabilities(logits);
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::partial_sort(order.begin(), order.begin() + 2, order.end(),
                      [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
    const auto part = [&](std::size_t at) {
        return QStringLiteral("%1 (%2 %)")
            .arg(nameOf(order[at], classes, characters))
            .arg(100 * p[order[at]], 0, 'f', 1);
    };
    return QObject::tr("%1, then %2").arg(part(0), part(1));
}

QStringList classNames(const QString& model) {
    if (EngineFiles::areFar()) return {};  // the file beside the model is not here
    const QFileInfo info(model);
    QFile index(info.absolutePath() + QStringLiteral("/index.json"));
    if (!index.open(QIODevice::ReadOnly)) return {};
    for (const auto& entry : QJsonDocument::fromJson(index.readAll()).array()) {
        if (entry[QStringLiteral("file")].toString() != info.fileName()) continue;
        QStringList names;
        for (const auto& name : entry[QStringLiteral("classes")].toArray()) names += name.toString();
        return names;
    }
    return {};
}

namespace {

const QRegularExpression& betweenIds() {
    static const QRegularExpression between(QStringLiteral("[,\\s]+"));
    return between;
}

}  // namespace

// A single number may well be a text; several are ids.
bool areIds(const QString& text) {
    static const QRegularExpression numbers(QStringLiteral("^\\s*\\d+(\\s*[,\\s]\\s*\\d+)*\\s*$"));
    return numbers.match(text).hasMatch() && text.trimmed().contains(betweenIds());
}

std::vector<std::int64_t> tokensOf(const QString& text) {
    std::vector<std::int64_t> tokens;
    if (areIds(text)) {
        for (const QString& part : text.split(betweenIds(), Qt::SkipEmptyParts)) tokens.push_back(part.toLongLong());
    } else {
        for (const char byte : text.toUtf8()) tokens.push_back(static_cast<unsigned char>(byte));
    }
    return tokens;
}

QString textOfTokens(const std::vector<double>& tokens) {
    const bool printable = std::all_of(tokens.begin(), tokens.end(), [](double id) { return id >= 32 && id < 127; });
    QString text;
    for (const double id : tokens) {
        if (printable)
            text += QChar(static_cast<char16_t>(id));
        else
            text += (text.isEmpty() ? QString() : QStringLiteral(" ")) + QString::number(static_cast<qint64>(id));
    }
    return text;
}

}  // namespace loupe::views
