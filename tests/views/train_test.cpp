// SPDX-License-Identifier: GPL-3.0-or-later
// The Train panel: a training is started, stopped in, gone on with and saved by its buttons, and drawn as it goes.
#include <qcustomplot.h>

#include <QListWidget>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolTip>
#include <QtTest>

#include "tests/session/watched_program.h"
#include "tests/views/patience.h"
#include "views/common/format.h"
#include "views/gradient_flow/gradient_flow_view.h"
#include "views/log/log_view.h"
#include "views/train/train_view.h"

using namespace loupe;
using namespace loupe::views;

class TrainTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName(QStringLiteral("Tensorloupe"));
        QCoreApplication::setApplicationName(QStringLiteral("train_test"));
        qputenv("XDG_CONFIG_HOME", folder_.path().toUtf8());
    }

    void init() {
        bridge_ = std::make_unique<SessionBridge>();
        view_ = std::make_unique<TrainView>(*bridge_, nullptr);
        view_->resize(900, 600);
        view_->show();
        bridge_->open(QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        waitFor(session::RunState::Ready);
    }

    // The data that ships beside a model is chosen for it.
    void startsWithWhatFits() {
        QVERIFY(view_->form().data().path()->text().endsWith(QStringLiteral("digits_data.npz")));
        QVERIFY(view_->start()->isEnabled());
        QVERIFY(!view_->pause()->isEnabled());
        QVERIFY(view_->pause()->toolTip().startsWith(QStringLiteral("Not now")));
    }

    void trainsAndDraws() {
        const session::TrainOptions options = few(6);
        QTest::mouseClick(view_->start(), Qt::LeftButton);
        waitFor(session::RunState::Finished);
        const auto log = bridge_->training();
        QVERIFY(log != nullptr);
        QTRY_COMPARE(view_->plots().lossGraph()->dataCount(), 6);
        // The loss of the step itself, and the mean by its name.
        const auto* last = view_->findChild<QLabel*>(QStringLiteral("trainLast"));
        const QString loss = views::text(session::loss_text(log->steps().back().loss));
        QVERIFY2(last->text().contains(QStringLiteral("loss <b>%1</b>, smoothed ").arg(loss)), last->text().toUtf8());
        view_->plots().setSmoothing(0);
        QVERIFY2(last->text().contains(loss) && !last->text().contains(QStringLiteral("smoothed")),
                 last->text().toUtf8());
        // The same digits as in the log.
        const bool isLogged = std::any_of(bridge_->log().begin(), bridge_->log().end(), [&](const auto& entry) {
            return views::text(entry.text).contains(QStringLiteral(" \u2192 %1 in 6 steps").arg(loss));
        });
        QVERIFY(isLogged);
        const auto steps = log->steps();
        QCOMPARE(view_->plots().lossGraph()->dataMainValue(5), steps.back().loss);
        QVERIFY(view_->plots().tensors()->count() > 5);
        QCOMPARE(view_->plots().tensors()->itemText(0), QStringLiteral("features.conv1.weight"));
        QVERIFY(view_->start()->isEnabled());
        QCOMPARE(options.max_steps, std::int64_t{6});
    }

    // A program trains, and the panel is its window.
    void attachesToAProgram() {
        const std::string path = folder_.filePath(QStringLiteral("7.sock")).toStdString();
        testing::WatchedSocket program(path);
        bridge_->open(views::text(path));
        program.accept();
        const auto rows = testing::fixture_lines();
        program.say(testing::kHello);
        for (std::size_t i = 1; i + 1 < rows.size(); ++i) program.say(rows[i]);
        QTRY_COMPARE(view_->plots().lossGraph()->dataCount(), 30);
        QVERIFY(view_->watchedBar().isVisible() && !view_->start()->isVisible() && !view_->form().isVisible());
        QVERIFY2(view_->watchedBar().words()->text().contains(QStringLiteral("train.py")),
                 view_->watchedBar().words()->text().toUtf8());
        QVERIFY(bridge_->isTraining());
        // Nothing of it is lost when the window is closed.
        QVERIFY(!bridge_->hasUnsavedTraining() && !bridge_->hasUnsavedRun());
        // Steps of it cannot be run again, which a click says.
        QVERIFY(view_->plots().tipOf(20).contains(QStringLiteral("another program")));
        QVERIFY(view_->plots().tipOf(20).contains(QStringLiteral("gradient norm")));
        QVERIFY(!view_->plots().tipOf(21).contains(QStringLiteral("gradient norm")));
        QVERIFY(view_->plots().tensors()->count() >= 12);
        QVERIFY(view_->plots().reported().count() >= 3);
        // What it reports as its accuracy has the chart of it, in percent.
        QCOMPARE(view_->plots().accuracyGraph()->dataCount(), 30);
        QCOMPARE(qRound(view_->plots().accuracyGraph()->dataMainValue(9)), 30);

        QVERIFY(view_->pause()->isEnabled());
        QTest::mouseClick(view_->pause(), Qt::LeftButton);
        QCOMPARE(program.order(), std::string(R"({"do":"pause"})"));
        program.say(R"({"kind":"parked","step":30})");
        waitFor(session::RunState::Paused);
        QCOMPARE(view_->pause()->text(), QStringLiteral("Continue"));
        QTest::mouseClick(view_->watchedBar().record(), Qt::LeftButton);
        QCOMPARE(program.order(), std::string(R"({"do":"record"})"));
        view_->watchedBar().every()->setValue(5);
        QCOMPARE(program.order(), std::string(R"({"do":"every","every":5})"));
        QTest::mouseClick(view_->pause(), Qt::LeftButton);
        QCOMPARE(program.order(), std::string(R"({"do":"continue"})"));
        program.say(R"({"kind":"running","step":30})");
        program.say(R"({"kind":"recorded","step":31,"path":"run.step31.loupe"})");
        QTRY_VERIFY(view_->watchedBar().opener()->isVisible());
        QCOMPARE(view_->watchedBar().opener()->text(), QStringLiteral("Open step 31"));
        const QSignalSpy wanted(bridge_.get(), &SessionBridge::fileWanted);
        QTest::mouseClick(view_->watchedBar().opener(), Qt::LeftButton);
        QCOMPARE(wanted.size(), 1);

        QTest::mouseClick(view_->stop(), Qt::LeftButton);
        QVERIFY(program.is_left());
        QTRY_VERIFY(!bridge_->isTraining());
        QVERIFY(!view_->watchedBar().record()->isVisible() && view_->watchedBar().isVisible());
    }

    // Inside a step everything can be looked at; then it goes on.
    void pausesInsideAStep() {
        few(100'000'000);  // more than are done before a slow window comes to pause them
        view_->train();
        QTRY_VERIFY(view_->pause()->isEnabled() && bridge_->training() && bridge_->training()->step_count() > 1);
        QTest::mouseClick(view_->pause(), Qt::LeftButton);
        waitFor(session::RunState::Paused);
        QCOMPARE(view_->pause()->text(), QStringLiteral("Continue"));
        QVERIFY(bridge_->recording() != nullptr);
        QVERIFY(bridge_->status().is_training);
        const std::size_t before = bridge_->training()->step_count();
        const session::EventId reached = bridge_->status().reached;
        bridge_->step(session::StepKind::Over);
        QTRY_VERIFY(bridge_->isPaused() && bridge_->status().reached > reached);
        QTest::mouseClick(view_->pause(), Qt::LeftButton);
        QTRY_VERIFY(bridge_->training()->step_count() > before);
        QTest::mouseClick(view_->stop(), Qt::LeftButton);
        QTRY_VERIFY(!bridge_->isTraining() && !bridge_->isBusy());
        QVERIFY(view_->start()->isEnabled());
    }

    // Other panels keep looking at the event they looked at, one step after another.
    void whatIsSelectedStays() {
        few(4);
        view_->train();
        waitFor(session::RunState::Finished);
        bridge_->setCurrentEvent(3);
        session::TrainOptions options = few(8);
        options.look_every = 0;
        bridge_->trainOn(options);
        QTRY_COMPARE(bridge_->training()->step_count(), std::size_t{8});
        waitFor(session::RunState::Finished);
        QTRY_COMPARE(bridge_->currentEvent(), session::EventId{3});
    }

    // Gradients of every step that was looked at, with what was wrong in how many of them.
    void gradientsOverSteps() {
        GradientFlowView gradients(*bridge_, nullptr);
        gradients.resize(700, 300);
        gradients.show();
        QVERIFY(QTest::qWaitForWindowExposed(&gradients, kPatience));
        session::TrainOptions options = few(5);
        options.look_every = 0;
        bridge_->train(options);
        waitFor(session::RunState::Finished);
        gradients.setMeasure(GradientFlowView::Measure::Steps);
        const auto samples = bridge_->training()->samples();
        QVERIFY(samples.size() >= 2);  // the first and the last at least
        QCOMPARE(samples.back()->step, std::int64_t{5});
        QTRY_COMPARE(gradients.steps().size(), samples.size());
        QTRY_VERIFY(!gradients.steps().back().rows.empty());
        for (std::size_t i = 0; i < samples.size(); ++i) {
            QCOMPARE(gradients.steps()[i].step, samples[i]->step);
            QCOMPARE(gradients.steps()[i].rows.front().finite->mean_abs,
                     samples[i]->gradients.front().statistics.finite->abs_mean);
        }
        QTRY_VERIFY(gradients.health()->count() > 0 &&
                    gradients.health()->item(0)->text().contains(QStringLiteral("steps")));
    }

    // A click on a step runs it again and parks inside it; then there are two ways on.
    void aClickedStepIsRunAgain() {
        few(20);
        view_->train();
        waitFor(session::RunState::Finished);
        QTRY_COMPARE(view_->plots().lossGraph()->dataCount(), 20);
        QVERIFY(!view_->pastBar()->isVisible());
        click(7);
        waitFor(session::RunState::Paused);
        QTRY_COMPARE(bridge_->status().training_step, std::int64_t{7});
        QTRY_COMPARE(view_->plots().marked(), std::int64_t{7});
        QVERIFY(view_->pastBar()->isVisible());
        QVERIFY(view_->findChild<QLabel*>(QStringLiteral("trainState"))->text().contains(QStringLiteral("step 7")));
        QTest::mouseClick(view_->pause(), Qt::LeftButton);
        waitFor(session::RunState::Finished);
        QTRY_VERIFY(says("step 7 was run again and came out as it was logged"));
        QVERIFY(view_->pastBar()->isVisible());
        QTest::mouseClick(view_->findChild<QToolButton*>(QStringLiteral("trainBack")), Qt::LeftButton);
        QTRY_VERIFY(!view_->pastBar()->isVisible());
        QCOMPARE(view_->plots().marked(), std::int64_t{0});
        // On a logarithmic axis the same place is another step.
        QTest::mouseClick(view_->plots().logSteps(), Qt::LeftButton);
        click(3);
        QTRY_COMPARE(bridge_->status().training_step, std::int64_t{3});
        waitFor(session::RunState::Paused);
        QTest::mouseClick(view_->findChild<QToolButton*>(QStringLiteral("trainFromHere")), Qt::LeftButton);
        QTRY_VERIFY(bridge_->session().trainings().size() == 2 && bridge_->training()->step_count() == 20);
        waitFor(session::RunState::Finished);
        QVERIFY(!view_->pastBar()->isVisible());
        QTest::mouseClick(view_->plots().logSteps(), Qt::LeftButton);
    }

    // While it runs a click on a step only tells of it: what was learned is not ended by looking.
    void aClickDoesNotEndATraining() {
        few(100'000'000);
        view_->train();
        QTRY_VERIFY(bridge_->training() && bridge_->training()->step_count() > 1);
        QTRY_VERIFY(bridge_->isTraining());
        emit view_->plots().stepActivated(1);
        QVERIFY2(QToolTip::text().startsWith(QStringLiteral("step 1, epoch 1")), qPrintable(QToolTip::text()));
        QVERIFY2(QToolTip::text().contains(QStringLiteral("Pause or stop")), qPrintable(QToolTip::text()));
        const std::size_t before = bridge_->training()->step_count();
        QTRY_VERIFY(bridge_->training()->step_count() > before + 2);
        QVERIFY(bridge_->isTraining() && bridge_->status().training_end == 0);
        QTest::mouseClick(view_->stop(), Qt::LeftButton);
        QTRY_VERIFY(!bridge_->isTraining() && !bridge_->isBusy());
        emit view_->plots().stepActivated(1);
        waitFor(session::RunState::Paused);
        QTRY_COMPARE(bridge_->status().training_step, std::int64_t{1});
    }

    // Trainings of the model side by side, with the settings in which they differ.
    void trainingsAreCompared() {
        few(6);
        view_->train();
        waitFor(session::RunState::Finished);
        const auto first = bridge_->training();
        QCOMPARE(view_->plots().overlays().size(), 0);
        view_->form().optimizer()->setCurrentText(QStringLiteral("SGD(lr=0.05)"));
        view_->train();
        QTRY_VERIFY(bridge_->training() != first && bridge_->training()->step_count() == 6);
        waitFor(session::RunState::Finished);
        // The one before is drawn at once.
        QTRY_COMPARE(view_->plots().overlays().size(), 4);
        QTRY_COMPARE(view_->plots().overlays().front()->dataCount(), 6);
        TrainingList& list = view_->plots().trainings();
        QCOMPARE(list.topLevelItemCount(), 2);
        QStringList titles;
        for (int i = 0; i < list.columnCount(); ++i) titles << list.headerItem()->text(i);
        QVERIFY2(titles.contains(QStringLiteral("optimizer")) && titles.contains(QStringLiteral("begins with")),
                 qPrintable(titles.join(QLatin1Char(','))));
        QVERIFY(!titles.contains(QStringLiteral("batch")));
        list.topLevelItem(0)->setCheckState(0, Qt::Unchecked);
        QTRY_COMPARE(view_->plots().overlays().size(), 0);
        // A third: what was ticked stays as it was, the newest of the others is drawn.
        const auto second = bridge_->training();
        view_->train();
        QTRY_VERIFY(bridge_->training() != second && bridge_->training()->step_count() == 6);
        waitFor(session::RunState::Finished);
        QTRY_COMPARE(list.chosen().size(), std::size_t{1});
        QVERIFY(list.chosen().front() == second);
    }

    // A column of the map is a step, whatever was recorded; a norm of every parameter at each of them.
    void theMapHasAnEvenAxis() {
        session::TrainOptions options = few(30);
        options.look_every = -1;
        bridge_->train(options);
        waitFor(session::RunState::Finished);
        StepMap& map = view_->plots().map();
        map.kinds()->setCurrentIndex(StepMap::GradientNorms);
        QTRY_VERIFY(map.numbers()->text().contains(QStringLiteral("every step")));
        const auto* colours = map.plot()->findChild<QCPColorMap*>();
        auto* shown = colours != nullptr ? colours : qobject_cast<QCPColorMap*>(map.plot()->plottable(0));
        QVERIFY(shown != nullptr);
        QCOMPARE(shown->data()->keySize(), 30);
        QCOMPARE(shown->data()->valueSize(), static_cast<int>(bridge_->training()->parameters().size()));
        for (int step = 1; step <= 30; ++step) {
            int column = 0, row = 0;
            shown->data()->coordToCell(step, 0, &column, &row);
            QCOMPARE(column, step - 1);
            const double norm = static_cast<double>(bridge_->training()->norms_at(step)[0].gradient);
            QVERIFY(std::abs(shown->data()->cell(column, row) - std::log10(norm)) < 1e-9);
        }
    }

    // Labels of magnitudes stand below each other, however low the map.
    void labelsOfTheMapStandApart() {
        session::TrainOptions options = few(10);
        options.look_every = 0;
        bridge_->train(options);
        waitFor(session::RunState::Finished);
        StepMap& map = view_->plots().map();
        map.kinds()->setCurrentIndex(StepMap::Weights);
        for (const int height : {700, 420, 360}) {
            view_->resize(900, height);
            QTRY_VERIFY(map.plot()->axisRect()->visible());
            map.plot()->replot();
            const QCPAxis* axis = map.plot()->yAxis;
            const int line = QFontMetrics(axis->tickLabelFont()).ascent();
            const auto ticks = axis->ticker().dynamicCast<QCPAxisTickerText>()->ticks().keys();
            QVERIFY(!ticks.isEmpty());
            for (qsizetype i = 1; i < ticks.size(); ++i)
                QVERIFY2(std::abs(axis->coordToPixel(ticks[i]) - axis->coordToPixel(ticks[i - 1])) >= line,
                         qPrintable(QString::number(height)));
        }
    }

    // Where there is little room, the form or the plots.
    void aNarrowPanelShowsOne() {
        view_->resize(430, 500);
        QTRY_VERIFY(view_->settings()->isVisible());
        QVERIFY(view_->form().isVisible() && !view_->plots().isVisible());  // nothing was trained
        few(3);
        view_->train();
        QTRY_VERIFY(view_->plots().isVisible() && !view_->form().isVisible());
        waitFor(session::RunState::Finished);
        QTest::mouseClick(view_->settings(), Qt::LeftButton);
        QTRY_VERIFY(view_->form().isVisible() && !view_->plots().isVisible());
        view_->resize(900, 600);
        QTRY_VERIFY(view_->form().isVisible() && view_->plots().isVisible());
    }

    // Where it is low, the plots that have room stand in a row; none covers another's title.
    void aLowPanelShowsFewerPlots() {
        few(3);
        view_->train();
        waitFor(session::RunState::Finished);
        auto* curves = view_->plots().findChild<QCustomPlot*>();
        QVERIFY(curves != nullptr);
        const auto shown = [&] {
            QList<QRect> places;
            for (const QCPAxisRect* rect : curves->axisRects()) {
                if (rect->realVisibility()) places << rect->outerRect();
            }
            return places;
        };
        // Those that stand in no place at first are drawn as the others.
        const auto* loss = curves->axisRects().front()->axis(QCPAxis::atLeft);
        for (const auto& [size, is_low] : {std::pair(QSize(900, 280), true), std::pair(QSize(900, 700), false)}) {
            view_->resize(size);
            QTRY_COMPARE(shown().size() < 4, is_low);
            QVERIFY(!shown().isEmpty());
            curves->replot();
            for (const QCPAxisRect* rect : curves->axisRects())
                QCOMPARE(rect->axis(QCPAxis::atLeft)->tickLabelFont(), loss->tickLabelFont());
            const QList<QRect> places = shown();
            for (qsizetype i = 0; i < places.size(); ++i) {
                QVERIFY2(places[i].height() > 50, qPrintable(QString::number(places[i].height())));
                for (qsizetype j = 0; j < i; ++j) QVERIFY(!places[i].intersects(places[j]));
            }
        }
    }

    // What goes wrong is named in the panel and in the log, with its step as a link.
    void divergenceIsNamed() {
        session::TrainOptions options = few(40);
        options.optimizer = "SGD(lr=5, momentum=0.9)";
        options.stop_at_nan = false;
        bridge_->train(options);
        waitFor(session::RunState::Finished);
        QTRY_VERIFY(view_->plots().findings()->count() > 0 &&
                    view_->plots().findings()->item(0)->text().contains(QStringLiteral("the loss diverges")));
        QTRY_VERIFY(says("the loss diverges", SessionBridge::LogEntry::Level::Warning));
        QVERIFY(view_->plots().logLoss()->isChecked());  // many powers of ten
        const qint64 step = view_->plots().findings()->item(0)->data(Qt::UserRole).toLongLong();
        QVERIFY(step > 0 && step < 20);
        emit view_->plots().findings()->itemClicked(view_->plots().findings()->item(0));
        waitFor(session::RunState::Paused);
        QTRY_COMPARE(bridge_->status().training_step, step);
    }

    // An entry of the log leads to its step; of a training before the last one it leads to the panel alone.
    void theLogLeadsToStepsOfItsTraining() {
        LogView log(*bridge_, nullptr);
        session::TrainOptions options = few(40);
        options.optimizer = "SGD(lr=5, momentum=0.9)";
        options.stop_at_nan = false;
        bridge_->train(options);
        waitFor(session::RunState::Finished);
        QTRY_VERIFY(says("the loss diverges", SessionBridge::LogEntry::Level::Warning));
        const auto& entries = bridge_->log();
        const std::string words = "the loss diverges";
        const auto isFound = [&](const auto& entry) { return entry.text.find(words) != std::string::npos; };
        const auto found = std::find_if(entries.begin(), entries.end(), isFound);
        const int row = static_cast<int>(found - entries.begin());
        const std::int64_t step = found->training_step;
        QVERIFY(log.list().item(row)->text().contains(QStringLiteral("the loss diverges")));
        const auto shown = bridge_->recording();
        QVERIFY(shown);
        emit log.list().itemActivated(log.list().item(row));
        waitFor(session::RunState::Paused);
        QTRY_COMPARE(bridge_->status().training_step, step);
        bridge_->returnToEnd();
        QTRY_VERIFY(bridge_->status().training_end == 0 && !bridge_->isBusy() && !bridge_->isPaused());
        // Every panel is at the end again: its run, and an event of it.
        QVERIFY(bridge_->recording() == shown);
        QCOMPARE(bridge_->eventCount(), shown->event_count());
        QVERIFY(bridge_->currentEvent() != 0 && !bridge_->hasUnsavedRun());
        const auto first = bridge_->training();
        options.optimizer = "SGD(lr=0.001)";
        bridge_->train(options);
        QTRY_VERIFY(bridge_->training() != first && bridge_->training()->step_count() == 40);
        waitFor(session::RunState::Finished);
        QSignalSpy wanted(bridge_.get(), &SessionBridge::panelWanted);
        emit log.list().itemActivated(log.list().item(row));
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().front().toString(), QStringLiteral("train"));
        bridge_->session().wait_idle();
        QCoreApplication::processEvents();
        QCOMPARE(bridge_->status().state, session::RunState::Finished);
        QCOMPARE(bridge_->status().training_end, std::int64_t{0});
    }

    // A model that a bad training has spoiled begins anew, as with a new process.
    void trainsAnew() {
        few(3);
        view_->trainAnew();
        waitFor(session::RunState::Finished);
        const double first = bridge_->training()->steps().front().loss;
        auto before = bridge_->training();
        view_->trainAnew();
        QTRY_VERIFY(bridge_->training() != before && bridge_->training()->step_count() == 3);
        QCOMPARE(bridge_->training()->steps().front().loss, first);
        waitFor(session::RunState::Finished);
        before = bridge_->training();
        view_->train();
        QTRY_VERIFY(bridge_->training() != before && bridge_->training()->step_count() == 3);
        QVERIFY(bridge_->training()->steps().front().loss != first);
    }

    // What of a training is done, and what comes next, stands below the epochs.
    void saysWhatIsDoneAndWhatGoingOnDoes() {
        few(3);
        view_->train();
        waitFor(session::RunState::Finished);
        auto* done = view_->form().findChild<QLabel*>(QStringLiteral("trainDone"));
        QTRY_VERIFY(done->text().startsWith(QStringLiteral("0 of ")));
        QVERIFY2(done->text().contains(QStringLiteral("done (3 steps), in the middle of epoch 1. Go on trains 3 more "
                                                      "steps, to step 6")),
                 qPrintable(done->text()));
        view_->form().steps()->setValue(4);
        QVERIFY(done->text().contains(QStringLiteral("Go on trains 1 more step, to step 4")));
        view_->form().steps()->setValue(0);
        QVERIFY(done->text().contains(QStringLiteral("to the end of epoch %1").arg(view_->form().epochs()->value())));
    }

    void savesWeights() {
        const QString file = folder_.filePath(QStringLiteral("weights.npz"));
        view_->saveWeights(file);
        QTRY_VERIFY(says("weights written to"));
        QVERIFY(QFile::exists(file));
    }

    // Saved in the middle, and gone on with by another window's panel: the same curve as without a stop.
    void savesAndResumesATraining() {
        // Not what another test's form was remembered with.
        view_->form().optimizer()->setCurrentText(QStringLiteral("Adam(lr=0.001)"));
        few(9);
        view_->train();
        waitFor(session::RunState::Finished);
        const auto whole = bridge_->training()->steps();
        const QString file = folder_.filePath(QStringLiteral("training.pt"));
        init();
        few(5);
        view_->train();
        waitFor(session::RunState::Finished);
        view_->saveCheckpoint(file);
        QTRY_VERIFY(says("the training was written to"));
        init();
        view_->form().optimizer()->setCurrentText(QStringLiteral("SGD(lr=0.125)"));
        view_->resume(file);
        QTRY_COMPARE(view_->form().optimizer()->currentText(), QStringLiteral("Adam(lr=0.001)"));
        QTRY_VERIFY(says("done (5 steps); resuming trains"));
        QTRY_VERIFY(bridge_->training() && bridge_->training()->step_count() >= 9);
        bridge_->session().stop();
        const auto resumed = bridge_->training()->steps();
        for (std::size_t i = 0; i < 9; ++i) QCOMPARE(resumed[i].loss, whole[i].loss);
        QTRY_VERIFY(!bridge_->isBusy());
        QVERIFY(!says("", SessionBridge::LogEntry::Level::Error));
        view_->resume(QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        QTRY_VERIFY(says("", SessionBridge::LogEntry::Level::Error));
    }

    // What is saved while an earlier step is looked at is that step: the end is in no file; no training replaces it.
    void anEarlierStepIsSavedBesideTheEnd() {
        few(6);
        view_->train();
        waitFor(session::RunState::Finished);
        bridge_->lookAtStep(2);
        waitFor(session::RunState::Paused);
        bridge_->run();
        waitFor(session::RunState::Finished);
        QVERIFY(bridge_->isAtPastStep() && bridge_->hasUnsavedTraining());
        QVERIFY(!view_->start()->isEnabled());
        QVERIFY(view_->start()->toolTip().contains(QStringLiteral("earlier step")));
        view_->saveWeights(folder_.filePath(QStringLiteral("past.npz")));
        QTRY_VERIFY(says("weights written to"));
        QVERIFY(bridge_->hasUnsavedTraining());
        view_->saveCheckpoint(folder_.filePath(QStringLiteral("past.pt")));
        QTRY_VERIFY(says("the training was written to"));
        QVERIFY(bridge_->hasUnsavedTraining());
        bridge_->returnToEnd();
        QTRY_VERIFY(!bridge_->isAtPastStep());
        QVERIFY(view_->start()->isEnabled());
        view_->saveCheckpoint(folder_.filePath(QStringLiteral("end.pt")));
        QTRY_VERIFY(!bridge_->hasUnsavedTraining());
    }

    // Every source that the engine has, with its options as fields.
    void everySourceCanBeChosen() {
        DataForm& form = view_->form().data();
        for (const auto& info : session::data_sources()) {
            session::DataSpec spec;
            spec.path = "/somewhere/data";
            spec.source = info.name;
            for (const auto& option : info.options) {
                const auto bar = option.form.rfind('|');
                spec.options[option.name] =
                    bar == std::string::npos
                        ? "3"
                        : option.form.substr(option.default_text == option.form.substr(bar + 1) ? 0 : bar + 1,
                                             option.default_text == option.form.substr(bar + 1) ? option.form.find('|')
                                                                                                : std::string::npos);
            }
            form.setData(spec);
            QCOMPARE(form.source()->currentText(), QString::fromStdString(info.name));
            for (const auto& option : info.options)
                QVERIFY2(form.option(QString::fromStdString(option.name)), option.name.c_str());
            const session::DataSpec back = form.data();
            QCOMPARE(back.source, spec.source);
            QCOMPARE(back.path, spec.path);
            QCOMPARE(back.options, spec.options);
        }
        // Without a path it is made up.
        form.path()->clear();
        form.source()->setCurrentIndex(0);
        QVERIFY(form.data().path.empty() && form.data().options.empty());
    }

    // What the data is stands below it, and why it is none.
    void dataIsDescribed() {
        DataForm& form = view_->form().data();
        QTRY_VERIFY(form.summary()->text().contains(QStringLiteral("float32 1x8x8")));
        QCOMPARE(form.source()->currentText(), QStringLiteral("by the file: npz"));
        auto* target = qobject_cast<QLineEdit*>(form.option(QStringLiteral("target")));
        QVERIFY(target);
        target->setText(QStringLiteral("nothing"));
        QTRY_VERIFY(form.summary()->text().contains(QStringLiteral("no array 'nothing'")));
        QCOMPARE(form.data().options.at("target"), std::string("nothing"));
    }

    // What was set comes back with the model.
    void rememberedByModel() {
        few(2);
        view_->form().optimizer()->setCurrentText(QStringLiteral("SGD(lr=0.125)"));
        view_->form().remember();
        bridge_->open(QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/lstm.pt"));
        QTRY_VERIFY(view_->form().data().path()->text().isEmpty());
        bridge_->open(QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        QTRY_COMPARE(view_->form().optimizer()->currentText(), QStringLiteral("SGD(lr=0.125)"));
    }

    void whatDoesNotFitIsTold() {
        session::TrainOptions options = few(2);
        options.loss = "MSELosss()";
        view_->form().setOptions(options);
        view_->train();
        waitFor(session::RunState::Failed);
        QVERIFY(bridge_->status().error.find("MSELosss") != std::string::npos);
        QVERIFY(view_->start()->isEnabled());
    }

    void cleanup() {
        view_.reset();
        bridge_.reset();
    }

  private:
    void waitFor(session::RunState state) { QTRY_VERIFY(bridge_->status().state == state); }
    bool says(const char* words, SessionBridge::LogEntry::Level level = SessionBridge::LogEntry::Level::Info) const {
        const auto& log = bridge_->log();
        return std::any_of(log.begin(), log.end(), [&](const auto& entry) {
            return entry.level == level && entry.text.find(words) != std::string::npos;
        });
    }
    // In the loss, at the middle of a step.
    void click(int step) {
        QCustomPlot* curves = view_->plots().curves();
        curves->replot();
        const QCPAxisRect* axes = curves->axisRect(0);
        const QPoint at(static_cast<int>(axes->axis(QCPAxis::atBottom)->coordToPixel(step)), axes->rect().center().y());
        QCOMPARE(view_->plots().stepAt(at), std::int64_t{step});
        QTest::mouseClick(curves, Qt::LeftButton, {}, at);
    }
    session::TrainOptions few(std::int64_t steps) {
        session::TrainOptions options = view_->form().options();
        options.max_steps = steps;
        options.epochs = 1000;
        view_->form().setOptions(options);
        return options;
    }

    QTemporaryDir folder_;
    std::unique_ptr<SessionBridge> bridge_;
    std::unique_ptr<TrainView> view_;
};

QTEST_MAIN(TrainTest)
#include "train_test.moc"
