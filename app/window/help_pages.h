// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pages of documentation that ship as Markdown, and their search. Without widgets.

#include <QDir>
#include <QString>
#include <QStringList>
#include <vector>

namespace loupe::window {

// A heading with the text below it, down to the next heading of any level.
struct HelpSection {
    QString heading;
    int level = 1;
    QString text;  // Markdown
};

struct HelpPage {
    QString name;   // "guide": the file's name without ".md"; links name it
    QString title;  // its first heading
    QString markdown;
    std::vector<HelpSection> sections;
};

// A section that contains all search terms.
struct HelpMatch {
    int page = 0;
    int section = 0;
    QString line;  // the first line with one of the words, without Markdown's marks
};

// Sections of a page of Markdown. Lines inside fenced code are no headings.
HelpPage readHelpPage(const QString& name, const QString& markdown);

// Where the pages lie, with their pictures and examples.
QDir helpFolder();

// The pages of resources/docs, in the order of its index.md; empty when the folder is missing.
std::vector<HelpPage> shippedHelpPages();

// The same, and behind the page "operators" those that are made of the operators' records.
std::vector<HelpPage> allHelpPages();

// A panel's section of the page "panels": the one that opens it by a link "panel:ID". Empty: it has none.
QString headingOfPanel(const std::vector<HelpPage>& pages, const QString& id);

// Sections with all words in heading or text, in any case; headings first. No words: none.
std::vector<HelpMatch> searchHelp(const std::vector<HelpPage>& pages, const QString& words);

}  // namespace loupe::window
