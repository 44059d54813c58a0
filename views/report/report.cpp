// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/report.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>

#include "core/session/queries/gradients.h"
#include "views/common/comparison.h"
#include "views/common/file_output.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/view.h"
#include "views/graph/graph_view.h"
#include "views/passes/passes_view.h"
#include "views/registry.h"
#include "views/report/report_page.h"
#include "views/report/report_run.h"
#include "views/source/source_view.h"

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

void letSettle(const View& view) {
    waitUntil([&] { return view.isSettled(); }, 20000);
    // Timers that gather changes before they draw.
    QElapsedTimer timer;
    timer.start();
    waitUntil([&] { return timer.elapsed() > 250 && view.isSettled(); }, 20000);
}

// The event to select: where runs diverge first, else what failed, else the slowest of forward.
session::EventId tellingEvent(SessionBridge& bridge) {
    const session::Recording& recording = *bridge.recording();
    if (const auto& found = Comparison::of(bridge).differences(); found != nullptr && found->diverges())
        return (found->forward ? found->forward : found->backward)->here;
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

// Texts that differ from the reference's stand beside them.
void showDifferences(View& view) {
    auto* source = qobject_cast<SourceView*>(&view);
    auto* passes = qobject_cast<PassesView*>(&view);
    if (source != nullptr) source->showBeside(source->differsFromReference());
    if (passes != nullptr) passes->showBeside(passes->hasReference());
    if (source != nullptr || passes != nullptr) letSettle(view);
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
        showDifferences(*view);
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

namespace {

// The panels exist before the run, as in the window: they collect data during it.
PanelList makePanels(SessionBridge& bridge, QWidget& stage, const ReportOptions& options) {
    PanelList panels;
    for (const auto& entry : registry().entries()) {
        std::unique_ptr<View> view(entry.create(bridge, &stage));
        view->resize(options.width, options.height);
        panels.emplace_back(entry.description, std::move(view));
    }
    return panels;
}

std::vector<session::GradientRow> gradientsOf(SessionBridge& bridge) {
    std::vector<session::GradientRow> gradients;
    bool answered = false;
    bridge.ask(QStringLiteral("report"), session::GradientsQuery{}, &bridge,
               [&](std::vector<session::GradientRow> rows) {
                   gradients = std::move(rows);
                   answered = true;
               });
    waitUntil([&] { return answered; }, 10000);
    return gradients;
}

constexpr int kDiffers = 1;
constexpr int kCannotWrite = 3;
constexpr int kRunFailed = 4;

// A page that is no report's is not written over. Empty: it may be written there.
QString whyNotIn(const QString& folder) {
    if (folder.isEmpty()) return QObject::tr("-o needs a folder");
    const QString path = QDir(folder).filePath(QStringLiteral("index.html"));
    QFile page(path);
    if (!page.exists()) return {};
    const bool isReport = page.open(QIODevice::ReadOnly) && page.read(1 << 20).contains(kReportMark);
    return isReport ? QString() : QObject::tr("%1 is there and is no report: give another folder").arg(path);
}

}  // namespace

int writeReport(const ReportOptions& options, const std::function<void(const QString&)>& say) {
    if (const QString why = whyNotIn(options.folder); !why.isEmpty()) {
        say(why);
        return kCannotWrite;
    }
    QDir folder(options.folder);
    const BlankSettings blank;
    SessionBridge bridge;
    ReportRun report(bridge, options, say);
    bool succeeded = false;
    // Panels stand in one window without limits of its size, of which a platform without a display knows nothing.
    QWidget stage;
    stage.resize(options.width, options.height);
    stage.show();
    PanelList panels;
    try {
        report.open();
        panels = makePanels(bridge, stage, options);
        succeeded = report.run();
        report.compare();
    } catch (const ReportFailure& failure) {
        say(failure.line);
        return failure.status;
    }
    if (!folder.mkpath(QStringLiteral("."))) {
        say(QObject::tr("cannot make the folder %1").arg(options.folder));
        return kCannotWrite;
    }
    if (bridge.recording()) bridge.setCurrentEvent(tellingEvent(bridge));
    std::vector<ReportPicture> pictures;
    std::vector<EmptyPanel> empty;
    if (!takePictures(panels, folder, say, pictures, empty)) return kCannotWrite;
    const QString file = folder.filePath(QStringLiteral("index.html"));
    FileOutput page(file);
    page.write(reportPage(bridge, gradientsOf(bridge), pictures, empty).toUtf8());
    if (const QString error = page.commit(); !error.isEmpty()) {
        say(error);
        return kCannotWrite;
    }
    say(QObject::tr("wrote %1").arg(file));
    return !succeeded ? kRunFailed : report.isClose() ? 0 : kDiffers;
}

}  // namespace loupe::views
