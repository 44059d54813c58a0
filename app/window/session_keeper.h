// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes down how the window stands, so that the next one can stand the same: after kill -9, a crash, or closing it. The
// engine keeps the run and the training itself, in the same folder.

#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <optional>

#include "app/window/session_store.h"
#include "views/common/session_bridge.h"

class QMainWindow;

namespace loupe::window {

class Docks;

// Of a session that has ended, for the start page.
struct EndedSession {
    QString folder;
    QDateTime written;
    bool was_closed = false;   // else it ended without a word
    bool may_be_at_once = true;  // false: the last try did not come to an end
    QString model;             // path of the file
    QString what;              // "stopped before #20 conv2d in conv2, 19 events, net.py edited"
};

class SessionKeeper : public QObject {
    Q_OBJECT

  public:
    SessionKeeper(views::SessionBridge& bridge, Docks& docks, QMainWindow& window);

    // From now on. Before it nothing is written.
    void start();
    bool isKeeping() const { return is_keeping_; }
    // The window is being closed by its user: the last state, at once.
    void close();

    // The newest that ended and is whole enough to be named; nothing when there is none. A damaged one is told of by
    // refused() and not named again.
    std::optional<EndedSession> last();
    // Opens its model and puts everything where it was. Ends in restored() or refused().
    void restore(const QString& folder);
    bool isRestoring() const { return !restoring_.isEmpty(); }

    // What would be written now.
    QJsonObject state() const;

  signals:
    // where: one sentence; reached: the event that a parked run had come to, 0 for another.
    void restored(const QString& where, session::EventId reached);
    void refused(const QString& why);

  private:
    void markDirty();
    void write();
    void tellOfFailure(const QString& folder);
    void onStatus();
    void giveUp(const QString& why);
    void takeModel();
    void takeTraining();
    void takeRun();
    void takeRest(const session::RestoredRun& run);
    void takeBreakpoints();
    void takeLog();
    void takePanels();
    QString whereText(const QJsonObject& state) const;

    views::SessionBridge& bridge_;
    Docks& docks_;
    QMainWindow& window_;
    SessionStore store_;
    QTimer timer_;
    QByteArray written_;
    bool is_keeping_ = false;
    bool was_refused_ = false;  // writing, said once
    bool was_closed_ = false;
    QThreadPool writer_;  // one write at a time
    // While a session is restored.
    QString restoring_;
    QJsonObject wanted_;
    enum class Step { None, Opening, Forming } step_ = Step::None;
    bool has_begun_ = false;
};

}  // namespace loupe::window
