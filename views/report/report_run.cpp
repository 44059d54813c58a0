// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/report_run.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QThread>

#include "core/session/queries/load_weights.h"
#include "views/common/format.h"

namespace loupe::views {
namespace {

using session::RunState;

// As of tensorloupe-cli.
constexpr int kUsage = 2;
constexpr int kFile = 3;
constexpr int kRun = 4;

int statusOf(const std::string& error_kind) {
    if (error_kind == error_kind_name(ErrorKind::Usage)) return kUsage;
    for (const ErrorKind kind : {ErrorKind::File, ErrorKind::Unsupported, ErrorKind::Compile}) {
        if (error_kind == error_kind_name(kind)) return kFile;
    }
    return kRun;
}

}  // namespace

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

template <typename Query>
typename Query::Answer ReportRun::ask(Query query) {
    // An answer that comes too late finds it too.
    const auto answer = std::make_shared<std::optional<typename Query::Answer>>();
    bridge_.ask(QStringLiteral("report"), std::move(query), &bridge_,
                [answer](typename Query::Answer given) { *answer = std::move(given); });
    if (!waitUntil([&] { return answer->has_value(); }, options_.patience * 1000))
        throw ReportFailure{kRun, QObject::tr("%1: no answer within %2 s").arg(options_.model).arg(options_.patience)};
    return **answer;
}

void ReportRun::permit(const QString& file) {
    bridge_.session().permit_source(file.toStdString(), options_.permissions);
}

void ReportRun::open() {
    permit(options_.model);
    bridge_.open(options_.model, options_.build);
    const auto opened = [&] {
        const RunState state = bridge_.status().state;
        return state == RunState::Failed ||
               ((state == RunState::Ready || state == RunState::Finished) && bridge_.model());
    };
    const bool is_open = waitUntil(opened, options_.patience * 1000) && bridge_.model();
    if (!is_open)
        throw ReportFailure{QFileInfo::exists(options_.model) ? kFile : kUsage,
                            bridge_.status().error.empty() ? QObject::tr("cannot open %1").arg(options_.model)
                                                           : text(bridge_.status().error)};
    if (!isRecorded()) {
        loadWeights();
        script();
    }
}

void ReportRun::loadWeights() {
    if (options_.weights.isEmpty()) return;
    const auto report = ask(session::LoadWeightsQuery{options_.weights.toStdString(), true});
    if (!report.error.empty())
        throw ReportFailure{QFileInfo::exists(options_.weights) ? kFile : kUsage,
                            text(report.error).section(QLatin1Char('\n'), 0, 0)};
    bridge_.tellWeightsChanged();
}

void ReportRun::script() {
    if (!options_.isScripted || bridge_.model()->form == session::ModelForm::AsRead) return;
    QString refused;
    const auto connection =
        QObject::connect(&bridge_, &SessionBridge::formRefused, [&](const QString& why) { refused = why; });
    bridge_.setForm(session::ModelForm::Scripted);
    const auto done = [&] {
        return !refused.isEmpty() || (bridge_.model() && bridge_.model()->form == session::ModelForm::Scripted);
    };
    waitUntil(done, options_.patience * 1000);
    QObject::disconnect(connection);
    if (!refused.isEmpty()) throw ReportFailure{kFile, refused};
}

// Inputs of the command line are those of references too.
void ReportRun::prepare() {
    const auto values = ask(session::GivenRunQuery{options_.method, options_.given});
    if (!values.error.empty()) throw ReportFailure{statusOf(values.error_kind), text(values.error)};
    if (options_.given.has_inputs() || !options_.method.empty()) bridge_.setInputs(values.inputs);
    session::RunOptions run = options_.run;
    run.method = values.method;
    run.backward_from = values.backward_from;
    bridge_.setRunOptions(run);
}

bool ReportRun::run() {
    if (!isRecorded() || options_.given.has_inputs()) prepare();
    if (isRecorded()) {
        is_timed_ = bridge_.warmTimes() != nullptr;
        return true;
    }
    if (!runOnce()) return false;
    // Times of a first run are no operator times.
    bridge_.timeProperly();
    waitUntil([&] { return !bridge_.isTiming(); }, options_.patience * 1000);
    is_timed_ = bridge_.warmTimes() != nullptr;
    return true;
}

bool ReportRun::runOnce() {
    bridge_.run();
    const auto ended = [&] {
        const RunState state = bridge_.status().state;
        return state == RunState::Finished || state == RunState::Failed;
    };
    if (!waitUntil(ended, options_.patience * 1000)) {
        say_(QObject::tr("the run took longer than %1 s and was stopped").arg(options_.patience));
        bridge_.session().stop();
        waitUntil(ended, 10000);
        return false;
    }
    if (bridge_.status().state == RunState::Failed) say_(text(bridge_.status().error));
    return bridge_.status().state == RunState::Finished;
}

void ReportRun::pin(session::ReferenceSource source) {
    Comparison& comparison = Comparison::of(bridge_);
    source.is_timed = is_timed_;
    if (!source.file.empty()) permit(text(source.file));
    const std::size_t before = comparison.references().size();
    comparison.pin(source);
    const auto pinned = [&] { return !comparison.isPinning(); };
    if (!waitUntil(pinned, options_.patience * 1000)) {
        bridge_.session().stop();
        throw ReportFailure{
            kRun,
            QObject::tr("%1: took longer than %2 s and was stopped").arg(text(source.file)).arg(options_.patience)};
    }
    if (comparison.references().size() == before)
        throw ReportFailure{statusOf(comparison.failureKind()), comparison.failure()};
}

void ReportRun::compare() {
    if (!bridge_.recording() || bridge_.eventCount() == 0) return;
    Comparison& comparison = Comparison::of(bridge_);
    comparison.setTolerance(options_.rtol, options_.atol);
    for (const session::ReferenceSource& source : options_.references) pin(source);
    if (comparison.references().empty()) return;
    comparison.choose(comparison.references().front().id);
    const auto compared = [&] {
        return comparison.all().size() == comparison.references().size() || !comparison.failure().isEmpty();
    };
    waitUntil(compared, options_.patience * 1000);
    if (!comparison.failure().isEmpty()) throw ReportFailure{kRun, comparison.failure()};
}

bool ReportRun::isClose() const {
    const auto& all = Comparison::of(bridge_).all();
    return std::all_of(all.begin(), all.end(), [](const auto& each) {
        return each.second != nullptr && !each.second->diverges() && each.second->compared > 0;
    });
}

}  // namespace loupe::views
