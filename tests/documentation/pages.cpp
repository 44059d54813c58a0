// SPDX-License-Identifier: Apache-2.0
#include "tests/documentation/pages.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

namespace loupe::testing {

namespace {

const QString kFolder = QStringLiteral(LOUPE_SOURCE_DIR "/resources/docs");

PageCommand command_of(const QString& place, const QString& line) {
    static const QRegularExpression comment(QStringLiteral("\\s+# ends with status (\\d+)$"));
    const auto match = comment.match(line);
    return {place, match.hasMatch() ? line.left(match.capturedStart()) : line, match.captured(1).toInt(), {}};
}

}  // namespace

QStringList page_files() { return QDir(kFolder).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name); }

QString read_page(const QString& name) {
    QFile file(QDir(kFolder).filePath(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

std::vector<PageCommand> page_commands(const QString& name) {
    std::vector<PageCommand> commands;
    QString block;  // the mark of the block that the line is in; "```" of one without a mark
    int number = 0;
    for (const QString& line : read_page(name).split(QLatin1Char('\n'))) {
        ++number;
        if (line.startsWith(QLatin1String("```"))) {
            block = block.isEmpty() ? line : QString();
        } else if (block == QLatin1String("```sh") && !line.trimmed().isEmpty()) {
            commands.push_back(command_of(QStringLiteral("%1:%2").arg(name).arg(number), line));
        } else if (block == QLatin1String("```text") && !line.trimmed().isEmpty() && !commands.empty()) {
            commands.back().out += line;
        }
    }
    return commands;
}

std::vector<PageSpan> page_spans(const QString& name) {
    static const QRegularExpression span(QStringLiteral("`(tensorloupe-cli [^`]+)`|^    (tensorloupe-cli .+)$"));
    std::vector<PageSpan> spans;
    int number = 0;
    for (const QString& line : read_page(name).split(QLatin1Char('\n'))) {
        ++number;
        for (auto found = span.globalMatch(line); found.hasNext();) {
            const auto match = found.next();
            spans.push_back({QStringLiteral("%1:%2").arg(name).arg(number), match.captured(1) + match.captured(2)});
        }
    }
    return spans;
}

QStringList page_pictures(const QString& name) {
    static const QRegularExpression picture(QStringLiteral("!\\[[^\\]]+\\]\\(pictures/([a-z_]+)\\.png\\)"));
    QStringList names;
    for (auto found = picture.globalMatch(read_page(name)); found.hasNext();) names += found.next().captured(1);
    return names;
}

}  // namespace loupe::testing
