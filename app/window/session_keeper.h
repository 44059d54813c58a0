// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Saves the state of the window, so that the next one can restore it: after kill -9, a crash, or closing it. The engine
// saves the run and the training, in the same folder.

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
    bool was_closed = false;     // false: it crashed or was killed
    bool may_be_at_once = true;  // false: the last attempt did not finish
    QString model;               // path of the file
    QString what;                // "stopped before #20 conv2d in conv2, 19 events, net.py edited"
};

class SessionKeeper : public QObject {
    Q_OBJECT

  public:
    SessionKeeper(views::SessionBridge& bridge, Docks& docks, QMainWindow& window);

    // Starts saving.
    void start();
    bool isKeeping() const { return is_keeping_; }
    // The user closes the window: saves the last state at once.
    void close();

    // The newest finished session that is readable; none otherwise. A damaged one is reported by
    // refused() and skipped later.
    std::optional<EndedSession> last();
    // Opens its model and restores the state. Ends in restored() or refused().
    void restore(const QString& folder);
    bool isRestoring() const { return !restoring_.isEmpty(); }
    // An engine that has ended is started anew. What the window shows, and how, is as it was once the run is back;
    // where it goes back to the end, what is current is that place.
    void restartEngine(bool goesBack);

    // The current state as it would be written.
    QJsonObject state() const;
    // The part of it that goes with a run that is given to others: layout, panels, bookmarks, notes, watches, what is
    // current. As text.
    QString sharedState() const;
    // That of the recording that is open is taken.
    void takeShared();
    // Parts of a state() that belong to the open model: what of breakpoints, watches and panels is there.
    void takeSetup(const QJsonObject& state);
    // Its bookmarks and notes, of the run that is shown.
    void takeMarks(const QJsonObject& state);

  signals:
    // The state is another one.
    void changed();
    // where: one sentence; reached: the last event of a parked run, 0 otherwise.
    void restored(const QString& where, session::EventId reached);
    void refused(const QString& why);
    // The recording that was opened brings its state: what of it, in words.
    void sharedFound(const QString& what);

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
    void tellOfLoss(const std::string& why);
    void takeLog();
    void takeRestarted();
    void takeWatches();
    void takePanels();
    void takeViews();
    void takeMarks();
    void takeCurrent();
    void lookForShared();
    QString whereText(const QJsonObject& state) const;

    views::SessionBridge& bridge_;
    Docks& docks_;
    QMainWindow& window_;
    SessionStore store_;
    QTimer timer_;
    QByteArray written_;
    bool is_keeping_ = false;
    bool was_refused_ = false;  // a write failure has been reported
    bool was_closed_ = false;
    QThreadPool writer_;  // one write at a time
    // While a session is restored.
    QString restoring_;
    QJsonObject wanted_;
    QJsonObject shared_;  // of the recording that is open
    struct Restart {
        QJsonObject state;  // as it was
        bool goesBack = false;
        bool hasViews = false;  // they have theirs again
    };
    std::optional<Restart> restart_;  // whose run is not back yet
    enum class Step { None, Opening, Forming } step_ = Step::None;
    bool has_begun_ = false;
};

}  // namespace loupe::window
