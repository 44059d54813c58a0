// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/source/continue_edit.h"

#include <QFile>
#include <QPointer>
#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "views/common/comparison.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"

namespace loupe::views {

using session::RunState;

// The edit is made when the command is pushed, so the first redo does nothing.
class ContinuedEdit : public QUndoCommand {
  public:
    ContinuedEdit(ContinueEdit& edits, std::vector<session::EditedText> before, std::vector<session::EditedText> now,
                  session::EventId parked_behind)
        : QUndoCommand(ContinueEdit::tr("continue with an edit")),
          edits_(&edits),
          before_(std::move(before)),
          now_(std::move(now)),
          parked_behind_(parked_behind) {}
    void redo() override {
        if (std::exchange(is_made_, false) || edits_.isNull()) return;
        edits_->save(now_);
        edits_->ask({.texts = now_});
    }
    void undo() override {
        if (!edits_.isNull()) edits_->undoTo(before_, parked_behind_);
    }

  private:
    QPointer<ContinueEdit> edits_;
    std::vector<session::EditedText> before_;
    std::vector<session::EditedText> now_;
    session::EventId parked_behind_;
    bool is_made_ = true;
};

ContinueEdit::ContinueEdit(SessionBridge& bridge, QObject* parent) : QObject(parent), bridge_(bridge) {
    connect(&bridge, &SessionBridge::statusChanged, this, &ContinueEdit::sayHowFar);
    connect(&bridge, &SessionBridge::modelChanged, this, [this] {
        if (last_.from == 0) emit said({});
    });
}

bool ContinueEdit::isPossible() const {
    const session::Status& status = bridge_.status();
    const bool has_run = bridge_.recording() != nullptr && !status.is_training;
    return has_run && (bridge_.isPaused() || status.state == RunState::Failed);
}

std::vector<session::EditedText> ContinueEdit::editedTexts() const {
    std::vector<session::EditedText> texts;
    for (const auto& [file, words] : bridge_.sourceEdits()) texts.push_back({file.toStdString(), words.toStdString()});
    return texts;
}

// Another program may have written a file that is edited here.
QString ContinueEdit::whyNotSaved() const {
    if (EngineFiles::areFar()) return {};  // SourceWatch says it, as soon as it hears of it
    for (const auto& source : bridge_.model()->sources) {
        const QString name = text(source.name);
        if (!bridge_.sourceEdits().contains(name)) continue;
        QFile file(name);
        if (!file.open(QIODevice::ReadOnly)) continue;  // saving says why
        const QString now = QString::fromUtf8(file.readAll());
        if (now == text(source.text) || bridge_.wrote(name, now)) continue;
        return tr("%1 was changed by another program since the run began: Ctrl+Return writes over it and runs again")
            .arg(name.section(QLatin1Char('/'), -1));
    }
    return {};
}

void ContinueEdit::start() {
    const std::vector<session::EditedText> texts = editedTexts();
    if (!bridge_.model()) return;
    if (texts.empty()) return emit refused(tr("nothing is edited"), {});
    if (!isPossible())
        return emit refused(tr("no run is parked or has failed: Ctrl+Return runs the edit from the start"), {});
    if (const QString why = whyNotSaved(); !why.isEmpty()) return emit refused(why, {});
    bridge_.ask(QStringLiteral("continue edit"), session::ContinueEditQuery{{.texts = texts, .only_checks = true}},
                this, [this, texts](const session::ContinuedEdit& checked) {
                    if (checked.error.empty()) return go(texts);
                    const QString why = text(checked.error);
                    emit refused(checked.may_restart ? tr("%1. Ctrl+Return runs it from the start").arg(why) : why,
                                 checked.place);
                });
}

void ContinueEdit::go(std::vector<session::EditedText> texts) {
    std::vector<session::EditedText> before;
    for (const auto& edited : texts) {
        for (const auto& source : bridge_.model()->sources) {
            if (source.name == edited.file) before.push_back({source.name, source.text});
        }
    }
    const session::EventId parked_behind = bridge_.isPaused() ? bridge_.status().reached : 0;
    if (!bridge_.saveSourceEdits().isEmpty()) return;
    bridge_.undoStack()->push(new ContinuedEdit(*this, std::move(before), texts, parked_behind));
    ask({.texts = std::move(texts), .pins = true});
}

void ContinueEdit::save(const std::vector<session::EditedText>& texts) {
    for (const auto& edited : texts) bridge_.restoreSourceEdit(text(edited.file), text(edited.text));
    bridge_.saveSourceEdits();
}

void ContinueEdit::undoTo(std::vector<session::EditedText> texts, session::EventId parked_behind) {
    save(texts);
    emit said({});
    ask({.texts = std::move(texts), .is_undo = true, .parked_behind = parked_behind});
}

void ContinueEdit::ask(session::EditRequest request) {
    const bool is_undo = request.is_undo;
    before_ = bridge_.recording();
    bridge_.ask(QStringLiteral("continue edit"), session::ContinueEditQuery{std::move(request)}, this,
                [this, is_undo](const session::ContinuedEdit& done) {
                    if (!done.error.empty()) return emit refused(text(done.error), done.place);
                    if (done.before.id != 0) Comparison::of(bridge_).adopt(done.before);
                    last_ = is_undo ? session::ContinuedEdit{} : done;
                    sayHowFar();
                });
}

// Once the run has come past where it continues.
void ContinueEdit::sayHowFar() {
    const auto& recording = bridge_.recording();
    if (last_.from == 0 || bridge_.isBusy() || recording == nullptr || recording == before_) return;
    const auto count = static_cast<session::EventId>(recording->event_count());
    const session::EventId kept = std::min(last_.from - 1, count);
    const double took = kept == 0             ? 0
                        : last_.from <= count ? recording->event(last_.from).start
                                              : recording->event(kept).start + recording->event(kept).duration;
    QString line = last_.function.empty()
                       ? tr("Continued at #%1").arg(last_.from)
                       : tr("Continued at #%1, from the start of %2").arg(last_.from).arg(text(last_.function));
    line += kept == 0 ? tr(": nothing was before it")
                      : tr(": what is before it was run again in %1").arg(secondsText(took));
    if (last_.before.id != 0) line += tr("; pinned: %1").arg(text(last_.before.label));
    last_ = {};
    before_.reset();
    emit said(line);
}

}  // namespace loupe::views
