// SPDX-License-Identifier: GPL-3.0-or-later
// The window in German: nothing that it asks a translation for is missing, and menus can be used by their letters.

#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QTranslator>

#include "app/window/connect_dialog.h"
#include "app/window/keys_dialog.h"
#include "app/window/language.h"
#include "app/window/settings_dialog.h"
#include "app/window/start_page.h"
#include "tests/app/window_fixture.h"
#include "tests/views/cut_walk.h"
#include "views/common/engine_words.h"
#include "views/common/format.h"

using namespace loupe;

namespace {

// Answers nothing, and notes what German lacks.
class Listener : public QTranslator {
  public:
    Listener() { loaded_ = german_.load(QStringLiteral("tensorloupe_de"), QStringLiteral(":/translations")); }
    bool isLoaded() const { return loaded_; }
    const QSet<QString>& missing() const { return missing_; }
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* comment, int count) const override {
        const QLatin1String name(context);
        const bool isOurs = name.startsWith(QLatin1String("loupe::")) || name == QLatin1String("QObject") ||
                            name == QLatin1String("counted") || name == QLatin1String("resources") ||
                            name == QLatin1String("Setting");
        static const QRegularExpression words(QStringLiteral("[A-Za-z]"));
        // Languages are called by their own names.
        const QString text = QString::fromUtf8(source);
        const bool isName = text == QLatin1String("English") || text == QLatin1String("Deutsch");
        if (isOurs && !isName && text.contains(words) && german_.translate(context, source, comment, count).isNull())
            missing_ += QStringLiteral("%1: %2").arg(name, text);
        return {};
    }

  private:
    QTranslator german_;
    bool loaded_ = false;
    mutable QSet<QString> missing_;
};

// The letter behind the mark, of "&Open…" o.
QChar letterOf(const QString& text) {
    const auto at = QString(text).replace(QStringLiteral("&&"), QStringLiteral("  ")).indexOf(QLatin1Char('&'));
    return at < 0 || at + 1 >= text.size() ? QChar() : text[at + 1].toLower();
}

void addTwice(const QString& menu, const QList<QAction*>& actions, QStringList& twice) {
    QHash<QChar, QString> seen;
    for (const QAction* action : actions) {
        const QChar letter = letterOf(action->text());
        if (letter.isNull() || !action->isVisible()) continue;
        if (seen.contains(letter)) twice += QStringLiteral("%1: %2, %3").arg(menu, seen[letter], action->text());
        seen.insert(letter, action->text());
    }
}

}  // namespace

class TranslatedWindowTest : public testing::WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() {
        prepare();
        QCOMPARE(MainWindow::tr("&File"), QStringLiteral("&File"));  // nothing is installed unasked
        if (!window::languages().contains(QStringLiteral("de"))) QSKIP("built without lrelease: English only");
        window::installLanguage(QStringLiteral("de"));
        QCoreApplication::installTranslator(&listener_);  // asked before the others
        QVERIFY(listener_.isLoaded());
    }
    void cleanupTestCase() {
        QCoreApplication::removeTranslator(&listener_);
        window::installLanguage(QStringLiteral("en"));
        QCOMPARE(MainWindow::tr("&File"), QStringLiteral("&File"));
    }
    void init() { makeWindow(); }
    void cleanup() {
        window_.reset();
        const QStringList missing(listener_.missing().begin(), listener_.missing().end());
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
    }

    void theLanguageIsChosen() {
        QCOMPARE(window::languageOf(QStringLiteral("de")), QStringLiteral("de"));
        QCOMPARE(window::languageOf(QStringLiteral("de_AT")), QStringLiteral("de"));
        QCOMPARE(window::languageOf(QStringLiteral("en")), QStringLiteral("en"));
        QCOMPARE(window::languageOf(QStringLiteral("tlh")), QStringLiteral("en"));
        QVERIFY(window::languages().contains(window::languageOf(QString())));
        QCOMPARE(window::textLocale().language(), QLocale::German);
    }
    void menusAndPanelsAreGerman() {
        QStringList titles;
        for (const QAction* action : window_->menuBar()->actions())
            titles += QString(action->text()).remove(QLatin1Char('&'));
        QVERIFY2(titles.contains(QStringLiteral("Datei")) && titles.contains(QStringLiteral("Hilfe")),
                 qPrintable(titles.join(QLatin1Char(' '))));
        QStringList panels;
        for (const QDockWidget* dock : window_->docks().all()) panels += dock->windowTitle();
        QVERIFY2(panels.contains(QStringLiteral("Ereignisse")) && panels.contains(QStringLiteral("Gradientenfluss")),
                 qPrintable(panels.join(QLatin1Char(' '))));
        QVERIFY(action("run")->toolTip().contains(QStringLiteral("Nicht jetzt")));
    }
    void theStartPageIsGerman() {
        const auto* page = window_->findChild<window::StartPage*>();
        QVERIFY(page != nullptr && page->isVisible());
        QStringList words;
        for (const QLabel* label : page->findChildren<QLabel*>()) words += label->text();
        QVERIFY(words.contains(QStringLiteral("Handgeschriebene Ziffern")));
        QVERIFY(words.contains(QStringLiteral("Geführte Touren")));
        QVERIFY(page->findChild<QPushButton*>(QStringLiteral("tour.loss_is_nan"))->text() ==
                QStringLiteral("Mein Loss ist NaN"));
    }
    void lettersOfAMenuAreUnique() {
        QStringList twice;
        addTwice(QStringLiteral("menu bar"), window_->menuBar()->actions(), twice);
        for (const QMenu* menu : window_->findChildren<QMenu*>()) addTwice(menu->title(), menu->actions(), twice);
        QVERIFY2(twice.isEmpty(), qPrintable(twice.join(QLatin1Char('\n'))));
    }
    void numbersHaveTheirForms() {
        QCOMPARE(views::counted(1, "event"), QStringLiteral("1 Ereignis"));
        QCOMPARE(views::counted(0, "event"), QStringLiteral("0 Ereignisse"));
        QCOMPARE(views::counted(2000, "event"), QStringLiteral("2,000 Ereignisse"));
        QCOMPARE(views::numberText(0.5), QStringLiteral("0.5"));
        QCOMPARE(QLocale().decimalPoint(), QStringLiteral("."));
        QCOMPARE(views::engineWord("forward"), QStringLiteral("vorwärts"));
        QCOMPARE(views::engineWord("a title that a plugin made"), QStringLiteral("a title that a plugin made"));
    }
    void panelsOfARunAreWhole_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1440") << QSize(1440, 900);
        QTest::newRow("1024") << QSize(1024, 700);
    }
    // German is longer: nothing is cut, and nothing that panels say is missing.
    void panelsOfARunAreWhole() {
        QFETCH(QSize, size);
        window_->resize(size);
        open(testing::model("digits"));
        session::RunOptions options = window_->bridge().runOptions();
        options.backward = true;
        window_->bridge().setRunOptions(options);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QStringList cut;
        auto* menu = window_->findChild<QMenu*>(QStringLiteral("panelMenu"));
        for (QDockWidget* dock : window_->docks().all()) {
            window_->docks().show(dock->objectName());
            settle();
            QTRY_VERIFY(dock->widget()->isVisible() && static_cast<views::View*>(dock->widget())->isSettled());
            emit menu->aboutToShow();
            QStringList texts;
            static_cast<void>(QTest::qWaitFor(
                [&] {
                    texts = testing::cutTexts(*dock->widget());
                    return texts.isEmpty();
                },
                5000));
            for (const QString& text : texts) cut << dock->objectName() + QStringLiteral(": ") + text;
        }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(u'\n')));
    }
    void dialogsAskForNothingMissing() {
        const window::KeysDialog keys(window_.get());
        const window::ConnectDialog connecting(window_.get());
        action("settings")->trigger();
        QTRY_VERIFY(window_->findChild<window::SettingsDialog*>() != nullptr);
    }

  private:
    Listener listener_;
};

QTEST_MAIN(TranslatedWindowTest)
#include "translated_window_test.moc"
