// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pages of help as tests read them.

#include <QString>
#include <QStringList>
#include <vector>

namespace loupe::testing {

// A command of a page, and what the page says it prints.
struct PageCommand {
    QString place;    // "task_nan.md:30"
    QString line;     // without the comment
    int status = 0;   // "# ends with status 4"
    QStringList out;  // lines of the block behind it; of several commands in one block the last has them
};

// A command inside of a sentence: only its form is known.
struct PageSpan {
    QString place;
    QString line;
};

// The Markdown files of resources/docs, by name.
QStringList page_files();
QString read_page(const QString& name);

// The lines of blocks marked "sh".
std::vector<PageCommand> page_commands(const QString& name);
// Code between backticks, and indented lines, that begin with "tensorloupe-cli ".
std::vector<PageSpan> page_spans(const QString& name);
// "nan_training" of "pictures/nan_training.png".
QStringList page_pictures(const QString& name);

}  // namespace loupe::testing
