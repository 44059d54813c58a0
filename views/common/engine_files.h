// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Files as the engine sees them. Of an engine on this machine they are this machine's, and Qt's own dialogues choose
// them; of one far away they are asked for over the session. What the window itself reads or writes for its own use
// (pictures, tables, settings) is this machine's always and does not come through here.

#include <QByteArray>
#include <QObject>
#include <QString>
#include <functional>

#include "core/session/queries/file_bytes.h"
#include "views/common/session_bridge.h"

class QWidget;

namespace loupe::views {

class EngineFiles : public QObject {
    Q_OBJECT

  public:
    // The window's; null in a program without one, whose engine is here.
    static EngineFiles* instance();
    // host: of an engine far away; empty: the engine is here.
    EngineFiles(SessionBridge& bridge, const QString& host, QObject* parent);
    ~EngineFiles() override;

    static bool areFar() { return instance() && !instance()->host_.isEmpty(); }
    static QString host() { return instance() ? instance()->host_ : QString(); }
    SessionBridge& bridge() { return bridge_; }

    // As QFileDialog's, of the engine's files. Empty: cancelled.
    static QString getOpenFileName(QWidget* parent, const QString& title, const QString& folder, const QString& filter);
    static QString getExistingDirectory(QWidget* parent, const QString& title, const QString& folder);
    // Of a far engine also a file here: then the engine writes one of its own, which saved() brings.
    static QString getSaveFileName(QWidget* parent, const QString& title, const QString& name, const QString& filter,
                                   QString* chosen = nullptr);
    // The engine has written a file that getSaveFileName() gave. done: the name for people and an error, or empty.
    static void saved(const QString& file, const std::function<void(const QString& shown, const QString& error)>& done);

    // Writes a file that the engine reads. Empty, or why not; of a far engine the write stands in the engine's queue
    // before whatever is ordered next, and what goes wrong is in the log.
    static QString write(const QString& file, const QByteArray& bytes);
    // A folder for files of this window that the engine reads: drawn inputs, built sources.
    static QString ownFolder();
    // Of a far engine: asks for it; another engine has another one.
    void findOwnFolder();
    // Of an engine here it is looked at in the call; of a far one the answer comes later. Not when the receiver is
    // gone.
    static void read(const QString& file, QObject* receiver,
                     const std::function<void(const QByteArray& bytes, const QString& error)>& reply);
    static void look(const QString& file, QObject* receiver,
                     const std::function<void(const session::FileFacts&)>& reply);
    // A file of this machine for a far engine: a copy there. Nothing is replied when it is cancelled.
    void send(const QString& file, QObject* receiver,
              const std::function<void(const QString& there, const QString& error)>& reply);
    // The other way, of a file in the engine's own folder: it is removed there.
    void bring(const QString& file, const QString& to, QObject* receiver,
               const std::function<void(const QString& error)>& reply);
    // What is being copied; what is there of it is removed.
    void cancelCopies();

  signals:
    // A file is being copied: in words, and how much of it is done, of 1.
    void copying(const QString& what, double part);
    // It is not any more.
    void copied();

  private:
    class Transfer;

    SessionBridge& bridge_;
    const QString host_;
    QString own_;                        // folder there
    std::map<QString, QString> brings_;  // by the file there: where it goes
    int last_brought_ = 0;
};

}  // namespace loupe::views
