// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The language of the window's texts. The program's main installs it; what starts no language, as a test, is English.

#include <QLocale>
#include <QStringList>

namespace loupe::window {

// "en", and what this program was built with translations for.
QStringList languages();

// The one of languages() that is meant. chosen: "" is the system's; what there is no translation for is English.
QString languageOf(const QString& chosen);

// Installs the translations of the window and of Qt for the language, in place of those before; windows that are
// there keep theirs. Numbers are written as PyTorch prints them in every language.
void installLanguage(const QString& language);

// Of dates among the texts.
QLocale textLocale();

}  // namespace loupe::window
