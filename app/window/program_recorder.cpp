// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/program_recorder.h"

#include <signal.h>

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>

#include "views/common/format.h"

namespace loupe::window {
namespace {

constexpr qsizetype kLongestLine = 4096;

QString& programPath() {
    static QString path;
    return path;
}

}  // namespace

ProgramRecorder::ProgramRecorder(QObject* parent)
    : QObject(parent), folder_(QDir::tempPath() + QStringLiteral("/tensorloupe-program-XXXXXX")) {}

ProgramRecorder::~ProgramRecorder() {
    if (process_ == nullptr) return;
    process_->disconnect(this);
    process_->terminate();  // ranks are ended by their launcher, which a kill would not let
    if (!process_->waitForFinished(3000)) process_->kill();
    process_->waitForFinished(1000);
}

QString ProgramRecorder::program() {
    if (!programPath().isEmpty()) return programPath();
    const QString name = QStringLiteral("tensorloupe-cli");
    const QString beside = QCoreApplication::applicationDirPath() + QLatin1Char('/') + name;
    return QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(name);
}

void ProgramRecorder::setProgram(const QString& path) { programPath() = path; }

void ProgramRecorder::start(const QString& file, int ranks, const FilePermissions& permissions) {
    if (process_ != nullptr) return;
    const QString name = program();
    if (name.isEmpty() || !folder_.isValid())
        return emit ended({}, name.isEmpty() ? tr("tensorloupe-cli is not there") : folder_.errorString());
    // Each has a folder of its own: recordings of other numbers of ranks lie beside none of them.
    const QString folder = folder_.filePath(QString::number(++count_));
    QDir().mkpath(folder);
    recording_ = folder + QLatin1Char('/') + QFileInfo(file).completeBaseName() + QStringLiteral(".loupe");
    QStringList arguments{QStringLiteral("run"), QStringLiteral("--program"), QFileInfo(file).absoluteFilePath(),
                          QStringLiteral("--record"), recording_};
    if (ranks > 1) arguments << QStringLiteral("--ranks") << QString::number(ranks);
    for (const auto& path : permissions.read) arguments << QStringLiteral("--allow-read") << views::text(path.string());
    for (const auto& path : permissions.write)
        arguments << QStringLiteral("--allow-write") << views::text(path.string());
    out_.clear();
    errors_.clear();
    last_error_.clear();
    process_ = new QProcess(this);
    process_->setWorkingDirectory(QFileInfo(file).absolutePath());
    connect(process_, &QProcess::readyReadStandardOutput, this,
            [this] { take(out_, process_->readAllStandardOutput(), false); });
    connect(process_, &QProcess::readyReadStandardError, this,
            [this] { take(errors_, process_->readAllStandardError(), true); });
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end(process_->errorString());
    });
    connect(process_, &QProcess::finished, this, [this](int status, QProcess::ExitStatus how) {
        take(out_, process_->readAllStandardOutput() + '\n', false);
        take(errors_, process_->readAllStandardError() + '\n', true);
        if (status == 0 && how == QProcess::NormalExit) return end({});
        end(!last_error_.isEmpty() ? last_error_ : tr("the program ended with status %1").arg(status));
    });
    process_->start(name, arguments);
}

void ProgramRecorder::stop() {
    if (process_ != nullptr && process_->processId() > 0) ::kill(static_cast<pid_t>(process_->processId()), SIGINT);
}

void ProgramRecorder::take(QByteArray& waiting, const QByteArray& more, bool isError) {
    waiting += more;
    // One without an end is said in pieces.
    for (qsizetype end = waiting.indexOf('\n'); end >= 0 || waiting.size() > kLongestLine;
         end = waiting.indexOf('\n')) {
        const qsizetype size = end >= 0 && end <= kLongestLine ? end : kLongestLine;
        const QString line = QString::fromUtf8(waiting.left(size)).trimmed();
        waiting.remove(0, size + (size == end ? 1 : 0));
        if (line.isEmpty()) continue;
        if (isError) last_error_ = line;
        emit said(line, isError);
    }
}

void ProgramRecorder::end(const QString& why) {
    process_->deleteLater();
    process_ = nullptr;
    emit ended(QFileInfo::exists(recording_) ? recording_ : QString(), why);
}

}  // namespace loupe::window
