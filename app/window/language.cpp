// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/language.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QPointer>
#include <QTranslator>

// Outside of namespaces: the macro declares a function of the resource.
static void initTranslations() { Q_INIT_RESOURCE(translations); }

namespace loupe::window {
namespace {

const QString kEnglish = QStringLiteral("en");
const QString kFolder = QStringLiteral(":/translations");

// Those that are installed.
QPointer<QTranslator>& installedAt(int place) {
    static QPointer<QTranslator> all[2];
    return all[place];
}

void install(int place, const QString& name, const QString& folder) {
    delete installedAt(place);  // which removes it
    if (name.isEmpty()) return;
    auto* translator = new QTranslator(QCoreApplication::instance());
    if (!translator->load(name, folder)) return delete translator;
    QCoreApplication::installTranslator(translator);
    installedAt(place) = translator;
}

}  // namespace

QStringList languages() {
    initTranslations();
    QStringList all{kEnglish};
    for (const QString& file : QDir(kFolder).entryList({QStringLiteral("tensorloupe_*.qm")}, QDir::Files, QDir::Name))
        all += file.section(QLatin1Char('_'), 1).section(QLatin1Char('.'), 0, 0);
    return all;
}

QString languageOf(const QString& chosen) {
    const QStringList all = languages();
    // As "de-AT", the wanted one first.
    for (const QString& wanted : chosen.isEmpty() ? QLocale::system().uiLanguages() : QStringList{chosen}) {
        const QString language = wanted.section(QLatin1Char('-'), 0, 0).section(QLatin1Char('_'), 0, 0).toLower();
        if (all.contains(language)) return language;
    }
    return kEnglish;
}

void installLanguage(const QString& language) {
    initTranslations();
    QLocale::setDefault(QLocale::c());
    const bool isEnglish = language == kEnglish;
    install(0, isEnglish ? QString() : QStringLiteral("qtbase_") + language,
            QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    install(1, isEnglish ? QString() : QStringLiteral("tensorloupe_") + language, kFolder);
}

QLocale textLocale() {
    //: Code of the language of this translation, as "de": dates are written in it.
    return QLocale(QCoreApplication::translate("language", "en"));
}

}  // namespace loupe::window
