// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/inputs/backward_form.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QStyle>
#include <QVBoxLayout>

#include "core/model/recipes.h"
#include "core/train/training.h"
#include "views/common/elided_label.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"

namespace loupe::views {

using session::BackwardFrom;
using session::LossTarget;

namespace {

bool takesTarget(BackwardFrom::Kind kind, int own_loss) {
    if (kind == BackwardFrom::Kind::Loss) return true;
    return own_loss == 2 && (kind == BackwardFrom::Kind::Own || kind == BackwardFrom::Kind::Default);
}

// The most used losses first.
std::vector<std::string> losses() {
    std::vector<std::string> all{"CrossEntropyLoss", "MSELoss", "L1Loss", "BCEWithLogitsLoss", "BCELoss", "NLLLoss"};
    for (const session::RecipeInfo& loss : session::list_losses()) {
        if (std::find(all.begin(), all.end(), loss.name) == all.end()) all.push_back(loss.name);
    }
    return all;
}

}  // namespace

BackwardForm::BackwardForm(QWidget* parent)
    : QWidget(parent),
      kind_(new QComboBox(this)),
      detail_row_(new QWidget(this)),
      detail_(new QLineEdit(detail_row_)),
      file_(new QToolButton(detail_row_)),
      note_(new ElidedLabel(this)) {
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(3);
    kind_->setObjectName(QStringLiteral("backwardFrom"));
    kind_->setAccessibleName(tr("Backward from"));
    kind_->setToolTip(
        tr("What backward starts from. A loss can be typed with its arguments: CrossEntropyLoss(label_smoothing=0.1)"));
    kind_->setEditable(true);
    kind_->setInsertPolicy(QComboBox::NoInsert);
    kind_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    kind_->setMinimumContentsLength(8);
    auto* row = new QHBoxLayout(detail_row_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    detail_->setObjectName(QStringLiteral("backwardDetail"));
    row->addWidget(detail_, 1);
    file_->setText(QStringLiteral("\u2026"));
    file_->setToolTip(tr("From a file, or the training data"));
    file_->setAccessibleName(tr("From a file, or the training data"));
    row->addWidget(file_);
    rows->addWidget(detail_row_);
    note_->setObjectName(QStringLiteral("backwardNote"));
    rows->addWidget(note_);
    connect(kind_, &QComboBox::activated, this, &BackwardForm::kindChosen);
    connect(kind_->lineEdit(), &QLineEdit::editingFinished, this, &BackwardForm::take);
    // A typed choice shows its fields.
    connect(kind_->lineEdit(), &QLineEdit::returnPressed, this, [this] {
        take();
        if (!detail_row_->isHidden()) detail_->setFocus();
    });
    connect(detail_, &QLineEdit::editingFinished, this, &BackwardForm::take);
    connect(file_, &QToolButton::clicked, this, [this] {
        if (!takesTarget(choice_.kind, own_loss_)) return chooseFile();
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Labels of the training data"), this, [this] {
            detail_->setText(QStringLiteral("labels"));
            take();
        });
        menu->addAction(tr("From a file\u2026"), this, &BackwardForm::chooseFile);
        menu->popup(file_->mapToGlobal(QPoint(0, file_->height())));
    });
    fillKinds();
    setChoice({});
}

void BackwardForm::setOwnLoss(int arguments) {
    if (own_loss_ == arguments) return;
    own_loss_ = arguments;
    fillKinds();
    setChoice(choice_);
}

void BackwardForm::fillKinds() {
    const QSignalBlocker blocker(kind_);
    kind_->clear();
    if (own_loss_ > 0) kind_->addItem(tr("the source's loss"), QStringLiteral("own"));
    kind_->addItem(tr("sum of outputs"), QStringLiteral("sum"));
    kind_->addItem(tr("mean of outputs"), QStringLiteral("mean"));
    for (const std::string& loss : losses()) kind_->addItem(text(loss), text(loss) + QStringLiteral("()"));
    kind_->addItem(tr("one element of an output"), QStringLiteral("out0[0]"));
    kind_->addItem(tr("gradients from a file"), QStringLiteral("cotangents:"));
}

void BackwardForm::setChoice(const BackwardFrom& from) {
    using Kind = BackwardFrom::Kind;
    choice_ = from;
    showing_ = true;
    // Shows the meaning of Default for this model.
    const Kind kind = from.kind != Kind::Default ? from.kind : own_loss_ > 0 ? Kind::Own : Kind::Sum;
    switch (kind) {
        case Kind::Default:
        case Kind::Sum:
            kind_->setCurrentIndex(kind_->findData(QStringLiteral("sum")));
            break;
        case Kind::Mean:
            kind_->setCurrentIndex(kind_->findData(QStringLiteral("mean")));
            break;
        case Kind::Own:
            if (const int own = kind_->findData(QStringLiteral("own")); own >= 0)
                kind_->setCurrentIndex(own);
            else
                kind_->setEditText(QStringLiteral("own"));
            break;
        case Kind::Loss:
            if (const int loss = kind_->findData(text(from.loss)); loss >= 0)
                kind_->setCurrentIndex(loss);
            else
                kind_->setEditText(text(from.loss));
            break;
        case Kind::Element:
            kind_->setCurrentIndex(kind_->findData(QStringLiteral("out0[0]")));
            break;
        case Kind::Cotangents:
            kind_->setCurrentIndex(kind_->findData(QStringLiteral("cotangents:")));
            break;
    }
    if (kind == Kind::Element)
        detail_->setText(text(session::loss_text(from)));
    else if (kind == Kind::Cotangents)
        detail_->setText(text(from.file));
    else
        detail_->setText(text(session::target_text(from.target)));
    kind_->lineEdit()->setCursorPosition(0);
    showing_ = false;
    showDetail();
}

// The field of the choice, and what is missing in it.
void BackwardForm::showDetail() {
    using Kind = BackwardFrom::Kind;
    const Kind kind = choice_.kind;
    const bool has_target = takesTarget(kind, own_loss_);
    detail_row_->setVisible(has_target || kind == Kind::Element || kind == Kind::Cotangents);
    file_->setVisible(kind != Kind::Element);
    detail_->setAccessibleName(has_target ? tr("Target") : kind == Kind::Element ? tr("Element") : tr("File"));
    detail_->setPlaceholderText(has_target              ? tr("target: 3, [1, 7], labels, a file")
                                : kind == Kind::Element ? tr("out0[0, 3]")
                                                        : tr("an .npz with cot0, cot1"));
    detail_->setToolTip(has_target ? tr("A value as Python writes it (one number stands for all), `labels` for those "
                                        "of the training data, or a file: targets.npy, data.npz:y")
                        : kind == Kind::Element ? tr("Output and index: out0[0, 3]")
                                                : tr("Gradients of the outputs: cot0, cot1, ..."));
    QString note;
    if (kind == Kind::Default && own_loss_ == 2 && choice_.target.source == LossTarget::Source::None) {
        note = tr("takes a target; until then: sum of outputs");
    } else if (choice_.target.source == LossTarget::Source::Data) {
        note = data_.path.empty()
                   ? tr("Labels of the made-up training data, of its first examples")
                   : tr("Labels of the first examples of %1").arg(text(data_.path).section(QLatin1Char('/'), -1));
    }
    showError({});
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
    setVisible(!detail_row_->isHidden() || !note_->isHidden());
}

void BackwardForm::showError(const QString& error) {
    note_->setProperty("bad", !error.isEmpty());
    note_->style()->unpolish(note_);  // the property is read again
    note_->style()->polish(note_);
    note_->setText(error);
    note_->setVisible(!error.isEmpty());
    setVisible(!detail_row_->isHidden() || !note_->isHidden());
}

QString BackwardForm::error() const { return note_->property("bad").toBool() ? note_->text() : QString(); }

void BackwardForm::kindChosen() {
    detail_->clear();
    if (kind_->currentData().toString() == QLatin1String("out0[0]")) detail_->setText(QStringLiteral("out0[0]"));
    take();
    if (!detail_row_->isHidden()) detail_->setFocus();
}

// An entry of the list by its value, else the typed text.
QString BackwardForm::kindText() const {
    const int entry = kind_->findText(kind_->currentText());
    return entry >= 0 ? kind_->itemData(entry).toString() : kind_->currentText().trimmed();
}

void BackwardForm::take() {
    if (showing_) return;
    QString loss = kindText();
    QString target = detail_->text().trimmed();
    if (loss == QLatin1String("out0[0]"))
        loss = target.isEmpty() ? loss : target, target.clear();
    else if (loss == QLatin1String("cotangents:"))
        loss += target, target.clear();
    else if (loss == QLatin1String("sum") || loss == QLatin1String("mean"))
        target.clear();
    // The source's loss without its target is still Default: the sum is used instead.
    if (loss == QLatin1String("own") && own_loss_ == 2 && target.isEmpty()) loss.clear();
    try {
        using Kind = BackwardFrom::Kind;
        BackwardFrom from = session::parse_backward_from(loss.toStdString());
        // The field's text is a target unless it is an element or a file of the previous choice.
        const bool was_target = choice_.kind != Kind::Element && choice_.kind != Kind::Cotangents;
        const bool takes = from.kind == Kind::Loss || from.kind == Kind::Own || from.kind == Kind::Default;
        if (takes && was_target) from = session::parse_backward_from(loss.toStdString(), target.toStdString());
        if (from.target.source == LossTarget::Source::Data) from.target.data = data_;
        const bool is_same = session::loss_text(from) == session::loss_text(choice_) &&
                             session::target_text(from.target) == session::target_text(choice_.target);
        setChoice(from);
        if (!is_same) emit changed();
    } catch (const std::exception& error) {
        // The typed text and the previous choice are kept.
        showError(text(error.what()));
    }
}

void BackwardForm::chooseFile() {
    const bool gradients = choice_.kind == BackwardFrom::Kind::Cotangents;
    const QString file =
        EngineFiles::getOpenFileName(this, gradients ? tr("Gradients of the outputs") : tr("Target"), {},
                                     gradients ? tr("Arrays (*.npz)") : tr("Arrays (*.npy *.npz *.pt)"));
    if (file.isEmpty()) return;
    detail_->setText(file);
    take();
}

}  // namespace loupe::views
