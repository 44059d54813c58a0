// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs that a person makes: drawings, texts, what is remembered of them, and what a model chose.

#include <qtestspontaneevent.h>
#include <QComboBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>

#include "core/model/input_preview.h"
#include "tests/views/patience.h"
#include "views/common/wheel_guard.h"
#include "views/inputs/answer.h"
#include "views/inputs/array_file.h"
#include "views/inputs/backward_form.h"
#include "views/inputs/drawing_pad.h"
#include "views/inputs/input_memory.h"

using namespace loupe;
using namespace loupe::views;

class InputsTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("TensorloupeTest"));
    }

    void arraysAreReadAsTheyWereWritten() {
        QTemporaryDir folder;
        session::InputSpec spec;
        spec.source = session::InputSpec::Source::File;
        spec.file = folder.filePath(QStringLiteral("x.npy")).toStdString();
        QCOMPARE(writeArray(QString::fromStdString(spec.file), {1, 2, 3}, std::vector<float>{0, 1, 2, 3, 4, -0.5f}),
                 QString());
        auto preview = session::preview_input(spec, 100);
        QCOMPARE(preview.error, std::string());
        QCOMPARE(preview.dtype, std::string("float32"));
        QCOMPARE(preview.shape, (session::Shape{1, 2, 3}));
        QCOMPARE(preview.elements, (std::vector<double>{0, 1, 2, 3, 4, -0.5}));
        QCOMPARE(writeArray(QString::fromStdString(spec.file), {3}, std::vector<std::int64_t>{7, -1, 1LL << 40}),
                 QString());
        preview = session::preview_input(spec, 100);
        QCOMPARE(preview.dtype, std::string("int64"));
        QCOMPARE(preview.elements, (std::vector<double>{7, -1, 1099511627776.0}));
        QVERIFY(session::preview_input(spec, 2).elements.empty());
        QVERIFY(!writeArray(folder.filePath(QStringLiteral("none/x.npy")), {1}, std::vector<float>{0}).isEmpty());
    }
    void previewsAreWhatARunIsGiven() {
        auto spec = session::parse_input_spec("2x3:arange");
        QCOMPARE(session::preview_input(spec, 100).elements, (std::vector<double>{0, 1, 2, 3, 4, 5}));
        spec.file = "missing.npz";
        spec.source = session::InputSpec::Source::File;
        QVERIFY(!session::preview_input(spec, 100).error.empty());
    }

    // The wheel that was meant to scroll the panel chose another pipeline.
    void theWheelScrollsTheFormAndChangesNoField() {
        guardFieldsFromWheel(*qApp);
        QScrollArea area;
        auto* form = new QWidget(&area);
        auto* rows = new QVBoxLayout(form);
        auto* choice = new QComboBox(form);
        choice->addItems({QStringLiteral("none"), QStringLiteral("default"), QStringLiteral("all")});
        choice->setCurrentIndex(1);
        auto* number = new QSpinBox(form);
        number->setValue(5);
        rows->addWidget(choice);
        rows->addWidget(number);
        rows->addSpacing(2000);
        area.setWidget(form);
        area.resize(200, 200);
        area.show();
        area.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&area));
        area.setFocus();
        const auto turn = [](QWidget& field) {
            const QPointF middle = field.rect().center();
            QWheelEvent event(middle, field.mapToGlobal(middle), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            // As from the window system: only such events go on to parents.
            QSpontaneKeyEvent::setSpontaneous(&event);
            qApp->notify(&field, &event);
        };
        for (QWidget* field : {static_cast<QWidget*>(choice), static_cast<QWidget*>(number)}) {
            const int before = area.verticalScrollBar()->value();
            turn(*field);
            QVERIFY(area.verticalScrollBar()->value() > before);
            // Else Qt gives it the focus before it turns.
            QVERIFY((field->focusPolicy() & Qt::WheelFocus) != Qt::WheelFocus);
        }
        QCOMPARE(choice->currentIndex(), 1);
        QCOMPARE(number->value(), 5);
        // A field that was clicked is meant.
        number->setFocus();
        turn(*number);
        QVERIFY(number->value() < 5);
    }

    void drawingInksAndRubsOut() {
        DrawingPad pad(nullptr);
        DrawingPad::Picture picture{1, 8, 8, std::vector<double>(64, 0.0)};
        pad.setPicture(picture);
        QSignalSpy drawn(&pad, &DrawingPad::drawn);
        QTest::mouseClick(&pad, Qt::LeftButton, {}, {48, 48});
        QCOMPARE(drawn.count(), 0);  // not drawable yet
        pad.setDrawable(true);
        QTest::mousePress(&pad, Qt::LeftButton, {}, {48, 12});
        QTest::mouseMove(&pad, {48, 84});
        QTest::mouseRelease(&pad, Qt::LeftButton, {}, {48, 84});
        QCOMPARE(drawn.count(), 1);
        const auto at = [&](int row, int column) {
            return pad.picture().elements[static_cast<std::size_t>(row * 8 + column)];
        };
        QVERIFY(at(4, 4) > 0.4);
        QVERIFY(at(4, 3) > 0.4);
        QCOMPARE(at(4, 0), 0.0);
        QTest::mouseClick(&pad, Qt::RightButton, {}, {48, 48});
        QVERIFY(at(4, 4) < 0.1);
        pad.clear();
        QCOMPARE(drawn.count(), 3);
        QCOMPARE(*std::max_element(pad.picture().elements.begin(), pad.picture().elements.end()), 0.0);
    }

    void tokens() {
        QCOMPARE(tokensOf(QStringLiteral("abc")), (std::vector<std::int64_t>{97, 98, 99}));
        QCOMPARE(tokensOf(QStringLiteral("5 3, 8")), (std::vector<std::int64_t>{5, 3, 8}));
        QCOMPARE(tokensOf(QStringLiteral("7")), (std::vector<std::int64_t>{55}));
        QCOMPARE(tokensOf(QStringLiteral("\u00e9")), (std::vector<std::int64_t>{0xc3, 0xa9}));
        QCOMPARE(textOfTokens({97, 98, 32}), QStringLiteral("ab "));
        QCOMPARE(textOfTokens({5, 3}), QStringLiteral("5 3"));
    }
    void answers() {
        // softmax(0, log 3) = (1/4, 3/4)
        QCOMPARE(answerText({0, std::log(3.0)}, {QStringLiteral("cat"), QStringLiteral("dog")}, false),
                 QStringLiteral("dog (75.0 %), then cat (25.0 %)"));
        QCOMPARE(answerText({0.1, 0.9}, {}, false), QStringLiteral("1 (90.0 %), then 0 (10.0 %)"));
        QVERIFY(answerText({std::nan(""), 1}, {}, false).isEmpty());
        QCOMPARE(classNames(QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/lstm.pt")).value(0),
                 QStringLiteral("English"));
        QVERIFY(classNames(QStringLiteral("/nowhere/x.pt")).isEmpty());
    }

    void inputsAreRemembered() {
        QSettings().clear();
        const QString model = QStringLiteral("/models/a.pt");
        QVERIFY(!recallInputs(model, {}));
        session::InputSpec drawn = session::parse_input_spec("1x3x8x8:normal");
        drawn.seed = 12;
        session::InputSpec number;
        number.literal = "3";
        session::InputSpec list;
        list.elements = {session::parse_input_spec("4:int64")};
        session::RunOptions options;
        options.backward = true;
        options.training = true;
        options.pipeline = "freeze";
        options.threads = 2;
        options.backward_from = session::parse_backward_from("cross_entropy", "[1, 2]");
        rememberInputs(model, {drawn, number, list}, options);
        const auto found = recallInputs(model, {});
        QVERIFY(found);
        QCOMPARE(found->inputs.size(), 3u);
        QCOMPARE(found->inputs[0].seed, 12u);
        QCOMPARE(found->inputs[0].shape, (session::Shape{1, 3, 8, 8}));
        QCOMPARE(*found->inputs[1].literal, std::string("3"));
        QCOMPARE(found->inputs[2].elements.at(0).dtype, std::string("int64"));
        QVERIFY(found->options.backward && *found->options.training && found->options.pipeline == "freeze" &&
                found->options.threads == 2);
        QCOMPARE(session::loss_text(found->options.backward_from), std::string("CrossEntropyLoss()"));
        QCOMPARE(session::target_text(found->options.backward_from.target), std::string("[1, 2]"));
        QVERIFY(!recallInputs(QStringLiteral("/models/b.pt"), {}));
        // A file that is gone is no input any more.
        drawn.source = session::InputSpec::Source::File;
        drawn.file = "/nowhere/x.npy";
        rememberInputs(model, {drawn}, options);
        QVERIFY(!recallInputs(model, {}));
    }

    // What backward starts from: chosen in a list, with what it needs behind it, and errors in place.
    void backwardIsChosen() {
        BackwardForm form(nullptr);
        form.show();
        QSignalSpy changed(&form, &BackwardForm::changed);
        const auto choose = [&](const QString& entry) {
            const int at = form.kind()->findText(entry);
            QVERIFY2(at >= 0, qPrintable(entry));
            form.kind()->setCurrentIndex(at);
            emit form.kind()->activated(at);
        };
        const auto type = [&](const QString& typed) {
            form.detail()->setText(typed);
            emit form.detail()->editingFinished();
        };
        QCOMPARE(form.kind()->currentText(), QStringLiteral("sum of outputs"));
        QVERIFY(!form.detail()->isVisible());
        QCOMPARE(form.kind()->findText(QStringLiteral("the source's loss")), -1);
        choose(QStringLiteral("CrossEntropyLoss"));
        QVERIFY(form.detail()->isVisible());
        QCOMPARE(changed.count(), 1);
        type(QStringLiteral("[3]"));
        QCOMPARE(changed.count(), 2);
        QCOMPARE(session::backward_from_text(form.choice()), std::string("CrossEntropyLoss(), target [3]"));
        // What is no target stays to be mended; the choice is as it was.
        type(QStringLiteral("[3"));
        QVERIFY(form.error().contains(QStringLiteral("is no target")));
        QCOMPARE(form.detail()->text(), QStringLiteral("[3"));
        QCOMPARE(session::target_text(form.choice().target), std::string("[3]"));
        type(QStringLiteral("[4]"));
        QVERIFY(form.error().isEmpty());
        choose(QStringLiteral("one element of an output"));
        QCOMPARE(form.detail()->text(), QStringLiteral("out0[0]"));
        type(QStringLiteral("out0[0, 7]"));
        QCOMPARE(form.choice().index, (session::Shape{0, 7}));
        form.kind()->setEditText(QStringLiteral("CrossEntropyLoss(label_smoothing=0.1)"));
        emit form.kind()->lineEdit()->editingFinished();
        QVERIFY2(form.choice().kind == session::BackwardFrom::Kind::Loss, qPrintable(form.error()));
        // The source's own is what stands there where it has one.
        form.setChoice({});
        form.setOwnLoss(1);
        QCOMPARE(form.kind()->currentText(), QStringLiteral("the source's loss"));
        form.setOwnLoss(2);
        QVERIFY(form.detail()->isVisible());
        QVERIFY(form.note()->text().contains(QStringLiteral("takes a target")));
        type(QStringLiteral("labels"));
        QVERIFY(form.choice().target.source == session::LossTarget::Source::Data);
    }
};

QTEST_MAIN(InputsTest)
#include "inputs_test.moc"
