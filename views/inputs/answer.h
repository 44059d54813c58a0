// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The prediction of a classifier, or the next token of a language model.

#include <QString>
#include <QStringList>
#include <vector>

namespace loupe::views {

// logits: of the last row; probabilities are taken as they are. "3 (98 %), then 8 (1 %)". With `characters` a class
// without a name is shown as the character of its number.
QString answerText(const std::vector<double>& logits, const QStringList& classes, bool characters);

// Names of the classes from index.json beside a shipped model; empty for others.
QStringList classNames(const QString& model);

// Two numbers or more and nothing else.
bool areIds(const QString& text);
// "5 3 8", "5, 3, 8" are ids; anything else is text, whose UTF-8 bytes are the ids.
std::vector<std::int64_t> tokensOf(const QString& text);
// The text that tokens are, when they are printable characters; else the numbers.
QString textOfTokens(const std::vector<double>& tokens);

}  // namespace loupe::views
