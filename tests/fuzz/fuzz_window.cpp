// SPDX-License-Identifier: GPL-3.0-or-later
// loupe_fuzz_window: random keys, clicks, drags, typed text, resizes and actions over the real window, in a home of its
// own.
//
//     loupe_fuzz_window --seed 7 --steps 2000      the same steps each time, as far as threads allow
//     loupe_fuzz_window --seconds 3600             until then; a new seed every 1,000 steps
//
// Every step is a line of the log in its folder, which is kept when something is found. A finding is a crash, an
// exception that reaches the event loop, a window that answers no more, or one that leaves nothing to act on.

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QCommandLineParser>
#include <QDesktopServices>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPointer>
#include <QScrollBar>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUrl>
#include <QWheelEvent>
#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <random>

#include "app/window/application.h"
#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "tests/fuzz/watchdog.h"
#include "views/common/failures.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

using loupe::views::Failures;
using loupe::window::MainWindow;

namespace {

constexpr int kStepsOfSeed = 1000;
constexpr int kIdleSteps = 5000;  // in a row, some seconds: something waits for what nobody can give
#if defined(__SANITIZE_ADDRESS__)
constexpr int kSecondsOfStep = 300;
#else
constexpr int kSecondsOfStep = 120;
#endif

const char* const kTexts[] = {"absmax > 5",
                              "absmax > x",
                              "i == 1",
                              "nan or inf",
                              "shape differs",
                              "((",
                              "op:conv* time>1ms",
                              "scope:",
                              "time>",
                              "[0, :, 3]",
                              "[",
                              "[..., 1:2]",
                              "::",
                              "layer1.0.conv1.out.absmax",
                              "fc.weight.norm",
                              "out[99999999999]",
                              "conv*",
                              "0",
                              "-1",
                              "1e309",
                              "nan",
                              "2x3",
                              "1x1x8x8",
                              "999999999x999999999",
                              "x\xc3\xa9\xe2\x88\x9e",
                              "import torch",
                              "    x = self.conv(x)",
                              "def forward(self, x):",
                              "return x",
                              "'",
                              "\"\"\"",
                              "lambda: 0",
                              "Net(10, width=64)",
                              "SGD(0.1, momentum=0.9)",
                              "CrossEntropyLoss(",
                              "a b c d e f g h",
                              "",
                              "*",
                              "?",
                              "relu",
                              "digits",
                              "%x.3"};

// The last steps, for whoever is left with a crash.
std::array<std::array<char, 200>, 40> last_steps;
std::atomic<unsigned> step_count{0};
std::atomic<bool> is_over{false};

void printLastSteps() {
    const unsigned now = step_count;
    for (unsigned i = now > last_steps.size() ? now - static_cast<unsigned>(last_steps.size()) : 0; i < now; ++i) {
        const auto& line = last_steps[i % last_steps.size()];
        [[maybe_unused]] auto put = ::write(2, line.data(), ::strnlen(line.data(), line.size()));
        put = ::write(2, "\n", 1);
    }
}

void onSignal(int number) {
    std::array<void*, 60> frames{};
    ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), static_cast<int>(frames.size())), 2);
    printLastSteps();
    ::signal(number, SIG_DFL);
    ::raise(number);
}

class Fuzzer : public QObject {
    Q_OBJECT

  public:
    Fuzzer(QDir folder, unsigned seed, unsigned steps, int seconds)
        : folder_(std::move(folder)),
          log_(folder_.filePath(QStringLiteral("steps.log"))),
          random_(seed),
          seed_(seed),
          steps_(steps),
          seconds_(seconds) {
        log_.open(QIODevice::WriteOnly | QIODevice::Append);
        clock_.start();
        say(QStringLiteral("seed %1").arg(seed_));
        makeWindow();
        next();
    }

    int findings() const { return findings_; }
    unsigned acts() const { return acts_; }

  private:
    int pick(int count) { return count <= 0 ? 0 : static_cast<int>(random_() % static_cast<unsigned>(count)); }
    bool chance(int percent) { return pick(100) < percent; }
    template <typename List>
    auto oneOf(const List& list) {
        return list[pick(static_cast<int>(std::size(list)))];
    }

    void say(const QString& what) {
        ++acts_;
        const QByteArray line = QStringLiteral("%1 %2").arg(step_count).arg(what).left(190).toUtf8();
        auto& kept = last_steps[step_count % last_steps.size()];
        std::snprintf(kept.data(), kept.size(), "%s", line.constData());
        log_.write(line + '\n');
        log_.flush();
    }

    void makeWindow() {
        window_ = std::make_unique<MainWindow>();
        Failures::instance().setSink(this, [this](const QString& text, const QString& place) {
            ++findings_;
            say(QStringLiteral("FINDING %1, in %2").arg(text, place));
            std::fprintf(stderr, "finding: %s, in %s\n", qUtf8Printable(text), qUtf8Printable(place));
        });
        window_->resize(1440, 900);
        window_->show();
    }

    // The next step is on its way before this one runs: dialogs that wait for an answer get one.
    void next() { QTimer::singleShot(chance(10) ? 20 : 0, this, &Fuzzer::step); }

    void step() {
        const bool is_late = seconds_ > 0 && clock_.elapsed() > seconds_ * 1000LL;
        if (is_late || (seconds_ == 0 && step_count >= steps_)) return finish();
        next();
        ++step_count;
        if (seconds_ > 0 && step_count % kStepsOfSeed == 0) {
            random_.seed(++seed_);
            say(QStringLiteral("seed %1").arg(seed_));
        }
        ++depth_;
        const unsigned acts = acts_;
        if (depth_ > 30) {
            dismiss();  // dialogs over dialogs: let them end
        } else {
            act();
        }
        --depth_;
        idle_ = acts_ == acts ? idle_ + 1 : 0;
        if (idle_ < kIdleSteps) return;
        ++findings_;
        say(QStringLiteral("FINDING nothing to act on, %1 steps deep").arg(depth_));
        std::fprintf(stderr, "nothing to act on, %d steps deep; top levels:\n", depth_);
        for (const QWidget* widget : QApplication::topLevelWidgets())
            std::fprintf(stderr, "  %s%s\n", qUtf8Printable(nameOf(widget)), widget->isVisible() ? " (visible)" : "");
        std::abort();
    }

    // What waits for an answer gets none: menus are closed, dialogs refused.
    void dismiss() {
        if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
        for (QWidget* widget : QApplication::topLevelWidgets()) {
            if (auto* dialog = qobject_cast<QDialog*>(widget); dialog != nullptr && dialog->isVisible())
                dialog->reject();
        }
    }

    void finish() {
        if (is_over.exchange(true)) return;
        for (QWidget* widget : QApplication::topLevelWidgets()) {
            if (auto* dialog = qobject_cast<QDialog*>(widget)) dialog->reject();
        }
        QTimer::singleShot(0, this, [this] {
            if (window_) window_->bridge().session().stop();
            QCoreApplication::exit(findings_ > 0 ? 1 : 0);
        });
    }

    QWidget* root() {
        if (QWidget* popup = QApplication::activePopupWidget(); popup != nullptr && !chance(5)) return popup;
        if (QWidget* modal = QApplication::activeModalWidget()) return modal;
        QList<QWidget*> all;
        for (QWidget* widget : QApplication::topLevelWidgets()) {
            if (widget->isVisible() && widget->windowType() != Qt::ToolTip) all << widget;
        }
        if (all.empty() || chance(70)) return window_ && window_->isVisible() ? window_.get() : nullptr;
        return oneOf(all);
    }

    // A file is chosen in the folder, or none: the dialog is not left to random keys.
    bool answerFileDialog() {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr) {
            for (QWidget* widget : QApplication::topLevelWidgets()) {
                if (auto* open = qobject_cast<QFileDialog*>(widget); open != nullptr && open->isVisible())
                    dialog = open;
            }
        }
        if (dialog == nullptr) return false;
        dialog->setDirectory(folder_);
        const bool saves = dialog->acceptMode() == QFileDialog::AcceptSave;
        const QStringList files = folder_.entryList(QDir::Files);
        const QString file = saves ? QStringLiteral("saved%1%2")
                                         .arg(pick(5))
                                         .arg(oneOf(QStringList{".pt", ".npz", ".py", ".json", ".png", ".svg", ".pdf",
                                                                ".loupe", ".csv", ""}))
                                   : oneOf(files);
        if (chance(40)) {
            say(QStringLiteral("file dialog: reject"));
            dialog->reject();
            return true;
        }
        say(QStringLiteral("file dialog: ") + file);
        dialog->selectFile(folder_.filePath(file));
        QMetaObject::invokeMethod(dialog, "accept");
        // One that is not taken, such as a folder, would stay.
        QTimer::singleShot(50, dialog, [dialog] { dialog->reject(); });
        return true;
    }

    QWidget* someWidget(QWidget* in) {
        QList<QWidget*> all;
        for (QWidget* widget : in->findChildren<QWidget*>()) {
            if (widget->isVisible() && widget->window() == in->window() && widget->width() > 0 && widget->height() > 0)
                all << widget;
        }
        return all.empty() ? in : oneOf(all);
    }

    static QString nameOf(const QWidget* widget) {
        return QStringLiteral("%1 %2").arg(QString::fromLatin1(widget->metaObject()->className()),
                                           widget->objectName());
    }
    QPoint somePlace(const QWidget* widget) { return {pick(widget->width()), pick(widget->height())}; }
    Qt::KeyboardModifiers someModifiers() {
        Qt::KeyboardModifiers out;
        if (chance(12)) out |= Qt::ControlModifier;
        if (chance(12)) out |= Qt::ShiftModifier;
        if (chance(4)) out |= Qt::AltModifier;
        return out;
    }

    void act() {
        if (answerFileDialog()) return;
        if (!window_->isVisible() && QApplication::activeModalWidget() == nullptr) {
            if (depth_ > 1) return dismiss();  // a step that is under way still holds its widgets
            // A window that was closed ends the program: it is never shown again (Qt 6.4 could not, with OpenGL
            // inside).
            say(QStringLiteral("a new window"));
            window_.reset();
            return makeWindow();
        }
        const QPointer<QWidget> in = root();
        if (in == nullptr) return;
        const int kind = pick(100);
        if (kind < 30)
            click(in);
        else if (kind < 52)
            key(in);
        else if (kind < 64)
            type(in);
        else if (kind < 76)
            trigger();
        else if (kind < 81)
            drag(in);
        else if (kind < 85)
            wheel(in);
        else if (kind < 88)
            shape();
        else if (kind < 91)
            panel();
        else if (kind < 94)
            take();
        else
            wait();
    }

    void click(QWidget* in) {
        const QPointer<QWidget> widget = someWidget(in);
        const QPoint place = somePlace(widget);
        const auto button = chance(85) ? Qt::LeftButton : chance(80) ? Qt::RightButton : Qt::MiddleButton;
        const auto modifiers = someModifiers();
        const bool twice = chance(15);
        say(QStringLiteral("%1 %2 at %3,%4")
                .arg(twice ? "double click" : "click", nameOf(widget))
                .arg(place.x())
                .arg(place.y()));
        QTest::mouseClick(widget, button, modifiers, place);
        if (twice && widget) QTest::mouseDClick(widget, button, modifiers, place);
    }

    void key(QWidget* in) {
        static const int kKeys[] = {
            Qt::Key_Return, Qt::Key_Escape,   Qt::Key_Tab,   Qt::Key_Backtab, Qt::Key_Backspace, Qt::Key_Delete,
            Qt::Key_Up,     Qt::Key_Down,     Qt::Key_Left,  Qt::Key_Right,   Qt::Key_Home,      Qt::Key_End,
            Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Space, Qt::Key_F1,      Qt::Key_F2,        Qt::Key_F3,
            Qt::Key_F5,     Qt::Key_F6,       Qt::Key_F7,    Qt::Key_F9,      Qt::Key_F10,       Qt::Key_F11,
            Qt::Key_A,      Qt::Key_B,        Qt::Key_F,     Qt::Key_P,       Qt::Key_S,         Qt::Key_Z,
            Qt::Key_W,      Qt::Key_0,        Qt::Key_1,     Qt::Key_Plus,    Qt::Key_Minus,     Qt::Key_Insert};
        QWidget* target = QApplication::focusWidget();
        if (target == nullptr || target->window() != in->window() || chance(20)) target = someWidget(in);
        const int which = oneOf(kKeys);
        auto modifiers = someModifiers();
        if (which == Qt::Key_Space && modifiers == Qt::AltModifier) modifiers = {};
        say(QStringLiteral("key %1 %2 to %3").arg(which, 0, 16).arg(modifiers.toInt(), 0, 16).arg(nameOf(target)));
        QTest::keyClick(target, static_cast<Qt::Key>(which), modifiers);
    }

    void type(QWidget* in) {
        QList<QWidget*> all;
        for (QWidget* widget : in->findChildren<QWidget*>()) {
            const bool takes_text = qobject_cast<QLineEdit*>(widget) != nullptr ||
                                    qobject_cast<QPlainTextEdit*>(widget) != nullptr ||
                                    widget->inherits("QsciScintilla");
            if (widget->isVisible() && takes_text) all << widget;
        }
        const QPointer<QWidget> target = all.empty() || chance(30) ? QApplication::focusWidget() : oneOf(all);
        if (target == nullptr) return;
        const QString text = QString::fromUtf8(oneOf(kTexts));
        say(QStringLiteral("type '%1' to %2").arg(text, nameOf(target)));
        target->setFocus();
        if (chance(60)) QTest::keyClick(target, Qt::Key_A, Qt::ControlModifier);
        for (const QChar c : text) {
            if (!target) return;
            QTest::sendKeyEvent(QTest::Click, target, Qt::Key_unknown, c, Qt::NoModifier);
        }
        if (target && chance(70)) QTest::keyClick(target, Qt::Key_Return);
    }

    void trigger() {
        QList<QAction*> all;
        for (QAction* action : window_->findChildren<QAction*>()) {
            if (action->isEnabled() && !action->isSeparator() && action->menu() == nullptr) all << action;
        }
        if (all.empty()) return;
        const QPointer<QAction> action = oneOf(all);
        if (QApplication::activeModalWidget() != nullptr) return;
        say(QStringLiteral("action %1 %2").arg(action->objectName(), action->text()));
        action->trigger();
    }

    void drag(QWidget* in) {
        const QPointer<QWidget> widget = someWidget(in);
        if (widget->inherits("QDockWidget") || widget->inherits("QTabBar"))
            return;  // a drag of a dock waits for the pointer
        const QPoint from = somePlace(widget), to = somePlace(widget);
        say(QStringLiteral("drag %1 %2,%3 to %4,%5")
                .arg(nameOf(widget))
                .arg(from.x())
                .arg(from.y())
                .arg(to.x())
                .arg(to.y()));
        const auto send = [&](QEvent::Type kind, const QPoint& place, Qt::MouseButton button, Qt::MouseButtons held) {
            if (!widget) return;
            QMouseEvent event(kind, place, widget->mapToGlobal(place), button, held, Qt::NoModifier);
            QApplication::sendEvent(widget, &event);
        };
        send(QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
        for (int i = 1; i <= 4; ++i) send(QEvent::MouseMove, from + (to - from) * i / 4, Qt::NoButton, Qt::LeftButton);
        send(QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
    }

    void wheel(QWidget* in) {
        const QPointer<QWidget> widget = someWidget(in);
        const QPoint place = somePlace(widget);
        say(QStringLiteral("wheel %1").arg(nameOf(widget)));
        const int turns = (pick(9) - 4) * 120;
        QWheelEvent event(place, widget->mapToGlobal(place), {}, {0, turns}, Qt::NoButton,
                          chance(30) ? Qt::ControlModifier : Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(widget, &event);
    }

    void shape() {
        const QSize size(320 + pick(1400), 200 + pick(1000));
        say(QStringLiteral("resize %1x%2").arg(size.width()).arg(size.height()));
        window_->resize(size);
    }

    void panel() {
        const auto docks = window_->docks().all();
        if (docks.empty()) return;
        QDockWidget* dock = docks[static_cast<std::size_t>(pick(static_cast<int>(docks.size())))];
        if (!dock->toggleViewAction()->isEnabled()) return;  // nothing is open: nobody could
        const int what = pick(10);
        say(QStringLiteral("panel %1: %2").arg(dock->windowTitle()).arg(what));
        if (what == 0)
            dock->setFloating(!dock->isFloating());
        else if (what == 1)
            dock->setVisible(!dock->isVisible());
        else {
            dock->show();
            dock->raise();
        }
    }

    void take() {
        const QStringList files = folder_.entryList(QDir::Files);
        if (files.empty() || QApplication::activeModalWidget() != nullptr) return;
        const QString file = folder_.filePath(oneOf(files));
        const bool is_dropped = chance(40);
        say(QStringLiteral("%1 %2").arg(is_dropped ? "drop" : "open", file));
        if (is_dropped)
            window_->takeFile(file);
        else
            window_->openFile(file);
    }

    void wait() {
        say(QStringLiteral("wait"));
        QElapsedTimer clock;
        clock.start();
        const int length = pick(60);
        while (clock.elapsed() < length && !is_over)
            QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents, 5);
    }

    const QDir folder_;
    QFile log_;
    std::mt19937_64 random_;
    unsigned seed_;
    const unsigned steps_;
    const int seconds_;
    int depth_ = 0;
    int findings_ = 0;
    unsigned acts_ = 0;  // steps that did something
    int idle_ = 0;       // steps in a row that did nothing
    QElapsedTimer clock_;
    std::unique_ptr<MainWindow> window_;
};

// Links start no program.
class Nowhere : public QObject {
    Q_OBJECT

  public slots:
    void open(const QUrl&) {}
};

// Nothing in the folder is anybody else's.
void fillFolder(const QDir& folder) {
    const QString root = QStringLiteral(LOUPE_SOURCE_DIR);
    for (const char* file :
         {"/resources/models/digits.pt", "/resources/models/digits_data.npz", "/resources/models/gpt.pt",
          "/tests/session/conditions.py", "/tests/fixtures/exported/nested.pt2", "/tests/fixtures/exported/loops.pt2",
          "/tests/fixtures/checkpoints/kinds.safetensors"}) {
        QFile::copy(root + QLatin1String(file), folder.filePath(QFileInfo(root + QLatin1String(file)).fileName()));
    }
    const QDir sources(root + QStringLiteral("/tests/fixtures/sources"));
    int count = 0;
    for (const QString& file : sources.entryList({QStringLiteral("*.py")}, QDir::Files)) {
        if (++count <= 6) QFile::copy(sources.filePath(file), folder.filePath(file));
    }
    const auto write = [&](const char* name, const char* text) {
        QFile file(folder.filePath(QLatin1String(name)));
        if (file.open(QIODevice::WriteOnly)) file.write(text);
    };
    // A source of several files, in which a run parks between them.
    write("parts.py", "def twice(x):\n    y = x * 2\n    return y\n");
    write("two_files.py",
          "import torch\nfrom torch import nn\nfrom parts import twice\n\n\nclass Net(nn.Module):\n"
          "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(3, 3)\n\n"
          "    def forward(self, x):\n        for i in range(3):\n            x = twice(self.fc(x))\n"
          "        return twice(x)\n\n\nexample_inputs = (torch.ones(2, 3),)\n");
    QFile damaged(folder.filePath(QStringLiteral("damaged.pt")));
    if (damaged.open(QIODevice::WriteOnly)) damaged.write("PK\x03\x04 no archive");
    for (const QString& file : folder.entryList(QDir::Files))
        QFile::setPermissions(folder.filePath(file), QFile::ReadOwner | QFile::WriteOwner);
}

}  // namespace

int main(int argc, char** argv) {
    QTemporaryDir home;
    home.setAutoRemove(false);
    const QDir folder(home.path());
    for (const char* name :
         {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR"})
        qputenv(name, home.path().toUtf8());
    QDir::setCurrent(home.path());
    fillFolder(folder);

    QCoreApplication::setAttribute(Qt::AA_ShareOpenGLContexts);
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    loupe::window::Application app(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("Tensorloupe"));
    QCoreApplication::setApplicationName(QStringLiteral("Fuzz"));
    QApplication::setQuitOnLastWindowClosed(false);
    QApplication::setEffectEnabled(Qt::UI_AnimateMenu, false);

    QCommandLineParser parser;
    parser.addHelpOption();
    parser.addOption({QStringLiteral("seed"), QStringLiteral("What the steps are drawn from."), QStringLiteral("n"),
                      QStringLiteral("1")});
    parser.addOption(
        {QStringLiteral("steps"), QStringLiteral("How many."), QStringLiteral("n"), QStringLiteral("500")});
    parser.addOption({QStringLiteral("seconds"), QStringLiteral("How long, in place of a number of steps."),
                      QStringLiteral("n"), QStringLiteral("0")});
    parser.process(app);

    Nowhere nowhere;
    const auto schemes = {"http", "https", "file", "mailto", "ftp"};
    for (const char* scheme : schemes) QDesktopServices::setUrlHandler(QLatin1String(scheme), &nowhere, "open");
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(printLastSteps);  // behind its own report
#else
    ::signal(SIGSEGV, onSignal);
#endif
    ::signal(SIGABRT, onSignal);
    ::signal(SIGFPE, onSignal);

    std::fprintf(stderr, "log: %s/steps.log\n", qUtf8Printable(home.path()));
    int status = 0;
    int findings = 0;
    unsigned acts = 0;
    {
        const loupe::fuzz::Watchdog watchdog(step_count, kSecondsOfStep);
        Fuzzer fuzzer(folder, parser.value(QStringLiteral("seed")).toUInt(),
                      parser.value(QStringLiteral("steps")).toUInt(), parser.value(QStringLiteral("seconds")).toInt());
        while (!is_over) status = QApplication::exec();  // an action may have asked to quit
        findings = fuzzer.findings();
        acts = fuzzer.acts();
    }
    is_over = true;
    for (const char* scheme : schemes) QDesktopServices::unsetUrlHandler(QLatin1String(scheme));
    std::fprintf(stderr, "%u steps, %u of them acted, %d findings\n", step_count.load(), acts, findings);
    if (findings == 0) QDir(home.path()).removeRecursively();
    return findings > 0 || status != 0 ? 1 : 0;
}

#include "fuzz_window.moc"
