// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensor/change_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QUndoCommand>
#include <QVBoxLayout>

#include "core/session/queries/change_value.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

QString changeText(const session::ValueChange& change) {
    return QObject::tr("change %1 to %2")
        .arg(change.slice.empty() ? QObject::tr("a value") : text(change.slice), text(change.formula));
}

// A new run with the changes, and undone one without the last.
class ChangedRun : public QUndoCommand {
  public:
    ChangedRun(SessionBridge& bridge, session::ValueChange change)
        : QUndoCommand(changeText(change)), bridge_(bridge), change_(std::move(change)) {}
    void redo() override {
        session::RunOptions options = bridge_.runOptions();
        options.changes.push_back(change_);
        run(std::move(options));
    }
    void undo() override {
        session::RunOptions options = bridge_.runOptions();
        if (!options.changes.empty()) options.changes.pop_back();
        run(std::move(options));
    }

  private:
    void run(session::RunOptions options) {
        bridge_.setRunOptions(options);
        bridge_.session().run(bridge_.runOptions());
    }

    SessionBridge& bridge_;
    session::ValueChange change_;
};

// In the parked run. It is made when the command is pushed, so the first redo does nothing. Each change makes a new
// value, of which the next one is.
class ParkedChange : public QUndoCommand {
  public:
    ParkedChange(SessionBridge& bridge, session::ValueChange change, session::ValueId made)
        : QUndoCommand(changeText(change)),
          bridge_(bridge),
          change_(std::move(change)),
          now_(std::make_shared<session::ValueId>(made)) {}
    void redo() override {
        if (!std::exchange(is_made_, false)) ask(change_);
    }
    void undo() override { ask({.behind = 0, .value = 0, .slice = {}, .formula = std::string(session::kUndo)}); }

  private:
    void ask(session::ValueChange change) {
        change.value = *now_;
        bridge_.ask(QStringLiteral("change"), session::ChangeValueQuery{std::move(change), false}, &bridge_,
                    [&bridge = bridge_, now = now_](const session::ChangedValue& changed) {
                        if (!changed.error.empty()) return tellRefused(bridge, views::text(changed.error));
                        *now = changed.value;
                        bridge.setCurrentEvent(changed.event);
                    });
    }

    SessionBridge& bridge_;
    session::ValueChange change_;
    std::shared_ptr<session::ValueId> now_;
    bool is_made_ = true;
};

}  // namespace

ChangeDialog::ChangeDialog(SessionBridge& bridge, session::ValueId value, const QString& slice, QWidget* parent)
    : QDialog(parent), bridge_(bridge), value_(value) {
    setWindowTitle(tr("Change a value"));
    auto* column = new QVBoxLayout(this);
    const session::Value& of = bridge.recording()->value(value);
    auto* what = new QLabel(tr("%1  %2 %3").arg(text(of.name), text(of.dtype), shapeText(of.shape)), this);
    what->setFont(Theme::instance().monoFont());
    column->addWidget(what);
    auto* form = new QFormLayout;
    slice_ = new QLineEdit(slice, this);
    slice_->setPlaceholderText(tr("all of it"));
    slice_->setAccessibleName(tr("Which elements"));
    form->addRow(tr("Elements"), slice_);
    auto* row = new QHBoxLayout;
    formula_ = new QLineEdit(this);
    formula_->setPlaceholderText(tr("x * 2, zeros, 0.5, x.clamp(min=0), FILE.npy, RUN.loupe"));
    formula_->setToolTip(
        tr("Of x, what is there now; zeros, ones and mean are like it. A .npy file, or a recorded run, whose value at "
           "the same place is put there (activation patching)"));
    formula_->setAccessibleName(tr("What is put there"));
    row->addWidget(formula_);
    auto* file = new QPushButton(tr("File\u2026"), this);
    file->setAutoDefault(false);
    connect(file, &QPushButton::clicked, this, &ChangeDialog::chooseFile);
    row->addWidget(file);
    form->addRow(tr("Becomes"), row);
    column->addLayout(form);
    problem_ = new QLabel(this);
    problem_->setObjectName(QStringLiteral("changeProblem"));
    problem_->setProperty("bad", true);
    problem_->setWordWrap(true);
    problem_->setTextFormat(Qt::PlainText);
    column->addWidget(problem_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    apply_ = buttons->button(QDialogButtonBox::Ok);
    apply_->setText(bridge.isPaused() ? tr("Change it here") : tr("Run again with it"));
    connect(buttons, &QDialogButtonBox::accepted, this, &ChangeDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    formula_->setFocus();
    setMinimumWidth(440);
}

void ChangeDialog::chooseFile() {
    const QString file =
        EngineFiles::getOpenFileName(this, tr("What is put there"), {}, tr("Arrays and recorded runs (*.npy *.loupe)"));
    if (!file.isEmpty()) formula_->setText(file);
}

session::ValueChange ChangeDialog::change() const {
    session::ValueChange change;
    change.value = value_;
    change.slice = slice_->text().trimmed().toStdString();
    change.formula = formula_->text().trimmed().toStdString();
    return change;
}

void ChangeDialog::accept() {
    problem_->clear();
    apply_->setEnabled(false);
    bridge_.ask(QStringLiteral("change.check"), session::ChangeValueQuery{change(), true}, this,
                [this](const session::ChangedValue& checked) {
                    apply_->setEnabled(true);
                    if (!checked.error.empty()) return problem_->setText(text(checked.error));
                    makeChange(bridge_, change(), [dialog = QPointer(this)](const QString& why) {
                        if (dialog.isNull()) return;
                        dialog->problem_->setText(why);
                        if (why.isEmpty()) dialog->QDialog::accept();
                    });
                });
}

void tellRefused(SessionBridge& bridge, const QString& why) {
    bridge.addLog({SessionBridge::LogEntry::Level::Error, why.toStdString(), 0, -1, {}, {}});
}

void changeValue(SessionBridge& bridge, QWidget* window, session::ValueId value, const QString& slice) {
    auto* dialog = new ChangeDialog(bridge, value, slice, window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void makeChange(SessionBridge& bridge, session::ValueChange change, std::function<void(const QString&)> done) {
    if (!done)
        done = [&bridge](const QString& why) {
            if (!why.isEmpty()) tellRefused(bridge, why);
        };
    if (bridge.isPaused()) {
        bridge.ask(QStringLiteral("change"), session::ChangeValueQuery{change, false}, &bridge,
                   [&bridge, change, done](const session::ChangedValue& changed) {
                       done(text(changed.error));
                       if (!changed.error.empty()) return;
                       bridge.undoStack()->push(new ParkedChange(bridge, change, changed.value));
                       bridge.setCurrentEvent(changed.event);
                   });
        return;
    }
    const auto& recording = bridge.recording();
    if (!recording || change.value == 0 || change.value > recording->value_count())
        return done(QObject::tr("the value is of a run that is gone"));
    change.behind = recording->value(change.value).producer;
    done({});
    bridge.undoStack()->push(new ChangedRun(bridge, std::move(change)));
}

}  // namespace loupe::views
