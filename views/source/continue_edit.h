// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Continues the run that is parked, or has failed, with the sources as they are edited: checks, saves, orders, and can
// be undone. Says each step's outcome in one line.

#include <QObject>
#include <QString>
#include <memory>
#include <vector>

#include "core/session/queries/continue_edit.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

class ContinueEdit : public QObject {
    Q_OBJECT

  public:
    ContinueEdit(SessionBridge& bridge, QObject* parent);

    // Is a run parked or has it failed, so that an edit could continue it?
    bool isPossible() const;
    void start();

  signals:
    // Empty: nothing is to be said any more.
    void said(const QString& line);
    // Nothing has changed; place: in the edited text, line 0: none.
    void refused(const QString& why, const session::SourcePlace& place);

  private:
    friend class ContinuedEdit;
    std::vector<session::EditedText> editedTexts() const;
    QString whyNotSaved() const;
    void go(std::vector<session::EditedText> texts);
    void undoTo(std::vector<session::EditedText> texts, session::EventId parked_behind);
    void ask(session::EditRequest request);
    void save(const std::vector<session::EditedText>& texts);
    void sayHowFar();

    SessionBridge& bridge_;
    session::ContinuedEdit last_;                       // that was ordered; from 0: none, or its outcome has been said
    std::shared_ptr<const session::Recording> before_;  // of the run that it continues
};

}  // namespace loupe::views
