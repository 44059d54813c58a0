// SPDX-License-Identifier: GPL-3.0-or-later
// tensorloupe [FILE]: the window. tensorloupe report MODEL [OTHER] -o DIR: the panels as pictures and a page, without
// a display.

#include <QCommandLineParser>
#include <QDir>
#include <QFile>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <new>
#include <optional>
#include <string_view>

#include <unistd.h>

#include "app/window/application.h"
#include "app/window/askpass.h"
#include "app/window/connect_dialog.h"
#include "app/window/docks.h"
#include "app/window/language.h"
#include "app/window/main_window.h"
#include "app/window/report_command.h"
#include "app/window/session_store.h"
#include "core/base/build_facts.h"
#include "core/base/error.h"
#include "core/base/file_sandbox.h"
#include "core/base/share_cores.h"
#include "core/base/temporary_name.h"
#include "core/session/far_place.h"
#include "core/session/watched_programs.h"
#include "views/common/file_output.h"
#include "views/common/setting.h"
#include "views/common/theme.h"
#include "views/inputs/inputs_view.h"

namespace {

using loupe::views::Theme;

// For pictures in the documentation: waits until the window is laid out, saves it, exits.
void saveScreenshot(loupe::window::MainWindow& window, const QString& file, int after) {
    QTimer::singleShot(after, &window, [&window, file] {
        const bool saved = loupe::views::saveImage(window.grab().toImage(), file).isEmpty();
        QCoreApplication::exit(saved ? 0 : 1);
    });
}

// Milliseconds since the system started this program, loading of libraries included; a clock of 10 ms.
double sinceStart() {
    QFile stat(QStringLiteral("/proc/self/stat"));
    if (!stat.open(QIODevice::ReadOnly)) return 0;
    const QByteArray line = stat.readAll();
    // Fields after the name, which may contain spaces: the start time is the 20th, in ticks since boot.
    const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6 -
           fields.value(19).toDouble() * 1e3 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// For the bench: ends when the model is open and every panel in sight has drawn it.
void reportStart(loupe::window::MainWindow& window) {
    auto* poll = new QTimer(&window);
    poll->setInterval(0);
    QObject::connect(poll, &QTimer::timeout, &window, [&window, poll] {
        if (window.bridge().status().state != loupe::session::RunState::Ready) return;
        for (const QDockWidget* dock : window.docks().all()) {
            const auto* view = static_cast<const loupe::views::View*>(dock->widget());
            if (view->isInSight() && !view->isSettled()) return;
        }
        poll->stop();
        QCoreApplication::sendPostedEvents();
        window.repaint();
        std::printf("window complete after %.0f ms\n", sinceStart());
        QCoreApplication::exit(0);
    });
    poll->start();
}

// When the model is open: once.
void whenOpen(loupe::views::SessionBridge& bridge, const std::function<void()>& work) {
    auto* once = new QObject(&bridge);
    QObject::connect(&bridge, &loupe::views::SessionBridge::statusChanged, once, [&bridge, once, work] {
        if (bridge.status().state != loupe::session::RunState::Ready) return;
        once->deleteLater();
        work();
    });
}

// Forward and backward.
void runAll(loupe::views::SessionBridge& bridge) {
    auto options = bridge.runOptions();
    options.backward = true;
    bridge.setRunOptions(options);
    bridge.run();
}

// What the command line asks for, in its order: inputs from a file, then a run.
void doWhenOpen(loupe::window::MainWindow& window, const QString& inputs, bool runs) {
    if (inputs.isEmpty() && !runs) return;
    whenOpen(window.bridge(), [&window, inputs, runs] {
        if (inputs.isEmpty()) return runAll(window.bridge());
        auto* view = static_cast<loupe::views::InputsView*>(window.docks().view(QStringLiteral("inputs")));
        if (runs)
            QObject::connect(
                view, &loupe::views::InputsView::taken, &window, [&window] { runAll(window.bridge()); },
                Qt::SingleShotConnection);
        view->takeFile(inputs);
    });
}

void addPermissions(QCommandLineParser& parser) {
    parser.addOption(
        {QStringLiteral("allow-read"),
         QStringLiteral("A folder or file that a model source may read besides its own folder; may be repeated."),
         QStringLiteral("path")});
    parser.addOption(
        {QStringLiteral("allow-write"),
         QStringLiteral(
             "A folder or file that a model source may write besides a fresh folder of its own; may be repeated."),
         QStringLiteral("path")});
}

loupe::FilePermissions permissionsOf(const QCommandLineParser& parser) {
    loupe::FilePermissions permissions;
    for (const QString& path : parser.values(QStringLiteral("allow-read")))
        permissions.read.emplace_back(path.toStdString());
    for (const QString& path : parser.values(QStringLiteral("allow-write")))
        permissions.write.emplace_back(path.toStdString());
    return permissions;
}

// Is there a path that cannot be permitted? Says so.
bool hasWrongPermission(const QCommandLineParser& parser) {
    for (const char* option : {"allow-read", "allow-write"}) {
        for (const QString& path : parser.values(QLatin1String(option))) {
            if (loupe::can_be_permitted(path.toStdString())) continue;
            const QByteArray shown = path.toLocal8Bit();
            std::fprintf(stderr, "--%s: neither it nor its folder exists: %s\n", option, shown.constData());
            return true;
        }
    }
    return false;
}

// To the program that is named, or the only one; else one is chosen.
void attach(loupe::window::MainWindow& window, const QString& name) {
    if (loupe::session::far_place()) return window.attachFar(name);
    try {
        window.openFile(QString::fromStdString(loupe::session::find_watched_program(name.toStdString())));
    } catch (const loupe::Error& error) {
        if (!name.isEmpty()) std::fprintf(stderr, "tensorloupe: %s\n", error.what());
        window.chooseTraining();
    }
}

// theme: instead of what was set; empty: that.
void setTheme(const QString& theme) {
    const int mode = theme == QLatin1String("dark")    ? static_cast<int>(Theme::Mode::Dark)
                     : theme == QLatin1String("light") ? static_cast<int>(Theme::Mode::Light)
                                                       : loupe::views::settings::kTheme.number();
    Theme::instance().setContrast(loupe::views::settings::kContrast.isOn());
    Theme::instance().setMode(static_cast<Theme::Mode>(mode));
}

int showWindow(const QCommandLineParser& parser) {
    setTheme(parser.value(QStringLiteral("theme")));
    if (!parser.isSet(QStringLiteral("in-process")) && !loupe::session::far_place()) {
        const QString kept = loupe::window::SessionStore::root();
        QDir().mkpath(kept);
        loupe::session::Session::set_engine_program(
            (QCoreApplication::applicationDirPath() + QStringLiteral("/tensorloupe-engine")).toStdString(),
            {kept.toStdString()});
    }
    loupe::window::MainWindow window;
    window.show();
    const bool isForPicture =
        parser.isSet(QStringLiteral("screenshot")) || parser.isSet(QStringLiteral("startup-time"));
    // What is done far away is kept there, by its engine.
    const bool isFar = loupe::session::far_place() != nullptr;
    if (!isForPicture && !isFar) window.keepSession();
    if (parser.isSet(QStringLiteral("attach"))) {
        attach(window, parser.positionalArguments().value(0));
    } else if (!parser.positionalArguments().empty()) {
        const QString file = parser.positionalArguments().front();
        window.bridge().session().permit_source(file.toStdString(), permissionsOf(parser));
        if (const int ranks = parser.value(QStringLiteral("ranks")).toInt(); ranks > 1)
            window.runOnRanks(file, ranks);
        else
            window.openFile(file);
    } else if (!isForPicture && !isFar) {
        window.restoreAtStart(parser.isSet(QStringLiteral("restore")));
    }
    doWhenOpen(window, parser.value(QStringLiteral("inputs")), parser.isSet(QStringLiteral("run")));
    if (parser.isSet(QStringLiteral("startup-time"))) reportStart(window);
    if (parser.isSet(QStringLiteral("screenshot"))) {
        saveScreenshot(window, parser.value(QStringLiteral("screenshot")),
                       parser.value(QStringLiteral("after")).toInt());
    }
    return QApplication::exec();
}

// 0, or the exit status for an address that is none.
int connectTo(const QString& where) {
    try {
        auto options =
            loupe::session::far_place_options(where.toStdString(), loupe::window::farCommand().toStdString(), true);
        options.environment = loupe::window::askpassEnvironment();
        loupe::session::set_far_place(std::make_shared<loupe::session::FarPlace>(std::move(options)));
        return 0;
    } catch (const loupe::Error& error) {
        std::fprintf(stderr, "tensorloupe: --connect: %s\n", error.what());
        return 2;
    }
}

void describeWindow(QCommandLineParser& parser) {
    parser.setApplicationDescription(QStringLiteral(
        "A desktop inspector for neural networks.\n\n"
        "  tensorloupe [options] [file]       the window, on a model or a recorded run\n"
        "  tensorloupe --attach [name]        the window, on the training of a program that calls tensorloupe.watch()\n"
        "  tensorloupe report model -o dir    every panel as a picture and a page, without a display; with a "
        "second model or run what differs\n"
        "  tensorloupe-cli                    the engine without a window"));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("file"), QStringLiteral("A model or a recorded run to open."),
                                 QStringLiteral("[file]"));
    parser.addOption(
        {QStringLiteral("attach"),
         QStringLiteral("Attach to the training of a program, on this machine or where --connect leads; see "
                        "File > Attach.")});
    parser.addOption({QStringLiteral("restore"), QStringLiteral("Restore the last session.")});
    parser.addOption(
        {QStringLiteral("theme"), QStringLiteral("dark or light, instead of what was set."), QStringLiteral("name")});
    addPermissions(parser);
    parser.addOption({QStringLiteral("inputs"),
                      QStringLiteral("A file with the model's inputs: .npz, .npy, .pt, .png, .jpg."),
                      QStringLiteral("file")});
    parser.addOption(
        {QStringLiteral("in-process"),
         QStringLiteral("Run the engine in the window's own process, which ends with it when it crashes.")});
    parser.addOption({QStringLiteral("ranks"),
                      QStringLiteral("Open the model on several processes, started by mpirun or what was set."),
                      QStringLiteral("number")});
    parser.addOption(
        {QStringLiteral("connect"),
         QStringLiteral("Use the engine at ssh://[user@]host[:port][/name], or one that a command starts, such as "
                        "'docker exec -i box tensorloupe-engine --stdio'; the file and the inputs are there."),
         QStringLiteral("where")});
    parser.addOption({QStringLiteral("run"), QStringLiteral("Run forward and backward at once.")});
    parser.addOption(
        {QStringLiteral("screenshot"), QStringLiteral("Save a picture of the window and end."), QStringLiteral("png")});
    parser.addOption({QStringLiteral("startup-time"),
                      QStringLiteral("Print how long it took until the model stood in the window, and end.")});
    parser.addOption({QStringLiteral("after"), QStringLiteral("Milliseconds before the picture."), QStringLiteral("ms"),
                      QStringLiteral("2000")});
}

// Is it a question that no window is needed for?
bool isQuestion(int argc, char** argv) {
    const auto is_one = [](const char* argument) {
        const std::string_view text(argument);
        return text == "-h" || text == "--help" || text == "--help-all" || text == "-v" || text == "--version";
    };
    return std::any_of(argv + 1, argv + argc, is_one);
}

bool isVersionQuestion(int argc, char** argv) {
    return std::any_of(argv + 1, argv + argc, [](const char* argument) {
        return std::strcmp(argument, "-v") == 0 || std::strcmp(argument, "--version") == 0;
    });
}

void printUnlessSession(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (text.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR"))) return;
    std::fprintf(stderr, "%s\n", qFormatLogMessage(type, context, text).toLocal8Bit().constData());
}

void nameApplication() {
    QCoreApplication::setOrganizationName(QStringLiteral("Tensorloupe"));
    QCoreApplication::setApplicationName(QStringLiteral("Tensorloupe"));
    const std::string_view version = loupe::version();
    QCoreApplication::setApplicationVersion(QString::fromUtf8(version.data(), static_cast<qsizetype>(version.size())));
}

// Qt reads it once, before there is an application.
void setScale() {
    const int percent = loupe::views::settings::kScale.number();
    if (percent != 100 && !qEnvironmentVariableIsSet("QT_SCALE_FACTOR"))
        qputenv("QT_SCALE_FACTOR", QByteArray::number(percent / 100.0));
}

int start(int argc, char** argv) {
    const bool is_report = argc > 1 && std::strcmp(argv[1], "report") == 0;
    if (isVersionQuestion(argc, argv)) {
        std::printf("%s; Qt %s\n", loupe::build_facts("tensorloupe").c_str(), qVersion());
        return 0;
    }
    std::optional<loupe::cli::ReportArguments> wanted;
    if (is_report) {
        const loupe::window::ReportCommand command(argc, argv);
        if (!command.arguments()) return command.status();
        wanted = command.arguments();
    } else if (isQuestion(argc, argv)) {
        const QCoreApplication app(argc, argv);
        nameApplication();
        QCommandLineParser parser;
        describeWindow(parser);
        parser.process(app);  // handles --help and --version and exits
    }
    // What is wrong is said in one line: not behind Qt's about a session's folder.
    if (is_report) qInstallMessageHandler(printUnlessSession);
    // Pictures need no display, and do not depend on one.
    if (is_report && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!qEnvironmentVariableIsSet("DISPLAY") && !qEnvironmentVariableIsSet("WAYLAND_DISPLAY") &&
        qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        std::fputs("tensorloupe: there is no display; try: tensorloupe report MODEL -o DIR\n", stderr);
        return 2;
    }
    QCoreApplication::setAttribute(Qt::AA_ShareOpenGLContexts);
    nameApplication();
    setScale();
    loupe::window::Application app(argc, argv);
    // Reports are read by others than who writes them: they stay English.
    if (!wanted) loupe::window::installLanguage(loupe::window::languageOf(loupe::views::settings::kLanguage.words()));
    if (loupe::window::isAskpass()) {
        setTheme({});
        const int status = loupe::window::runAskpass(QString::fromLocal8Bit(argc > 1 ? argv[1] : ""));
        if (status == loupe::window::kNotAnswered) loupe::window::endAsker();
        return status;
    }
    if (wanted) return loupe::window::runReport(*wanted);
    QCommandLineParser parser;
    describeWindow(parser);
    parser.process(app);
    if (parser.isSet(QStringLiteral("connect"))) {
        if (const int status = connectTo(parser.value(QStringLiteral("connect"))); status != 0) return status;
    } else if (hasWrongPermission(parser)) {
        return 2;
    }
    return showWindow(parser);
}

}  // namespace

int main(int argc, char** argv) {
    loupe::share_cores(argv);
    loupe::remove_temporary_names_on_signals();
    try {
        return start(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("tensorloupe: out of memory\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tensorloupe: %s\n", error.what());
    }
    return 4;
}
