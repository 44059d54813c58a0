// SPDX-License-Identifier: GPL-3.0-or-later
// A language model in the window: its folder is opened, a text is typed, a token is made.

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>

#include "tests/app/window_fixture.h"
#include "views/attention/attention_picture.h"
#include "views/attention/attention_view.h"
#include "views/common/token_chips.h"
#include "views/generation/generation_view.h"
#include "views/inputs/inputs_view.h"
#include "views/text/text_view.h"

using namespace loupe;
using session::RunState;

namespace {

const QString kLlama = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/generation/llama");

}  // namespace

class WindowLanguageTest : public testing::WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { prepare(); }
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void aFolderShowsItsText() {
        open(kLlama);
        auto& text = view<views::TextView>("text");
        QTRY_VERIFY(text.isInSight() && text.prompt()->isEnabled());
        QTRY_VERIFY(testing::isActive(*window_));
        text.prompt()->setFocus();
        QTest::keyClicks(text.prompt(), QStringLiteral("The quick"));
        QTRY_VERIFY(text.chips()->tokens().size() > 4);
        QTest::keyClick(text.prompt(), Qt::Key_Return);
        QTRY_COMPARE(state(), RunState::Finished);
        QTRY_VERIFY(text.choices()->topLevelItemCount() > 0);
        // The window says the same elsewhere.
        auto& inputs = view<views::InputsView>("inputs");
        QTRY_VERIFY2(inputs.answer().startsWith(QStringLiteral("Next: ")), qPrintable(inputs.answer()));
        QCOMPARE(inputs.findChild<QLineEdit*>(QStringLiteral("words"))->text(), QStringLiteral("The quick"));
        window_->docks().show(QStringLiteral("attention"));
        auto& attention = view<views::AttentionView>("attention");
        QTRY_COMPARE(static_cast<std::size_t>(attention.picture()->map().map.rows), text.chips()->tokens().size());
        window_->docks().show(QStringLiteral("generation"));
        auto* next = window_->findChild<QToolButton*>(QStringLiteral("nextToken"));
        QTRY_VERIFY(next->isEnabled());
        QTest::mouseClick(next, Qt::LeftButton);
        QTRY_COMPARE(view<views::GenerationView>("generation").steps()->model()->rowCount(), 1);
        // F5 is the prompt again, not the next token.
        QTRY_VERIFY(!window_->bridge().isBusy());
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QTRY_COMPARE(static_cast<std::size_t>(attention.picture()->map().map.rows), text.chips()->tokens().size());
    }

    void aGgufFileGenerates() {
        open(QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/gguf/text.gguf"));
        auto& text = view<views::TextView>("text");
        QTRY_VERIFY(text.isInSight() && text.prompt()->isEnabled());
        QTRY_VERIFY(testing::isActive(*window_));
        window_->docks().show(QStringLiteral("generation"));
        text.prompt()->setPlainText(QStringLiteral("Once upon a time"));
        auto* many = window_->findChild<QToolButton*>(QStringLiteral("generateTokens"));
        QTRY_VERIFY(many->isEnabled());
        QTest::mouseClick(many, Qt::LeftButton);
        auto& generation = view<views::GenerationView>("generation");
        // Until the text ends.
        QTRY_VERIFY(generation.steps()->model()->rowCount() > 5 && !window_->bridge().isBusy());
        QVERIFY2(generation.output().startsWith(QStringLiteral("Once upon a time there was a")),
                 qPrintable(generation.output()));
        window_->docks().show(QStringLiteral("attention"));
        QTRY_COMPARE(view<views::AttentionView>("attention").picture()->map().map.rows, 1);
    }

    // What a model hears is in Inputs; a text is what its decoder has written so far, and may be empty.
    void aModelThatHearsWrites() {
        open(QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/generation/whisper"));
        auto& text = view<views::TextView>("text");
        QTRY_VERIFY(text.isInSight() && text.prompt()->isEnabled());
        window_->docks().show(QStringLiteral("generation"));
        auto* next = window_->findChild<QToolButton*>(QStringLiteral("nextToken"));
        QTRY_VERIFY(next->isEnabled());
        QTest::mouseClick(next, Qt::LeftButton);
        auto& generation = view<views::GenerationView>("generation");
        QTRY_COMPARE(generation.steps()->model()->rowCount(), 1);
        QTRY_VERIFY(!window_->bridge().isBusy());
        // The chips have names, not numbers.
        QTRY_VERIFY(!text.chips()->tokens().empty());
        QVERIFY(text.chips()->tokens().front().text != std::to_string(text.chips()->tokens().front().id));
        text.prompt()->setPlainText(QStringLiteral("The quick"));
        QTRY_VERIFY(window_->bridge().prompt() == QStringLiteral("The quick"));
        QTRY_VERIFY(next->isEnabled());
        QTest::mouseClick(next, Qt::LeftButton);
        QTRY_VERIFY(!window_->bridge().isBusy() && text.chips()->tokens().size() > 3);
        QCOMPARE(window_->bridge().inputs().front().source, session::InputSpec::Source::Example);
    }

    void inputsTakeTextAndIds() {
        open(kLlama);
        QTRY_VERIFY(window_->bridge().takesText());
        auto& inputs = view<views::InputsView>("inputs");
        auto* words = inputs.findChild<QLineEdit*>(QStringLiteral("words"));
        QTRY_VERIFY(!words->isHidden());
        words->setText(QStringLiteral("Hello"));
        QTest::keyClick(words, Qt::Key_Return);
        QTRY_COMPARE(state(), RunState::Finished);
        QCOMPARE(window_->bridge().prompt(), QStringLiteral("Hello"));
        QVERIFY(window_->bridge().inputs().front().shape.back() < 8);
        QTRY_VERIFY(!window_->bridge().isBusy());
        words->setText(QStringLiteral("5 3 8"));
        QTest::keyClick(words, Qt::Key_Return);
        QTRY_COMPARE(window_->bridge().inputs().front().shape, (session::Shape{1, 3}));
        QTRY_COMPARE(state(), RunState::Finished);
    }
};

QTEST_MAIN(WindowLanguageTest)
#include "window_language_test.moc"
