// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help_pages.h"

#include <QFile>
#include <QRegularExpression>
#include <algorithm>
#include <iterator>

#include "app/window/resources.h"
#include "core/study/operator_reference.h"

namespace loupe::window {

namespace {

QString readText(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// "**F6** runs to [the next](guide.md#nan)" as plain text: "F6 runs to the next".
QString withoutMarks(QString line) {
    static const QRegularExpression link(QStringLiteral("\\[([^\\]]*)\\]\\([^)]*\\)"));
    static const QRegularExpression mark(QStringLiteral("[`*]|^[ >#|-]+|\\|"));
    return line.replace(link, QStringLiteral("\\1")).remove(mark).simplified();
}

}  // namespace

HelpPage readHelpPage(const QString& name, const QString& markdown) {
    HelpPage page{name, name, markdown, {}};
    bool is_code = false;
    for (const QString& line : markdown.split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1String("```"))) is_code = !is_code;
        int level = 0;
        while (!is_code && level < line.size() && line[level] == QLatin1Char('#')) ++level;
        if (level > 0 && level < line.size() && line[level] == QLatin1Char(' ')) {
            page.sections.push_back({withoutMarks(line.mid(level + 1)), level, {}});
        } else {
            if (page.sections.empty()) page.sections.push_back({});
            page.sections.back().text += line + QLatin1Char('\n');
        }
    }
    const auto titled = std::find_if(page.sections.begin(), page.sections.end(), [](const HelpSection& section) {
        return section.level == 1 && !section.heading.isEmpty();
    });
    if (titled != page.sections.end()) page.title = titled->heading;
    return page;
}

QDir helpFolder() { return QDir(resourceFolder().absoluteFilePath(QStringLiteral("docs"))); }

std::vector<HelpPage> shippedHelpPages() {
    const QDir folder = helpFolder();
    const QString index = readText(folder.filePath(QStringLiteral("index.md")));
    std::vector<HelpPage> pages;
    const auto add = [&](const QString& name) {
        const bool is_known =
            std::any_of(pages.begin(), pages.end(), [&](const HelpPage& page) { return page.name == name; });
        const QString markdown = readText(folder.filePath(name + QStringLiteral(".md")));
        if (!is_known && !markdown.isEmpty()) pages.push_back(readHelpPage(name, markdown));
    };
    add(QStringLiteral("index"));
    static const QRegularExpression link(QStringLiteral("\\]\\(([a-z_]+)\\.md[)#]"));
    for (auto links = link.globalMatch(index); links.hasNext();) add(links.next().captured(1));
    return pages;
}

std::vector<HelpPage> allHelpPages() {
    std::vector<HelpPage> pages = shippedHelpPages();
    std::vector<HelpPage> operators;
    for (const session::ReferencePage& page : session::operator_reference())
        operators.push_back(readHelpPage(QString::fromStdString(page.name), QString::fromStdString(page.markdown)));
    const auto before = std::find_if(pages.begin(), pages.end(),
                                     [](const HelpPage& page) { return page.name == QLatin1String("operators"); });
    pages.insert(before == pages.end() ? before : before + 1, std::make_move_iterator(operators.begin()),
                 std::make_move_iterator(operators.end()));
    return pages;
}

QString headingOfPanel(const std::vector<HelpPage>& pages, const QString& id) {
    const auto page = std::find_if(pages.begin(), pages.end(),
                                   [](const HelpPage& each) { return each.name == QLatin1String("panels"); });
    if (page == pages.end()) return {};
    const QString opens = QStringLiteral("[Open](panel:%1)").arg(id);
    const auto section = std::find_if(page->sections.begin(), page->sections.end(),
                                      [&](const HelpSection& each) { return each.text.contains(opens); });
    return section == page->sections.end() ? QString() : section->heading;
}

std::vector<HelpMatch> searchHelp(const std::vector<HelpPage>& pages, const QString& words) {
    const QStringList wanted = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (wanted.isEmpty()) return {};
    const auto holdsAll = [&](const QString& text) {
        return std::all_of(wanted.begin(), wanted.end(),
                           [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
    };
    std::vector<HelpMatch> in_headings;
    std::vector<HelpMatch> in_texts;
    for (int page = 0; page < static_cast<int>(pages.size()); ++page) {
        const auto& sections = pages[static_cast<std::size_t>(page)].sections;
        for (int section = 0; section < static_cast<int>(sections.size()); ++section) {
            const HelpSection& each = sections[static_cast<std::size_t>(section)];
            if (!holdsAll(each.heading + QLatin1Char('\n') + each.text)) continue;
            HelpMatch match{page, section, {}};
            for (const QString& line : each.text.split(QLatin1Char('\n'))) {
                if (line.startsWith(QLatin1String("```")) || withoutMarks(line).isEmpty()) continue;
                const bool holds_one = std::any_of(wanted.begin(), wanted.end(), [&](const QString& word) {
                    return line.contains(word, Qt::CaseInsensitive);
                });
                if (match.line.isEmpty() || holds_one) match.line = withoutMarks(line);
                if (holds_one) break;
            }
            (holdsAll(each.heading) ? in_headings : in_texts).push_back(match);
        }
    }
    in_headings.insert(in_headings.end(), in_texts.begin(), in_texts.end());
    return in_headings;
}

}  // namespace loupe::window
