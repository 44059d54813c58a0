// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/report.h"

#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QThread>

#include "core/session/queries/gradients.h"
#include "views/common/file_output.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/view.h"
#include "views/graph/graph_view.h"
#include "views/registry.h"
#include "views/report/report_page.h"

namespace loupe::views {
namespace {

// In this scope settings are empty and temporary: a report does not depend on its writer's watches, filters and
// history.
class BlankSettings {
  public:
    BlankSettings() : before_(QSettings::defaultFormat()) {
        static const QSettings::Format kBlank = QSettings::registerFormat(
            QStringLiteral("blank"), [](QIODevice&, QSettings::SettingsMap&) { return true; },
            [](QIODevice&, const QSettings::SettingsMap&) { return true; });
        QSettings::setPath(kBlank, QSettings::UserScope, folder_.path());
        QSettings::setPath(kBlank, QSettings::SystemScope, folder_.path());
        QSettings::setDefaultFormat(kBlank);
    }
    ~BlankSettings() { QSettings::setDefaultFormat(before_); }
    BlankSettings(const BlankSettings&) = delete;
    BlankSettings& operator=(const BlankSettings&) = delete;

  private:
    QTemporaryDir folder_;
    QSettings::Format before_;
};

using session::RunState;

// Lets events run until it is so; false when the time is up.
bool waitUntil(const std::function<bool()>& done, int milliseconds) {
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
        if (timer.elapsed() > milliseconds) return false;
        QEventLoop loop;
        loop.processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
        QThread::msleep(2);
    }
    return true;
}

void letSettle(const View& view) {
    waitUntil([&] { return view.isSettled(); }, 20000);
    // Timers that gather changes before they draw.
    QElapsedTimer timer;
    timer.start();
    waitUntil([&] { return timer.elapsed() > 250 && view.isSettled(); }, 20000);
}

bool run(SessionBridge& bridge, const ReportOptions& options, const std::function<void(const QString&)>& say) {
    auto run_options = bridge.runOptions();
    run_options.backward = options.backward;
    bridge.setRunOptions(run_options);
    bridge.run();
    const auto ended = [&] {
        const RunState state = bridge.status().state;
        return state == RunState::Finished || state == RunState::Failed;
    };
    if (!waitUntil(ended, options.patience * 1000)) {
        say(QObject::tr("the run took longer than %1 s and was stopped").arg(options.patience));
        bridge.session().stop();
        waitUntil(ended, 10000);
        return false;
    }
    if (bridge.status().state == RunState::Failed) say(text(bridge.status().error));
    return bridge.status().state == RunState::Finished;
}

// The event to select: the slowest of forward that produced a tensor of some size.
session::EventId tellingEvent(const session::Recording& recording) {
    session::EventId best = 0;
    double most = -1;
    for (std::size_t i = 1; i <= recording.event_count(); ++i) {
        const session::Event& event = recording.event(static_cast<session::EventId>(i));
        if (event.failed || session::is_origin(event.not_finite)) return event.id;
        if (event.phase != session::RunPhase::Forward || event.outputs.empty() || event.duration <= most) continue;
        most = event.duration;
        best = event.id;
    }
    return best;
}

// All of the graph when it can be read then, else the part around the current event.
void showWhole(GraphView& graph) {
    constexpr double kReadable = 0.4;
    graph.fit();
    if (graph.canvas()->zoom() < kReadable) graph.canvas()->reveal(graph.canvas()->current());
}

using PanelList = std::vector<std::pair<ViewDescription, std::unique_ptr<View>>>;

// Of each panel, or why it is empty. What fails is said, and the answer is false.
bool takePictures(const PanelList& panels, const QDir& folder, const std::function<void(const QString&)>& say,
                  std::vector<ReportPicture>& pictures, std::vector<EmptyPanel>& empty) {
    for (const auto& [description, view] : panels) {
        view->show();
        view->comeIntoSight();
        letSettle(*view);
        if (auto* graph = qobject_cast<GraphView*>(view.get())) showWhole(*graph);
        if (const QString note = view->emptyNote().section(QLatin1Char('\n'), 0, 0); !note.isEmpty()) {
            empty.push_back({description.title, note});
            view->hide();
            continue;
        }
        const QString file = description.id + QStringLiteral(".png");
        if (const QString error = saveImage(view->grab().toImage(), folder.filePath(file)); !error.isEmpty()) {
            say(error);
            return false;
        }
        view->hide();
        pictures.push_back({file, description.title, description.tip});
        say(QObject::tr("wrote %1").arg(folder.filePath(file)));
    }
    return true;
}

}  // namespace

int writeReport(const ReportOptions& options, const std::function<void(const QString&)>& say) {
    QDir folder(options.folder);
    if (!folder.mkpath(QStringLiteral("."))) {
        say(QObject::tr("cannot make the folder %1").arg(options.folder));
        return 1;
    }
    const BlankSettings blank;
    SessionBridge bridge;
    bridge.session().permit_source(options.model.toStdString(), options.permissions);
    bridge.open(options.model);
    const auto opened = [&] {
        const RunState state = bridge.status().state;
        return state == RunState::Failed ||
               ((state == RunState::Ready || state == RunState::Finished) && bridge.model());
    };
    if (!waitUntil(opened, options.patience * 1000) || !bridge.model()) {
        say(bridge.status().error.empty() ? QObject::tr("cannot open %1").arg(options.model)
                                          : text(bridge.status().error));
        return 1;
    }
    // The views exist before the run, as in the window: they collect data during it.
    // They stand in one window without limits of its size, of which a platform without a display knows nothing.
    QWidget stage;
    stage.resize(options.width, options.height);
    stage.show();
    PanelList views;
    for (const auto& entry : registry().entries()) {
        std::unique_ptr<View> view(entry.create(bridge, &stage));
        view->resize(options.width, options.height);
        views.emplace_back(entry.description, std::move(view));
    }
    const bool is_recorded = !bridge.model()->recorded_in.empty();
    const bool succeeded = is_recorded || run(bridge, options, say);
    // Times of a first run are no operator times.
    if (succeeded && !is_recorded) {
        bridge.timeProperly();
        waitUntil([&] { return !bridge.isTiming(); }, options.patience * 1000);
    }
    if (bridge.recording()) bridge.setCurrentEvent(tellingEvent(*bridge.recording()));

    std::vector<ReportPicture> pictures;
    std::vector<EmptyPanel> empty;
    if (!takePictures(views, folder, say, pictures, empty)) return 1;
    std::vector<session::GradientRow> gradients;
    bool answered = false;
    bridge.ask(QStringLiteral("report"), session::GradientsQuery{}, &bridge,
               [&](std::vector<session::GradientRow> rows) {
                   gradients = std::move(rows);
                   answered = true;
               });
    waitUntil([&] { return answered; }, 10000);
    const QString file = folder.filePath(QStringLiteral("index.html"));
    FileOutput page(file);
    page.write(reportPage(bridge, gradients, pictures, empty).toUtf8());
    if (const QString error = page.commit(); !error.isEmpty()) {
        say(error);
        return 1;
    }
    say(QObject::tr("wrote %1").arg(file));
    views.clear();
    return succeeded ? 0 : 1;
}

}  // namespace loupe::views
