// SPDX-License-Identifier: GPL-3.0-or-later
// The Source panel while a run is pinned: the shown file beside the reference's.

#include <Qsci/qsciscintilla.h>

#include <QStackedWidget>
#include <QToolButton>

#include "views/common/comparison.h"
#include "views/common/format.h"
#include "views/common/reference_texts.h"
#include "views/common/text_diff.h"
#include "views/common/theme.h"
#include "views/source/source_view.h"

namespace loupe::views {

void SourceView::makeDiff() {
    stack_ = new QStackedWidget(this);
    diff_ = new TextDiff(DiffText::Language::Python, stack_);
    for (DiffText* side : {diff_->left(), diff_->right()}) side->setFont(Theme::instance().codeFont());
    stack_->addWidget(editor_);
    stack_->addWidget(diff_);
    connect(diff_, &TextDiff::leftLineChosen, this, &SourceView::followReference);
    connect(diff_, &TextDiff::rightLineChosen, this, [this](int line) {
        if (line >= 0) bridge().setCurrentSource({currentFile().toStdString(), line + 1, 0});
    });
}

bool SourceView::isBeside() const { return beside_->isChecked() && !beside_->isHidden(); }

void SourceView::showBeside(bool beside_reference) { beside_->setChecked(beside_reference); }

bool SourceView::differsFromReference() {
    const auto* reference = Comparison::of(bridge()).current();
    const session::SourceFile* own = shownSource();
    if (reference == nullptr || own == nullptr) return false;
    const session::SourceFile* other = partnerOf(*own, Comparison::of(bridge()), bridge().recording().get());
    if (other == nullptr) return false;
    const QStringList theirs = linesOf(text(other->text));
    const QStringList mine = linesOf(editor_->text());
    return !std::equal(theirs.begin(), theirs.end(), mine.begin(), mine.end(), [](const QString& a, const QString& b) {
        return a == b || sourceLineKey(a) == sourceLineKey(b);
    });
}

// The choice is there while a run is pinned; it says whether there is something to see.
void SourceView::takeReference() {
    const auto* reference = Comparison::of(bridge()).current();
    beside_->setVisible(reference != nullptr);
    if (reference != nullptr)
        beside_->setText(differsFromReference() ? tr("Differs from the reference") : tr("Beside the reference"));
    compareTexts();
}

void SourceView::compareTexts() {
    stack_->setCurrentIndex(isBeside() ? 1 : 0);
    if (!isBeside()) return;
    const auto& reference = *Comparison::of(bridge()).current();
    const session::SourceFile* own = shownSource();
    const session::SourceFile* other =
        own != nullptr ? partnerOf(*own, Comparison::of(bridge()), bridge().recording().get()) : nullptr;
    file_there_ = other != nullptr ? text(other->name) : QString();
    if (own == nullptr) return diff_->setNote(tr("this model has no source"));
    if (other == nullptr) {
        const QString why = whyNoSource(reference);
        return diff_->setNote(why.isEmpty() ? tr("%1 has no file like %2").arg(text(reference.label), shown_) : why);
    }
    diff_->setTexts(QStringLiteral("%1: %2").arg(text(reference.label), fileTitle(*other)), text(other->text),
                    editor_->isModified() ? tr("this run, edited") : tr("this run"), editor_->text(), sourceLineKey);
    markInDiff();
}

// The current event's line, and that of its partner; where it has none, the line beside it.
void SourceView::markInDiff() {
    if (!isBeside() || !diff_->note().isEmpty()) return;
    const session::SourcePlace place = bridge().currentSource();
    const int here = place.line > 0 && text(place.file) == currentFile() ? place.line - 1 : -1;
    int there = here >= 0 ? diff_->pair().leftOf(here) : -1;
    const auto* partner = Comparison::of(bridge()).partnerOf(bridge().currentEvent());
    if (partner != nullptr && partner->source.line > 0 && text(partner->source.file) == file_there_)
        there = partner->source.line - 1;
    diff_->setCurrentLines(there, here);
}

// A line of the reference: the event that is aligned with one of it, else the line beside it.
void SourceView::followReference(int line) {
    if (line < 0) return;
    const std::string file = file_there_.toStdString();
    const auto found = Comparison::of(bridge()).ownOf([&](const session::ReferenceEvent& event) {
        return event.source.line == line + 1 && event.source.file == file;
    });
    if (found != 0) return bridge().setCurrentEvent(found);
    if (const int here = diff_->pair().rightOf(line); here >= 0)
        bridge().setCurrentSource({currentFile().toStdString(), here + 1, 0});
}

}  // namespace loupe::views
