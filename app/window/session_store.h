// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders of sessions in the user's state directory: one for each window that runs, locked while it does. A folder whose
// lock is free is of a window that has ended, one way or another.

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <optional>
#include <vector>

namespace loupe::window {

class SessionStore {
  public:
    // XDG_STATE_HOME/tensorloupe/sessions, by default below ~/.local/state.
    static QString root();

    SessionStore() = default;
    SessionStore(const SessionStore&) = delete;
    SessionStore& operator=(const SessionStore&) = delete;
    // The folder stays, for the next window.
    ~SessionStore();

    // Of this window; made and locked when it is asked for first. Empty when that is not possible: error() says why.
    QString folder();
    bool hasFolder() const { return !folder_.isEmpty(); }
    const QString& error() const { return error_; }
    // The folder of a session that has ended is this window's from now on. False when another window has it.
    bool adopt(const QString& folder);
    // The folder is no window's any more, and stays as it is.
    void release();
    // This window has nothing to come back to: its folder goes.
    void drop();

    struct Found {
        QString folder;
        QDateTime written;
    };
    // Sessions that have ended and hold a state, the newest first. Those that could not be restored are passed over.
    std::vector<Found> ended() const;
    // The state of a session; nothing when it cannot be read.
    static std::optional<QByteArray> read(const QString& folder);
    // Replaces the state at once. Any thread. False when it cannot be written.
    static bool write(const QString& folder, const QByteArray& state);

    // A session is marked while it is restored: one that ends the program is not restored at once again.
    enum class Mark { Restoring, Refused };
    static void mark(const QString& folder, Mark mark, bool is_set);
    static bool isMarked(const QString& folder, Mark mark);

    // Removes sessions that have ended: all but the newest kMost, those older than a month, and beyond kMostBytes together.
    void clean() const;
    static constexpr int kMost = 8;
    static constexpr qint64 kMostBytes = qint64{4} << 30;

  private:
    static std::optional<int> lock(const QString& folder);
    static void remove(const QString& folder);

    QString folder_;
    QString error_;
    int lock_ = -1;
};

}  // namespace loupe::window
