// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine says stands in the window's language: a run's end, the cause of a NaN, the health of gradients, a
// training, the death of an engine. Sentences of a hostile engine do no harm.

#include <QElapsedTimer>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTranslator>
#include <tuple>

#include "app/window/banner.h"
#include "app/window/language.h"
#include "core/dispatch/registry.h"
#include "core/ops/notes.h"
#include "core/session/wire/wire.h"
#include "tests/app/window_fixture.h"
#include "views/common/format.h"

using namespace loupe;
using session::RunState;
using views::saidText;

namespace {

// English words that no German text has, beside names and code.
QString englishIn(const QString& text) {
    static const QRegularExpression words(QStringLiteral(
        "\\b(the|and|is|are|were|with|from|before|behind|which|its|of|not|no|step|steps|event|events|finished|stopped|"
        "makes|gives|training|gradient|engine|look|add|loss is|run)\\b"));
    return words.match(text).captured();
}

// As an engine may send it.
Said raw(const std::string& text, const std::string& form, const std::string& singular, std::int64_t count,
         const std::vector<Said>& parts) {
    Said said;
    fields(said) = std::tie(text, form, singular, count, parts);
    return session::from_bytes<Said>(session::to_bytes(said));
}

}  // namespace

class SaidTest : public testing::WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() {
        prepare();
        if (!window::languages().contains(QStringLiteral("de"))) QSKIP("built without lrelease: English only");
        QVERIFY(german_.load(QStringLiteral("tensorloupe_de"), QStringLiteral(":/translations")));
    }
    void init() { window::installLanguage(QStringLiteral("de")); }
    void cleanup() {
        window_.reset();
        window::installLanguage(QStringLiteral("en"));
    }

    // --- sentences ---

    void partsAreSaidFirst() {
        Said text = engine::said("%1 makes the first NaN %2", engine::listed("sqrt at 0"), std::string("?"));
        text += engine::said("; %1 events pass it on", "; %1 event passes it on", 1);
        QCOMPARE(saidText(text), QStringLiteral("sqrt bei 0 erzeugt ? das erste NaN; 1 Ereignis reicht es weiter"));
        QCOMPARE(views::text(text), saidText(text));
        QCOMPARE(saidText(engine::said("; %1 events pass it on", "; %1 event passes it on", 20)),
                 QStringLiteral("; 20 Ereignisse reichen es weiter"));
        window::installLanguage(QStringLiteral("en"));
        QCOMPARE(saidText(text), views::text(text.text()));
        QCOMPARE(saidText(text), QStringLiteral("sqrt at 0 makes the first NaN ?; 1 event passes it on"));
    }
    void whatHasNoTranslationStays() {
        QCOMPARE(saidText(Said("RuntimeError: size mismatch")), QStringLiteral("RuntimeError: size mismatch"));
        const Said text =
            raw("1 frob of stopped", "%1 frobs of %2", "%1 frob of %2", 1, {Said("1"), engine::said("stopped")});
        QCOMPARE(saidText(text), QStringLiteral("1 frob of angehalten"));
    }
    // What a part says is no form.
    void placesOfPartsStay() {
        QCOMPARE(saidText(engine::said("%1; or %2", std::string("%2"), std::string("%1 %n %L1"))),
                 QStringLiteral("%2; oder %1 %n %L1"));
    }
    void hostileSentencesDoNoHarm_data() {
        QTest::addColumn<Said>("said");
        QTest::addColumn<QString>("shown");
        QTest::newRow("places without parts") << raw("t", "%1; or %2", "", -1, {}) << QStringLiteral("; oder ");
        QTest::newRow("a place of the end") << raw("t", "50 %", "", -1, {}) << QStringLiteral("50 %");
        QTest::newRow("numbers of Qt") << raw("t", "%n %Ln %L1 %99", "%n", 7, {Said("a")}) << QString();
        QTest::newRow("a count beyond int")
            << raw("t", "%1 events", "%1 event", std::numeric_limits<std::int64_t>::max(), {Said("9")}) << QString();
        QTest::newRow("a count below 0") << raw("t", "%1 events", "%1 event", std::numeric_limits<std::int64_t>::min(),
                                                {Said("9")})
                                         << QString();
        QTest::newRow("no UTF-8") << raw("\xff\xfe", "\xc3\x28%1\xff", "", -1, {Said("\xff")}) << QString();
        QTest::newRow("a NUL") << raw("t", std::string("a\0b", 3), "", -1, {}) << QString();
        Said doubled = raw("short", "", "", -1, {});
        Said tripled = raw("short", "", "", -1, {});
        for (int i = 0; i < 60; ++i) {
            doubled = raw("short", "%1%1", "", -1, {doubled});
            tripled = raw("", "%1%1%1", "", -1, {tripled});
        }
        QTest::newRow("doubled again and again") << doubled << QStringLiteral("short");
        QTest::newRow("nothing, again and again") << tripled << QString();
        Said deep("short");
        for (int i = 0; i < 95; ++i) deep = raw("short", i % 2 == 0 ? "%1" : "", "", -1, {deep});
        QTest::newRow("deep") << deep << QStringLiteral("short");
        QTest::newRow("long") << raw("short", std::string(1 << 20, 'x') + "%1%1", "", -1,
                                     {Said(std::string(1 << 20, 'y'))})
                              << QStringLiteral("short");
        QTest::newRow("wide") << raw("short", "", "", -1, std::vector<Said>(100000, engine::said("stopped")))
                              << QStringLiteral("short");
    }
    void hostileSentencesDoNoHarm() {
        QFETCH(Said, said);
        QFETCH(QString, shown);
        QElapsedTimer clock;
        clock.start();
        const QString text = saidText(said);
        QVERIFY2(clock.elapsed() < 2000, "it takes too long");
        QVERIFY(text.size() < (3 << 20));
        if (!shown.isNull()) QCOMPARE(text, shown);
    }
    // The list of engine_notes.cpp has them.
    void notesOfOperatorsAreGerman() {
        QStringList missing;
        std::size_t count = 0;
        const auto ask = [&](std::string_view english) {
            const std::string text(english);
            ++count;
            if (german_.translate("engine", text.c_str()).isNull()) missing += views::text(text);
        };
        for (const Operator* op : all_operators()) {
            for (const NotFiniteNote& note : not_finite_notes(*op)) {
                ask(note.cause);
                ask(note.advice);
            }
        }
        missing.removeDuplicates();
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
        QVERIFY(count > 200);
    }

    // --- the window ---

    void aFiniteRunIsGerman() {
        makeWindow();
        open(testing::model("digits"));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QVERIFY2(stateText().startsWith(QStringLiteral("Fertig: ")) &&
                     stateText().contains(QStringLiteral(" Ereignisse vorwärts, kein NaN oder Inf")),
                 qPrintable(stateText()));
        QCOMPARE(englishIn(stateText()), QString());
        verifyLog();
    }
    void theCauseOfANanIsGerman() {
        makeWindow();
        open(QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/sources/nanback.py"));
        auto options = window_->bridge().runOptions();
        options.backward = true;
        window_->bridge().setRunOptions(options);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        const auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(banner->message().startsWith(
                     QStringLiteral("sqrt bei 0 in length, nanback.py:10, erzeugt rückwärts das erste NaN")),
                 qPrintable(banner->message()));
        QVERIFY2(banner->message().contains(QStringLiteral("ein eps unter der Wurzel addieren: torch.sqrt(x + 1e-12)")),
                 qPrintable(banner->message()));
        QCOMPARE(englishIn(banner->message()), QString());
        QCOMPARE(englishIn(stateText()), QString());
        verifyLog();
    }
    void theHealthOfGradientsIsGerman() {
        makeWindow();
        open(testing::model("digits"));
        auto options = window_->bridge().runOptions();
        options.backward = true;
        window_->bridge().setRunOptions(options);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        window_->docks().show(QStringLiteral("gradient_flow"));
        const auto* health = window_->findChild<QListWidget*>(QStringLiteral("gradientHealth"));
        QVERIFY(health != nullptr);
        QTRY_VERIFY(health->count() > 0);
        QStringList lines;
        for (int i = 0; i < health->count(); ++i) {
            lines += health->item(i)->text();
            QVERIFY2(englishIn(lines.back()).isEmpty(), qPrintable(lines.back()));
        }
        QVERIFY2(lines.join(QLatin1Char('\n')).contains(QStringLiteral("kein Loss gewählt")),
                 qPrintable(lines.join(QLatin1Char('\n'))));
    }
    void aTrainingIsGerman() {
        makeWindow();
        open(testing::model("digits"));
        session::TrainOptions options;
        options.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
        options.max_steps = 6;
        options.look_every = -1;
        window_->bridge().train(options);
        QTRY_COMPARE(state(), RunState::Finished);
        QVERIFY2(stateText().contains(QStringLiteral("das Training endete bei Schritt 6: Loss ")),
                 qPrintable(stateText()));
        QCOMPARE(englishIn(stateText()), QString());
        verifyLog();
    }
    void theEndOfAnEngineIsGerman() {
        const QTemporaryDir kept;
        session::Session::set_engine_program(LOUPE_BINARY_DIR "/bin/tensorloupe-engine", {kept.path().toStdString()});
        makeWindow();
        session::Session::set_engine_program({});
        open(testing::model("digits"));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QVERIFY2(stateText().contains(QStringLiteral("kein NaN oder Inf")), qPrintable(stateText()));
        window_->bridge().session().kill_engine();
        const auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible() && state() == RunState::Failed);
        QVERIFY2(banner->message().startsWith(QStringLiteral("die Engine wurde angehalten")),
                 qPrintable(banner->message()));
        QCOMPARE(englishIn(banner->message()), QString());
        QCOMPARE(englishIn(stateText()), QString());
        verifyLog();
    }

  private:
    QString stateText() const { return window_->statusBar()->findChild<QLabel*>(QStringLiteral("state"))->text(); }
    void verifyLog() const {
        const auto* list = window_->findChild<QListWidget*>(QStringLiteral("logList"));
        for (int i = 0; i < list->count(); ++i) {
            const QString line = list->item(i)->text();
            // What data are is said by their source, as files are: "1797 examples of x 1x8x8 float32".
            if (line.contains(QStringLiteral("Training mit "))) continue;
            QVERIFY2(englishIn(line).isEmpty(), qPrintable(englishIn(line) + QStringLiteral(": ") + line));
        }
    }

    QTranslator german_;
};

QTEST_MAIN(SaidTest)
#include "said_test.moc"
