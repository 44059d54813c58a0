// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs a source as a program, from its first line to its last, by tensorloupe-cli: a process of its own, or one for
// each rank, which writes a recording to look at.

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QTemporaryDir>
#include <memory>

#include "core/base/file_sandbox.h"

class QProcess;

namespace loupe::window {

class ProgramRecorder : public QObject {
    Q_OBJECT

  public:
    explicit ProgramRecorder(QObject* parent);
    // Ends what runs. Recordings go with it: who wants one saves the run.
    ~ProgramRecorder() override;

    // permissions: of the source. One at a time. Ends in ended().
    void start(const QString& file, int ranks, const FilePermissions& permissions);
    // As Ctrl+C does: what was recorded so far is written.
    void stop();
    bool isRunning() const { return process_ != nullptr; }
    // Is the file one of its recordings, which go with the window?
    bool holds(const QString& file) const { return file.startsWith(folder_.path() + QLatin1Char('/')); }
    // tensorloupe-cli: beside this program. Another one for tests.
    static QString program();
    static void setProgram(const QString& path);

  signals:
    // A line that it printed; isError: to standard error.
    void said(const QString& line, bool isError);
    // recording: of the only rank, or of rank 0; empty: there is none. why: one line; empty: it came to its end.
    void ended(const QString& recording, const QString& why);

  private:
    void take(QByteArray& waiting, const QByteArray& more, bool isError);
    void end(const QString& why);

    QTemporaryDir folder_;
    QProcess* process_ = nullptr;
    QString recording_;
    QByteArray out_, errors_;  // lines that have not ended
    QString last_error_;
    int count_ = 0;
};

}  // namespace loupe::window
