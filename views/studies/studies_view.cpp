// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/studies/studies_view.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QListWidget>
#include <QProgressBar>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/elided_label.h"
#include "views/common/empty_hint.h"
#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/panel_bar.h"
#include "views/common/panel_output.h"
#include "views/common/theme.h"
#include "views/studies/study_form.h"
#include "views/studies/study_list_delegate.h"
#include "views/studies/study_pages.h"

namespace loupe::views {

ViewDescription StudiesView::describe() {
    return {
        QStringLiteral("studies"), tr("Studies"),
        tr("Studies of the model: which pixels or tokens matter for an output, where a convolution looks, what each "
           "layer would say. Choose one, set its options, and run it: the model runs beside the run that is shown."),
        QStringLiteral("studies"), Place::Centre};
}

StudiesView::StudiesView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->addWidget(makeLeft(splitter));
    splitter->addWidget(makeRight(splitter));
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({236, 640});
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    connect(&bridge, &SessionBridge::modelChanged, this, [this] {
        showResult({});
        askList();
    });
    connect(&bridge, &SessionBridge::inputsChanged, this, &StudiesView::askList);
    connect(&bridge, &SessionBridge::statusChanged, this, &StudiesView::showChosen);
    showResult({});
    showChosen();
}

QWidget* StudiesView::makeLeft(QWidget* parent) {
    auto* left = new QWidget(parent);
    left->setMinimumWidth(200);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 6);
    column->setSpacing(4);
    list_ = new QListWidget(left);
    list_->setObjectName(QStringLiteral("studyList"));
    list_->setAccessibleName(tr("Studies"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setItemDelegate(new StudyListDelegate(list_));
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(list_, &QListWidget::currentRowChanged, this, &StudiesView::showChosen);
    connect(list_, &QListWidget::itemActivated, this, &StudiesView::run);
    column->addWidget(list_, 3);
    what_ = new QLabel(left);
    what_->setObjectName(QStringLiteral("studyWhat"));
    what_->setWordWrap(true);
    what_->setProperty("faint", true);
    what_->setTextFormat(Qt::PlainText);
    what_->setContentsMargins(10, 4, 10, 2);
    column->addWidget(what_);
    auto* scrolled = new QScrollArea(left);
    scrolled->setFrameShape(QFrame::NoFrame);
    scrolled->setWidgetResizable(true);
    scrolled->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    form_ = new StudyForm(scrolled);
    scrolled->setWidget(form_);
    column->addWidget(scrolled, 2);
    connect(form_, &StudyForm::accepted, this, &StudiesView::run);
    connect(form_, &StudyForm::changed, this, [this] {
        if (const auto* study = chosen()) given_[study->name] = form_->chosen();
    });
    auto* below = new QHBoxLayout;
    below->setContentsMargins(10, 2, 10, 0);
    run_ = new QToolButton(left);
    run_->setObjectName(QStringLiteral("studyRun"));
    run_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(run_, &QToolButton::clicked, this, [this] {
        if (waiting_)
            this->bridge().stop();
        else
            run();
    });
    below->addWidget(run_);
    progress_ = new QProgressBar(left);
    progress_->setTextVisible(false);
    progress_->setMaximumHeight(6);
    progress_->setAccessibleName(tr("Progress of the study"));
    // The button stays where it is.
    QSizePolicy policy = progress_->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    progress_->setSizePolicy(policy);
    below->addWidget(progress_, 1);
    column->addLayout(below);
    return left;
}

QWidget* StudiesView::makeRight(QWidget* parent) {
    auto* right = new QWidget(parent);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    title_ = new QLabel(right);
    title_->setObjectName(QStringLiteral("studyTitle"));
    title_->setTextFormat(Qt::PlainText);
    title_->setWordWrap(true);
    title_->setContentsMargins(12, 8, 12, 2);
    QFont font = Theme::instance().uiFont();
    font.setBold(true);
    title_->setFont(font);
    facts_ = new QLabel(right);
    facts_->setObjectName(QStringLiteral("studyFacts"));
    facts_->setTextFormat(Qt::PlainText);
    facts_->setWordWrap(true);
    facts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    facts_->setProperty("faint", true);
    facts_->setContentsMargins(12, 0, 12, 6);
    pages_ = new StudyPages(right);
    hover_ = faintLine(right);
    column->addWidget(title_);
    column->addWidget(facts_);
    column->addWidget(pages_, 1);
    column->addWidget(hover_);
    hint_ = new EmptyHint(right);
    connect(pages_, &StudyPages::hovered, this,
            [this](const QString& words) { hover_->setText(words.isEmpty() ? QStringLiteral(" ") : words); });
    connect(pages_, &StudyPages::moduleWanted, this, &StudiesView::goTo);
    return right;
}

QString StudiesView::facts() const { return facts_->text(); }
QString StudiesView::emptyNote() const { return shown_.empty() ? hint_->text() : QString(); }

// --- which there are

void StudiesView::comeIntoSight() {
    if (is_due_) askList();
}

void StudiesView::askList() {
    is_due_ = !isInSight();
    if (is_due_) return;
    if (!bridge().model()) {
        showList({});
        return;
    }
    waiting_list_ = true;
    bridge().ask(QStringLiteral("studies"), session::StudiesQuery{}, this,
                 [this](const session::StudyList& list) { showList(list); });
}

void StudiesView::showList(const session::StudyList& list) {
    waiting_list_ = false;
    const auto* before = chosen();
    const std::string name = before == nullptr ? std::string() : before->name;
    {
        const QSignalBlocker blocker(list_);
        studies_ = list.studies;
        list_->clear();
        for (const session::StudyInfo& study : studies_) {
            auto* item = new QListWidgetItem(engineWord(study.title), list_);
            const bool fits = study.why_not.empty();
            item->setData(StudyListDelegate::kSecondLine,
                          engineWord(fits ? study.paper.empty() ? study.what : study.paper : study.why_not));
            item->setData(StudyListDelegate::kFits, fits);
            item->setToolTip(
                fits ? engineWord(study.what)
                     : tr("%1\nDoes not fit this model: %2").arg(engineWord(study.what), engineWord(study.why_not)));
        }
    }
    if (!choose(name)) {
        const auto first = std::ranges::find_if(studies_, [](const auto& study) { return study.why_not.empty(); });
        list_->setCurrentRow(first == studies_.end() ? -1 : static_cast<int>(first - studies_.begin()));
    }
    showChosen();
    if (shown_.empty()) showHint(text(list.error));
}

const session::StudyInfo* StudiesView::chosen() const {
    const int row = list_->currentRow();
    return row < 0 || row >= static_cast<int>(studies_.size()) ? nullptr : &studies_[static_cast<std::size_t>(row)];
}

bool StudiesView::choose(const std::string& name) {
    const auto found = std::ranges::find(studies_, name, &session::StudyInfo::name);
    if (found == studies_.end()) return false;
    list_->setCurrentRow(static_cast<int>(found - studies_.begin()));
    return true;
}

void StudiesView::showChosen() {
    const auto* study = chosen();
    const QString name = study == nullptr ? QString() : text(study->name);
    // The form stays while its study does: what is typed is not lost.
    const bool isOther = form_->property("study").toString() != name ||
                         form_->property("model").value<void*>() != static_cast<const void*>(bridge().model().get());
    if (isOther) {
        form_->setProperty("study", name);
        form_->setProperty("model",
                           QVariant::fromValue(const_cast<void*>(static_cast<const void*>(bridge().model().get()))));
        form_->setOptions(study == nullptr ? std::vector<session::StudyOption>() : study->options,
                          study == nullptr ? std::map<std::string, std::string>() : given_[study->name]);
    }
    const bool fits = study != nullptr && study->why_not.empty();
    what_->setText(study == nullptr ? QString()
                   : fits           ? engineWord(study->what)
                                    : tr("Does not fit this model: %1.").arg(engineWord(study->why_not)));
    form_->setVisible(fits);
    const bool isPanel = fits && !study->panel.empty();
    run_->setIcon(themeIcon(waiting_ ? QStringLiteral("stop") : QStringLiteral("run")));
    run_->setText(waiting_ ? tr("Stop") : isPanel ? tr("Open its panel") : tr("Run study"));
    const bool isBusy = bridge().isBusy() || bridge().isPaused();
    const QString whyNot = waiting_ ? QString()
                           : !fits  ? study == nullptr ? tr("no study is chosen") : engineWord(study->why_not)
                           : !isPanel && isBusy ? tr("a run is under way; stop it first")
                                                : QString();
    run_->setEnabled(whyNot.isEmpty());
    run_->setToolTip(!whyNot.isEmpty() ? whyNot
                     : waiting_        ? tr("Ends the study")
                                       : tr("Runs the model, beside the run that is shown"));
    progress_->setVisible(waiting_);
}

void StudiesView::showHint(const QString& why) {
    hint_->say(!why.isEmpty()      ? why
               : !bridge().model() ? tr("Open a model: what can be studied of it is listed here.")
                                   : tr("Choose a study and run it."));
}

// --- one of them

void StudiesView::run() {
    const auto* study = chosen();
    if (study == nullptr || !run_->isEnabled() || waiting_) return;
    if (!study->panel.empty()) return bridge().showPanel(text(study->panel));
    ask({});
}

void StudiesView::ask(const QString& file) {
    const auto* study = chosen();
    if (study == nullptr) return;
    session::StudyQuery query;
    query.name = study->name;
    query.options = form_->chosen();
    query.file = file.toStdString();
    waiting_ = true;
    progress_->setRange(0, 0);
    showChosen();
    bridge().ask(
        QStringLiteral("study"), query, this,
        [this, name = study->name](const session::StudyResult& result) {
            waiting_ = false;
            shown_ = result.error.empty() ? name : std::string();
            showResult(result);
            showChosen();
        },
        [this](const session::StudyProgress& step) {
            progress_->setRange(0, static_cast<int>(step.of));
            progress_->setValue(static_cast<int>(step.done));
            progress_->setToolTip(tr("%1 %2 of %3").arg(text(step.what)).arg(step.done + 1).arg(step.of));
        });
}

void StudiesView::showResult(const session::StudyResult& result) {
    const bool isEmpty = result.title.empty() || !result.error.empty();
    if (isEmpty) shown_.clear();
    pages_->setResult(isEmpty ? session::StudyResult() : result);
    pages_->setVisible(!isEmpty);
    title_->setText(isEmpty ? QString() : text(result.title));
    QStringList lines;
    if (!isEmpty)
        for (const std::string& fact : result.facts) lines += text(fact);
    facts_->setText(lines.join(QLatin1Char('\n')));
    title_->setVisible(!isEmpty);
    facts_->setVisible(!lines.isEmpty());
    hover_->setText(QStringLiteral(" "));
    if (isEmpty)
        showHint(text(result.error));
    else
        hint_->say({});
}

// The last event of the module in the run that is shown, and what it gave; without a run the module.
void StudiesView::goTo(const QString& module, const QString& slice) {
    const auto& recording = bridge().recording();
    const std::string path = module.toStdString();
    for (std::size_t i = bridge().eventCount(); recording && i > 0; --i) {
        const session::Event& event = recording->event(static_cast<session::EventId>(i));
        const bool isInside = event.scope == path || event.scope.starts_with(path + ".");
        if (event.phase != session::RunPhase::Forward || !isInside || event.outputs.empty()) continue;
        bridge().setCurrentEvent(event.id);
        if (event.outputs.front() != 0) bridge().setCurrentValue(event.outputs.front(), slice);
        if (!slice.isEmpty()) bridge().showPanel(QStringLiteral("tensor"));
        return;
    }
    bridge().setCurrentModule(module);
    hover_->setText(tr("%1 has not run: run the model (F5) to look at its output in Tensor").arg(module));
}

// --- actions

void StudiesView::find() { list_->setFocus(); }
void StudiesView::fit() { pages_->fit(); }

void StudiesView::savePicture() {
    const QString file = QFileDialog::getSaveFileName(this, tr("Save picture"), text(shown_) + QStringLiteral(".png"),
                                                      tr("Pictures (*.png *.svg *.pdf)"));
    if (file.isEmpty()) return;
    const QString error = savePanel(*pages_, file);
    if (!error.isEmpty()) bridge().addLog({SessionBridge::LogEntry::Level::Error, error.toStdString(), 0, -1, {}, {}});
}

void StudiesView::saveNumbers() {
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save the numbers"), text(shown_) + QStringLiteral(".npz"), tr("NumPy archives (*.npz)"));
    if (!file.isEmpty()) ask(file);
}

void StudiesView::addActions(QMenu& menu) {
    const bool isShown = !shown_.empty();
    menu.addAction(tr("Save picture of the study..."), this, &StudiesView::savePicture)->setEnabled(isShown);
    const auto* study = chosen();
    QAction* numbers =
        menu.addAction(tr("Run the study and save its numbers as .npz..."), this, &StudiesView::saveNumbers);
    numbers->setEnabled(isShown && study != nullptr && study->panel.empty() && run_->isEnabled() && !waiting_);
    menu.addAction(
            tr("Copy what the study says"), this,
            [this] { QGuiApplication::clipboard()->setText(title_->text() + QLatin1Char('\n') + facts_->text()); })
        ->setEnabled(isShown);
}

}  // namespace loupe::views
