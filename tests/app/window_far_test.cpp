// SPDX-License-Identifier: GPL-3.0-or-later
// The window of an engine far away: how it is reached, what is asked on the way, and what is said when it is lost, used
// by somebody else, or dead.
#include <signal.h>
#include <unistd.h>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QInputDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryFile>
#include <QTimer>
#include <QTreeWidget>
#include <fstream>

#include "app/window/askpass.h"
#include "app/window/attach_dialog.h"
#include "app/window/connect_dialog.h"
#include "app/window/far_connection.h"
#include "tests/app/far_fixture.h"
#include "tests/session/watched_program.h"
#include "views/common/elided_label.h"
#include "views/common/kept_answers.h"
#include "views/common/view.h"
#include "views/tensor/tensor_source.h"
#include "views/tensor/tensor_view.h"
#include "views/watch/watch_model.h"
#include "views/watch/watch_view.h"

using namespace loupe;
using session::FarState;
using window::ConnectDialog;
using window::FarConnection;

namespace {

// What is written to stdout meanwhile.
QString printedBy(const std::function<void()>& work) {
    std::fflush(stdout);
    QTemporaryFile file;
    if (!file.open()) return QStringLiteral("no file");
    const int before = ::dup(STDOUT_FILENO);
    ::dup2(file.handle(), STDOUT_FILENO);
    work();
    std::fflush(stdout);
    ::dup2(before, STDOUT_FILENO);
    ::close(before);
    file.seek(0);
    return QString::fromUtf8(file.readAll());
}

// Does something with the dialogue that comes next.
template <typename Dialog>
void withNext(const std::function<void(Dialog&)>& act) {
    auto* timer = new QTimer;
    QObject::connect(timer, &QTimer::timeout, [timer, act] {
        auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr) return;
        timer->deleteLater();
        act(*dialog);
    });
    timer->start(20);
}

}  // namespace

class WindowFarTest : public testing::FarFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { prepare(); }
    void cleanup() { endFar(); }

    // --- the dialogue Connect

    void theDialogueHasTheHostsThatWereReached() {
        makeWindow();
        FarConnection::remember(QStringLiteral("ssh://old"));
        FarConnection::remember(QStringLiteral("ssh://ada@new:2222"));
        action("connect")->trigger();
        auto* dialog = window_->findChild<ConnectDialog*>();
        QVERIFY(dialog != nullptr);
        QTRY_VERIFY(dialog->isVisible());
        auto* box = dialog->findChild<QComboBox*>(QStringLiteral("farAddress"));
        QCOMPARE(box->count(), 2);
        QCOMPARE(dialog->address(), QStringLiteral("ssh://ada@new:2222"));
        auto* forget = dialog->findChild<QPushButton*>(QStringLiteral("farForget"));
        QVERIFY(forget->isEnabled());
        QTest::mouseClick(forget, Qt::LeftButton);
        QCOMPARE(dialog->address(), QStringLiteral("ssh://old"));
        QCOMPARE(FarConnection::recent(), QStringList(QStringLiteral("ssh://old")));
        QTRY_VERIFY(testing::isActive(*dialog));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(window_->findChild<ConnectDialog*>() == nullptr);
    }

    void theDialogueSaysWhatIsWrongInOneLine() {
        QSettings().clear();
        ConnectDialog dialog(nullptr);
        dialog.show();
        QSignalSpy wanted(&dialog, &ConnectDialog::wanted);
        auto* edit = dialog.findChild<QComboBox*>(QStringLiteral("farAddress"))->lineEdit();
        auto* problem = dialog.findChild<QLabel*>(QStringLiteral("farProblem"));
        auto* words = dialog.findChild<QLabel*>(QStringLiteral("farWords"));
        QTRY_VERIFY(testing::isActive(dialog));
        edit->setFocus();
        QVERIFY(problem->text().isEmpty());
        for (const char* wrong : {"ssh://-oProxyCommand=x", "host:99999", "run 'x", "http://host"}) {
            edit->clear();
            QTest::keyClicks(edit, QLatin1String(wrong));
            QVERIFY2(!problem->text().isEmpty() && !problem->text().contains(QLatin1Char('\n')), wrong);
            QTest::keyClick(edit, Qt::Key_Return);
            QVERIFY2(dialog.isVisible() && wanted.isEmpty(), wrong);
        }
        edit->clear();
        QTest::keyClicks(edit, QStringLiteral("ada@host:2222/second"));
        QVERIFY(problem->text().isEmpty());
        QVERIFY2(words->text().contains(QStringLiteral("-p 2222 -- ada@host tensorloupe-engine")),
                 qPrintable(words->text()));
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY(!dialog.isVisible());
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].toString(), QStringLiteral("ada@host:2222/second"));
    }

    void theDialogueKeepsAnotherCommandForSsh() {
        QSettings().clear();
        ConnectDialog dialog(nullptr);
        dialog.show();
        auto* edit = dialog.findChild<QComboBox*>(QStringLiteral("farAddress"))->lineEdit();
        auto* command = dialog.findChild<QLineEdit*>(QStringLiteral("farCommand"));
        edit->setText(QStringLiteral("host"));
        command->setText(QStringLiteral("/opt/ssh nowhere"));
        auto* problem = dialog.findChild<QLabel*>(QStringLiteral("farProblem"));
        QVERIFY2(problem->text().contains(QStringLiteral("{host}")), qPrintable(problem->text()));
        command->setText(QStringLiteral("/opt/ssh {host} engine --stdio"));
        QVERIFY(problem->text().isEmpty());
        QTest::keyClick(command, Qt::Key_Return);
        QCOMPARE(window::farCommand(), QStringLiteral("/opt/ssh {host} engine --stdio"));
    }

    void aHostThatIsReachedIsRemembered() {
        makeFarWindow();
        QTRY_COMPARE(FarConnection::recent(), QStringList(QStringLiteral("ssh://far")));
        QVERIFY(window_->windowTitle().contains(QStringLiteral("on far")));
    }

    // An engine may answer while the window is still made.
    void aHostThatWasReachedBeforeIsNoticed() {
        QSettings().clear();
        far_ = std::make_unique<FarSessions>();
        place_ = far_->place();
        place_->report({.kind = Kind::Connected});
        FarConnection connection(place_, nullptr);
        QSignalSpy turned(&connection, &FarConnection::turned);
        QTRY_COMPARE(turned.size(), 1);
        QVERIFY(connection.isConnected());
        QCOMPARE(FarConnection::recent(), QStringList(QStringLiteral("ssh://far")));
        QTest::qWait(50);
        QCOMPARE(turned.size(), 1);
    }

    void aHostThatIsNotReachedIsSaidAndNotRemembered() {
        far_ = std::make_unique<FarSessions>();
        far_->script("echo 'ssh: Could not resolve hostname far: Name or service not known' >&2; exit 255");
        place_ = far_->place();
        makeWindow();
        QTRY_VERIFY(says(QStringLiteral("Could not resolve hostname")));
        QVERIFY(FarConnection::recent().isEmpty());
        far_->script(far_->engine_lines());
        QVERIFY(link(QStringLiteral("Connect elsewhere")) != nullptr);
        QTest::mouseClick(link(QStringLiteral("Reconnect")), Qt::LeftButton);
        QTRY_COMPARE(place_->state().kind, Kind::Connected);
        QTRY_VERIFY(!banner().isVisible());
    }

    // --- what ssh asks

    void aPasswordIsAskedForAndHidden() {
        int status = -1;
        QLineEdit::EchoMode echo = QLineEdit::Normal;
        withNext<QInputDialog>([&](QInputDialog& dialog) {
            auto* edit = dialog.findChild<QLineEdit*>();
            echo = edit->echoMode();
            QVERIFY(dialog.labelText().contains(QStringLiteral("ada@far's password:")));
            QTest::keyClicks(edit, QStringLiteral("open sesame"));
            QTest::keyClick(edit, Qt::Key_Return);
        });
        const QString printed = printedBy([&] { status = window::runAskpass(QStringLiteral("ada@far's password: ")); });
        QCOMPARE(printed, QStringLiteral("open sesame\n"));
        QCOMPARE(echo, QLineEdit::Password);
        QCOMPARE(status, 0);
        withNext<QInputDialog>([](QInputDialog& dialog) { QTest::keyClick(&dialog, Qt::Key_Escape); });
        QCOMPARE(printedBy([&] { status = window::runAskpass(QStringLiteral("ada@far's password: ")); }), QString());
        QCOMPARE(status, window::kNotAnswered);
    }

    void aKeyThatIsNotKnownIsAskedAbout() {
        const QString question = QStringLiteral(
            "The authenticity of host 'far (10.0.0.1)' can't be established.\n"
            "ED25519 key fingerprint is SHA256:x+fkZ2fXtB4c.\n"
            "This key is not known by any other names.\n"
            "Are you sure you want to continue connecting (yes/no/[fingerprint])? ");
        const auto answer = [&](const QString& button) {
            int status = -1;
            withNext<QMessageBox>([&](QMessageBox& box) {
                QVERIFY(box.text().contains(QStringLiteral("SHA256:x+fkZ2fXtB4c.")));
                QCOMPARE(box.informativeText(), QStringLiteral("Are you sure you want to continue connecting?"));
                QVERIFY(box.defaultButton()->text().contains(QStringLiteral("No")));
                for (QAbstractButton* each : box.buttons()) {
                    if (each->text().remove(QLatin1Char('&')) == button) return QTest::mouseClick(each, Qt::LeftButton);
                }
                box.close();
            });
            const QString printed = printedBy([&] { status = window::runAskpass(question); });
            return printed + QString::number(status);
        };
        QCOMPARE(answer(QStringLiteral("Yes")), QStringLiteral("yes\n0"));
        QCOMPARE(answer(QStringLiteral("No")), QStringLiteral("no\n0"));
        QCOMPARE(answer({}), QStringLiteral("no\n0"));  // closed
    }

    // Through the program that is set for it, by a command that does what ssh does.
    void aQuestionOnTheWayIsAnswered() {
        far_ = std::make_unique<FarSessions>();
        const std::string asker = (far_->folder() / "asker").string();
        std::ofstream(asker) << "#!/bin/sh\necho \"$1\" > '" << asker << ".asked'\necho sesame\n";
        std::filesystem::permissions(asker, std::filesystem::perms::owner_all);
        far_->script(
            "[ \"$SSH_ASKPASS_REQUIRE\" = force ] || exit 1\n[ \"$(\"$SSH_ASKPASS\" 'Password: ')\" = sesame ] "
            "|| { echo 'Permission denied (password).' >&2; exit 255; }\n" +
            far_->engine_lines());
        qputenv("SSH_ASKPASS", QByteArray::fromStdString(asker));
        place_ = far_->place(window::askpassEnvironment());
        makeWindow();
        QTRY_COMPARE(place_->state().kind, Kind::Connected);
        QVERIFY(std::filesystem::exists(asker + ".asked"));
        qunsetenv("SSH_ASKPASS");
        // Without one of the user's it is this program.
        const auto environment = window::askpassEnvironment();
        const std::string own = "SSH_ASKPASS=" + QCoreApplication::applicationFilePath().toStdString();
        QVERIFY(std::ranges::find(environment, own) != environment.end());
    }

    // It is not asked again and again.
    void aQuestionThatIsNotAnsweredEndsTheTries() {
        makeFarWindow();
        const std::string tries = (far_->folder() / "tries").string();
        far_->script("echo x >> '" + tries + "'\necho '" + session::kQuestionNotAnswered + "' >&2\nexit 255");
        far_->drop();
        QTRY_COMPARE(place_->state().kind, Kind::Lost);
        QTRY_VERIFY(says(QString::fromLatin1(session::kQuestionNotAnswered)));
        QTest::qWait(800);  // many tries would have been made
        std::ifstream file(tries);
        QCOMPARE(std::count(std::istreambuf_iterator<char>(file), {}, '\n'), 1);
        auto* line = window_->findChild<QLabel*>(QStringLiteral("far"));
        QVERIFY2(line->text().contains(QStringLiteral("click to connect")), qPrintable(line->text()));
        far_->script(far_->engine_lines());
        QTest::mouseClick(line, Qt::LeftButton);
        QTRY_COMPARE(place_->state().kind, Kind::Connected);
        QTRY_VERIFY(!banner().isVisible());
    }

    // --- tensors

    // A small picture first, then all that is shown; what came is kept, and what comes next is there before.
    void tensorsComeInSteps() {
        makeFarWindow();
        open(testing::fixture("resnet18"));
        window_->bridge().setInputs({session::parse_input_spec("2x3x64x64")});
        window_->bridge().run();
        QTRY_COMPARE(state(), RunState::Finished);
        QTRY_VERIFY(window_->bridge().recording()->is_complete());  // only then answers are kept
        auto& tensor = view<views::TensorView>("tensor");
        window_->docks().show(QStringLiteral("tensor"));
        tensor.setDisplay(views::TensorView::Display::Tiles);
        const auto& recording = *window_->bridge().recording();
        const auto elements = [&](session::EventId id) {
            std::int64_t count = recording.event(id).outputs.empty() ? 0 : 1;
            if (count > 0) {
                for (const std::int64_t size : recording.value(recording.event(id).outputs.front()).shape)
                    count *= size;
            }
            return count;
        };
        session::EventId big = 1;
        while (big + 1 < recording.event_count() &&
               (elements(big) <= 2 * views::TensorSource::kFewElements ||
                elements(big) > views::TensorSource::kManyElements || elements(big + 1) == 0))
            ++big;
        QVERIFY(elements(big) > 2 * views::TensorSource::kFewElements);
        const auto shown = [&](const session::TensorSlice& slice) {
            std::int64_t count = 0;
            for (const session::TensorTile& tile : slice.data) count += static_cast<std::int64_t>(tile.elements.size());
            return count;
        };
        const session::ValueId value = recording.event(big).outputs.front();
        std::vector<std::int64_t> came;
        connect(tensor.findChild<views::TensorSource*>(), &views::TensorSource::came, &tensor,
                [&](const session::TensorSlice& slice) {
                    if (slice.value == value) came.push_back(shown(slice));
                });
        window_->bridge().setCurrentEvent(big);
        QTRY_VERIFY(tensor.slice().value == value && tensor.isSettled());
        QVERIFY2(came.size() == 2, std::to_string(came.size()).c_str());
        QVERIFY(came[0] <= views::TensorSource::kFewElements && came[0] > 0);
        QVERIFY(came[1] > views::TensorSource::kFewElements);
        // The next event's, before it is asked for.
        session::TensorQuery next;
        next.request.value = recording.event(big + 1).outputs.front();
        next.detail.max_elements = views::TensorSource::kFewElements;
        QTRY_VERIFY(views::KeptAnswers::of(window_->bridge()).find(next) != nullptr);
        window_->bridge().setCurrentEvent(big + 1);
        QCOMPARE(tensor.slice().value, next.request.value);
        // And what was there, at once.
        window_->bridge().setCurrentEvent(big);
        QVERIFY(tensor.slice().value == value && tensor.isSettled());
        QCOMPARE(shown(tensor.slice()), came[1]);
        // One tile of it, whole.
        tensor.setDisplay(views::TensorView::Display::Grid);
        QTRY_VERIFY(tensor.isSettled());
        QCOMPARE(tensor.grid()->rowCount(), static_cast<int>(std::min<std::int64_t>(512, tensor.slice().rows)));
        QCOMPARE(tensor.grid()->columnCount(), static_cast<int>(std::min<std::int64_t>(512, tensor.slice().columns)));
    }

    // --- programs that are watched there

    void aProgramThereIsAttachedTo() {
        QTemporaryDir runtime(QStringLiteral("/tmp/tlwXXXXXX"));
        QVERIFY(QDir(runtime.path()).mkdir(QStringLiteral("tensorloupe")));
        QVERIFY(QFile::setPermissions(runtime.filePath(QStringLiteral("tensorloupe")),
                                      QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const QByteArray before = qgetenv("XDG_RUNTIME_DIR");
        qputenv("XDG_RUNTIME_DIR", runtime.path().toUtf8());
        const testing::AnsweringProgram program(
            runtime.filePath(QStringLiteral("tensorloupe/7.sock")).toStdString(),
            {testing::kHello, testing::fixture_lines()[1], testing::steps_row(1, 10)});
        makeFarWindow({LOUPE_BINARY_DIR "/tests/loupe_slow_link", "10", "1000000"});
        before.isNull() ? qunsetenv("XDG_RUNTIME_DIR") : qputenv("XDG_RUNTIME_DIR", before);
        QVERIFY(action("attach")->isEnabled());
        action("attach")->trigger();
        auto* dialog = window_->findChild<window::AttachDialog*>();
        QVERIFY(dialog != nullptr);
        const auto labels = dialog->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(
            labels, [](const QLabel* label) { return label->text().contains(QStringLiteral("on far")); }));
        QTRY_COMPARE(dialog->list()->topLevelItemCount(), 1);
        QCOMPARE(dialog->list()->topLevelItem(0)->text(0), QStringLiteral("train.py"));
        QTRY_VERIFY(testing::isActive(*dialog));
        QTest::keyClick(dialog->list(), Qt::Key_Return);
        QTRY_VERIFY(window_->bridge().training() && window_->bridge().training()->step_count() == 10);
        QCOMPARE(state(), RunState::Running);
        QVERIFY(window_->bridge().isTraining());
        QTRY_VERIFY(view<views::View>("train").isVisible());
    }

    // By --connect HOST --attach NAME.
    void aProgramThereIsFoundByItsName() {
        QTemporaryDir runtime(QStringLiteral("/tmp/tlwXXXXXX"));
        QVERIFY(QDir(runtime.path()).mkdir(QStringLiteral("tensorloupe")));
        QVERIFY(QFile::setPermissions(runtime.filePath(QStringLiteral("tensorloupe")),
                                      QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const QByteArray before = qgetenv("XDG_RUNTIME_DIR");
        qputenv("XDG_RUNTIME_DIR", runtime.path().toUtf8());
        const testing::AnsweringProgram program(
            runtime.filePath(QStringLiteral("tensorloupe/7.sock")).toStdString(),
            {testing::kHello, testing::fixture_lines()[1], testing::steps_row(1, 10)});
        makeFarWindow();
        before.isNull() ? qunsetenv("XDG_RUNTIME_DIR") : qputenv("XDG_RUNTIME_DIR", before);
        window_->attachFar(QStringLiteral("other.py"));
        QTRY_VERIFY(says(QStringLiteral("No program 'other.py' is watched on far.")));
        auto* dialog = window_->findChild<window::AttachDialog*>();
        QVERIFY(dialog != nullptr);
        QTRY_VERIFY(testing::isActive(*dialog));
        QTest::keyClick(dialog, Qt::Key_Escape);
        window_->attachFar(QStringLiteral("train.py"));
        QTRY_VERIFY(window_->bridge().training() && window_->bridge().training()->step_count() == 10);
    }

    // --- what is kept

    // By host and path: of the run that is there too, and of another engine there what is the model's.
    void whatWasSetUpComesBack() {
        makeFarWindow();
        open(testing::model("digits"));
        auto& watches = view<views::WatchView>("watch").watches();
        watches.setExpressions({QStringLiteral("fc1.out.absmax")});
        session::Breakpoint breakpoint;
        breakpoint.kind = session::Breakpoint::Kind::OperatorKind;
        breakpoint.text = "linear";
        breakpoint.enabled = false;
        window_->bridge().addBreakpoint(breakpoint);
        window_->docks().show(QStringLiteral("watch"));
        window_->bridge().run();
        QTRY_COMPARE(state(), RunState::Finished);
        window_->bridge().toggleBookmark(2);
        window_->bridge().setNote(3, QStringLiteral("here it grows"));
        window_->close();
        window_.reset();
        const auto find = [&] {
            place_ = far_->place();
            window_ = std::make_unique<MainWindow>();
            window_->show();
            QTRY_COMPARE(place_->state().kind, Kind::Connected);
        };
        find();
        QTRY_VERIFY(window_->bridge().model() && window_->bridge().eventCount() > 0);
        QTRY_COMPARE(window_->bridge().bookmarks(), std::vector<session::EventId>{2});
        QCOMPARE(window_->bridge().notes().at(3), QStringLiteral("here it grows"));
        QTRY_COMPARE(view<views::WatchView>("watch").watches().expressions(), QStringList("fc1.out.absmax"));
        QCOMPARE(window_->bridge().breakpoints().size(), std::size_t{1});
        QVERIFY(view<views::View>("watch").isVisible());
        // The connection is another one, the run is the same.
        breakAndComeBack();
        QCOMPARE(window_->bridge().bookmarks().size(), std::size_t{1});
        window_->close();
        window_.reset();
        QProcess::execute(QString::fromStdString(kFarEngine), {"--end", "test"});
        find();
        open(testing::model("digits"));
        QTRY_COMPARE(window_->bridge().breakpoints().size(), std::size_t{1});
        QVERIFY(!window_->bridge().breakpoints().front().enabled);
        QTRY_COMPARE(view<views::WatchView>("watch").watches().expressions(), QStringList("fc1.out.absmax"));
        window_->bridge().run();
        QTRY_COMPARE(state(), RunState::Finished);
        QVERIFY(window_->bridge().bookmarks().empty());
    }

    // --- banners

    void aLostConnectionIsSaidAndTriedAgain() {
        makeFarWindow();
        open(testing::model("digits"));
        far_->script("echo 'ssh: connect to host far port 22: No route to host' >&2; exit 255");
        far_->drop();
        QTRY_VERIFY(says(QStringLiteral("The connection is lost")));
        QTRY_VERIFY2(says(QStringLiteral("No route to host")), qPrintable(banner().message()));
        QVERIFY(window_->bridge().model() != nullptr);
        auto* line = window_->findChild<QLabel*>(QStringLiteral("far"));
        QTRY_VERIFY2(line->text().contains(QStringLiteral("lost")), qPrintable(line->text()));
        far_->script(far_->engine_lines());
        QTest::mouseClick(link(QStringLiteral("Reconnect now")), Qt::LeftButton);
        QTRY_COMPARE(place_->state().kind, Kind::Connected);
        QTRY_VERIFY(!banner().isVisible());
        // By itself too.
        breakAndComeBack();
        QTRY_VERIFY(!banner().isVisible());
    }

    void anotherUserIsNamedAndTheEngineTakenOver() {
        makeFarWindow();
        open(testing::model("digits"));
        const auto second_place = far_->place();
        {
            session::Session second;
            QVERIFY(waits_for([&] { return second.engine_end().kind != session::EngineEnd::Kind::None; }));
            QVERIFY(!banner().isVisible());
            second_place->take_over_next();
            second.restart_engine(false);
            QTRY_VERIFY(says(QStringLiteral("has taken the engine over")));
            QVERIFY(window_->bridge().model() != nullptr);
            QTest::mouseClick(link(QStringLiteral("Take it over")), Qt::LeftButton);
            QTRY_COMPARE(place_->state().kind, Kind::Connected);
            QTRY_VERIFY(!banner().isVisible());
            QVERIFY(waits_for([&] { return second.engine_end().kind != session::EngineEnd::Kind::None; }));
        }
        QTRY_COMPARE(state(), RunState::Ready);
    }

    void anEngineThatIsUsedCanBeTakenOver() {
        far_ = std::make_unique<FarSessions>();
        const auto first_place = far_->place();
        session::Session first;
        first.open(testing::model("digits").toStdString());
        first.wait_idle();
        place_ = far_->place();
        makeWindow();
        QTRY_VERIFY(says(QStringLiteral("is used by ")));
        QVERIFY(link(QStringLiteral("Try again")) != nullptr);
        QTest::mouseClick(link(QStringLiteral("Take it over")), Qt::LeftButton);
        QTRY_VERIFY(window_->bridge().model() != nullptr);
        QTRY_VERIFY(!banner().isVisible());
    }

    void anEngineThatDiedIsStartedAgain() {
        makeFarWindow();
        open(testing::model("digits"));
        ::kill(far_->engine_pid(), SIGSEGV);
        QTRY_VERIFY(says(QStringLiteral("the engine died: SIGSEGV")));
        QTest::mouseClick(link(QStringLiteral("Reconnect")), Qt::LeftButton);
        QTRY_COMPARE(state(), RunState::Ready);
        QTRY_VERIFY(!banner().isVisible());
        QVERIFY(window_->bridge().model() != nullptr);
    }

    void anEngineThatDiedBeforeIsSaid() {
        makeFarWindow();
        open(testing::model("digits"));
        window_->bridge().run();
        QTRY_COMPARE(state(), RunState::Finished);
        QTest::qWait(1500);  // the journal's
        const auto events = window_->bridge().eventCount();
        window_->close();
        window_.reset();
        ::kill(far_->engine_pid(), SIGSEGV);
        QVERIFY(waits_for([&] { return far_->list().find("no engine") != std::string::npos; }));
        place_ = far_->place();
        window_ = std::make_unique<MainWindow>();
        window_->show();
        QTRY_VERIFY2(says(QStringLiteral("before this window came the engine died: SIGSEGV")),
                     qPrintable(banner().message()));
        QVERIFY2(says(QStringLiteral("restored: digits.pt, its run as far as event %1").arg(events)),
                 qPrintable(banner().message()));
        QTRY_COMPARE(window_->bridge().eventCount(), events);
        QVERIFY(window_->bridge().model() != nullptr);
        QTest::qWait(1200);
        QVERIFY(says(QStringLiteral("before this window came")));
    }
};

QTEST_MAIN(WindowFarTest)
#include "window_far_test.moc"
