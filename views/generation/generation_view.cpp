// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/generation/generation_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "views/common/bar_delegate.h"
#include "views/common/elided_label.h"
#include "views/common/empty_hint.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"
#include "views/generation/cache_table.h"
#include "views/generation/sampling_bar.h"
#include "views/generation/step_table.h"

namespace loupe::views {
namespace {

bool takes(const session::ModelInfo& model, std::string_view argument) {
    for (const session::MethodInfo& method : model.methods)
        for (const auto& each : method.arguments)
            if (method.name == "forward" && each.name == argument) return true;
    return false;
}

}  // namespace

ViewDescription GenerationView::describe() {
    return {
        QStringLiteral("generation"), tr("Generation"),
        tr("Text made token by token: what each token was chosen from, and the keys and values that the layers keep. "
           "Each token is a run that can be stepped through; a double click shows it again."),
        QStringLiteral("generation"), Place::Bottom};
}

GenerationView::GenerationView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    makeBar();
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    makeText(splitter);
    makeSteps(splitter);
    cache_ = new CacheTable(splitter);
    splitter->addWidget(cache_);
    splitter->setSizes({190, 430, 140, 390});
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 2);
    splitter->setStretchFactor(2, 0);
    splitter->setStretchFactor(3, 1);
    layout->addWidget(splitter, 1);
    connect(cache_, &CacheTable::valueWanted, this,
            [this](session::ValueId value) { this->bridge().setCurrentValue(value); });
    hint_ = new EmptyHint(this);
    connect(&bridge, &SessionBridge::modelChanged, this, &GenerationView::takeModel);
    connect(&bridge, &SessionBridge::textModelChanged, this, &GenerationView::takeTextModel);
    connect(&bridge, &SessionBridge::statusChanged, this, &GenerationView::showState);
    connect(&bridge, &SessionBridge::promptChanged, this, &GenerationView::showState);
    connect(&bridge, &SessionBridge::generationChanged, this, &GenerationView::takeGeneration);
    connect(&Theme::instance(), &Theme::changed, this, &GenerationView::showText);
    takeModel();
}

void GenerationView::makeBar() {
    auto* bar = new PanelBar(this, {6, 4, 6, 3}, 5);
    next_ = bar->button(themeIcon(QStringLiteral("run")), tr("Next token"), QStringLiteral("nextToken"));
    next_->setProperty("action", true);
    connect(next_, &QToolButton::clicked, this, [this] { generate(1); });
    into_ = bar->button(themeIcon(QStringLiteral("step_into")), tr("Step into it"), QStringLiteral("stepIntoToken"));
    connect(into_, &QToolButton::clicked, this, [this] { generate(1, true); });
    many_ = bar->button(tr("Generate"), {}, QStringLiteral("generateTokens"));
    connect(many_, &QToolButton::clicked, this, [this] { generate(count_->value()); });
    count_ = new QSpinBox(this);
    count_->setRange(1, 100'000);
    count_->setValue(20);
    count_->setSuffix(tr(" tokens"));
    count_->setAccessibleName(tr("How many tokens"));
    count_->setButtonSymbols(QAbstractSpinBox::NoButtons);
    bar->addWidget(count_);
    again_ = bar->button(tr("Begin again"), tr("Forget the tokens that were made"), QStringLiteral("beginAgain"));
    connect(again_, &QToolButton::clicked, this, &GenerationView::beginAgain);
    stop_ = bar->button(themeIcon(QStringLiteral("stop")), tr("Stop"), QStringLiteral("stopGeneration"));
    stop_->setToolTip(tr("Stop; the tokens that came stay"));
    connect(stop_, &QToolButton::clicked, this, [this] { bridge().stop(); });
    note_ = bar->note(140);
    static_cast<QVBoxLayout*>(layout())->addLayout(bar);
    sampling_ = new SamplingBar(this);
    connect(sampling_, &SamplingBar::changed, this, &GenerationView::showState);
    layout()->addWidget(sampling_);
}

void GenerationView::makeText(QSplitter* splitter) {
    output_ = new QTextBrowser(splitter);
    output_->setObjectName(QStringLiteral("generatedText"));
    output_->setAccessibleName(tr("The text"));
    output_->setOpenLinks(false);
    output_->setFrameShape(QFrame::NoFrame);
    connect(output_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        const int step = link.toString().toInt();
        if (step < table_->rowCount()) steps_->setCurrentIndex(table_->index(step, 0));
    });
    splitter->addWidget(output_);
}

void GenerationView::makeSteps(QSplitter* splitter) {
    table_ = new StepTable(this);
    steps_ = new QTableView(splitter);
    steps_->setObjectName(QStringLiteral("stepTable"));
    steps_->setAccessibleName(tr("Tokens that were made"));
    steps_->setModel(table_);
    steps_->setItemDelegate(new BarDelegate(steps_));
    steps_->setSelectionBehavior(QAbstractItemView::SelectRows);
    steps_->setSelectionMode(QAbstractItemView::SingleSelection);
    steps_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    steps_->setShowGrid(false);
    steps_->setWordWrap(false);
    steps_->verticalHeader()->hide();
    steps_->verticalHeader()->setDefaultSectionSize(QFontMetrics(Theme::instance().monoFont()).height() + 6);
    steps_->horizontalHeader()->setHighlightSections(false);
    steps_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const int widths[] = {28, 76, 60, 68, 42, 54, 54, 64, 68};
    for (int column = 0; column < StepTable::kColumns; ++column) steps_->setColumnWidth(column, widths[column]);
    connect(steps_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        showChoices();
        showText();
    });
    connect(steps_, &QTableView::activated, this, [this](const QModelIndex& index) { lookAt(index.row()); });
    splitter->addWidget(steps_);
    choices_ = new QTreeWidget(splitter);
    choices_->setObjectName(QStringLiteral("stepChoices"));
    choices_->setAccessibleName(tr("What the token was chosen from"));
    choices_->setRootIsDecorated(false);
    choices_->setUniformRowHeights(true);
    choices_->setHeaderLabels({tr("Chosen from"), tr("Probability")});
    choices_->setItemDelegate(new BarDelegate(choices_));
    choices_->header()->setStretchLastSection(true);
    choices_->setColumnWidth(0, 80);
    splitter->addWidget(choices_);
}

// --- orders

session::GenerateRequest GenerationView::request() const {
    session::GenerateRequest request;
    request.settings.text = bridge().prompt().toStdString();
    request.settings.sampling = sampling_->sampling();
    request.settings.seed = sampling_->seed();
    request.run = bridge().runOptions();
    request.run.inputs.clear();
    return request;
}

void GenerationView::generate(int tokens, bool pauses) {
    if (bridge().isPaused()) return bridge().run();  // to the end of the token under way
    if (!next_->isEnabled()) return;
    session::GenerateRequest wanted = request();
    wanted.tokens = tokens;
    wanted.pause_at_start = pauses;
    wanted.begins = std::exchange(begins_, false);
    bridge().generate(wanted);
}

void GenerationView::beginAgain() {
    begins_ = true;
    table_->setGeneration(nullptr);
    cache_->setGeneration(nullptr);
    showText();
    showChoices();
    showState();
}

void GenerationView::lookAt(int step) {
    const auto& made = bridge().generation();
    if (!made || step < 0 || step >= static_cast<int>(made->tokens.size()) || bridge().isBusy() || bridge().isPaused())
        return;
    session::GenerateRequest wanted = request();
    wanted.settings = made->settings;
    wanted.look_at = step;
    bridge().generate(wanted);
}

// --- what there is

void GenerationView::takeModel() {
    const auto& model = bridge().model();
    const QString path = model ? text(model->path) : QString();
    if (path == path_ && model) return showState();
    path_ = path;
    begins_ = false;
    takeGeneration();
    takeTextModel();
}

void GenerationView::takeTextModel() {
    const session::TokenizedText& taken = bridge().textModel();
    can_generate_ = bridge().takesText() && taken.can_generate;
    needs_text_ = !bridge().model() || takes(*bridge().model(), "input_ids");
    why_not_ = taken.error.empty() ? QString() : tr("This model makes no text: %1.").arg(text(taken.error));
    if (bridge().takesText() && !can_generate_) why_not_ = tr("This model gives no scores of the next token.");
    if (can_generate_) sampling_->setSampling(taken.sampling);
    showState();
}

void GenerationView::takeGeneration() {
    const auto& made = bridge().generation();
    const bool wasLast = steps_->currentIndex().row() == table_->rowCount() - 1 || !steps_->currentIndex().isValid();
    table_->setGeneration(made);
    cache_->setGeneration(made.get());
    if (made && !made->tokens.empty() && (wasLast || made->shown >= 0)) {
        const int row = made->shown >= 0 ? static_cast<int>(made->shown) : table_->rowCount() - 1;
        steps_->setCurrentIndex(table_->index(row, 0));
        steps_->scrollTo(table_->index(row, 0));
    }
    showText();
    showChoices();
    showState();
}

bool GenerationView::isSame() const {
    const auto& made = bridge().generation();
    if (!made || begins_) return false;
    const session::GenerateRequest wanted = request();
    const auto &a = made->settings.sampling, &b = wanted.settings.sampling;
    return made->settings.text == wanted.settings.text && made->settings.seed == wanted.settings.seed &&
           a.samples == b.samples && a.temperature == b.temperature && a.top_k == b.top_k && a.top_p == b.top_p &&
           a.min_p == b.min_p && a.repetition_penalty == b.repetition_penalty;
}

QString GenerationView::output() const { return output_->toPlainText(); }

void GenerationView::showText() {
    const auto& made = bridge().generation();
    const Theme& theme = Theme::instance();
    if (!made || begins_) return output_->clear();
    const auto written = [](const QString& raw) {
        QString html = raw.toHtmlEscaped();
        return html.replace(QLatin1Char('\n'), QStringLiteral("<br>"))
            .replace(QStringLiteral("  "), QStringLiteral(" \u00a0"));
    };
    QString html = QStringLiteral("<span style='color:%1'>%2</span>")
                       .arg(theme.colour(Theme::Colour::Faint).name(), written(text(made->settings.text)));
    // Tokens that are parts of characters have no text of their own: then the whole stands in one piece.
    QString joined;
    for (const auto& token : made->tokens) joined += token.token.is_special ? QString() : text(token.token.text);
    const bool isWhole = joined != text(made->text) && joined.trimmed() != text(made->text).trimmed();
    if (isWhole) {
        html += QStringLiteral("<span style='color:%1'>%2</span>")
                    .arg(theme.colour(Theme::Colour::Text).name(), written(text(made->text)));
    } else {
        const int chosen = steps_->currentIndex().row();
        for (int i = 0; i < static_cast<int>(made->tokens.size()); ++i) {
            const auto& token = made->tokens[static_cast<std::size_t>(i)].token;
            html += QStringLiteral("<a href='%1' style='text-decoration:none; color:%2;%3'>%4</a>")
                        .arg(i)
                        .arg(theme.colour(token.is_special ? Theme::Colour::Faint : Theme::Colour::Text).name(),
                             i == chosen
                                 ? QStringLiteral(" background-color:") + theme.colour(Theme::Colour::AccentBack).name()
                                 : QString(),
                             written(text(token.text)));
        }
    }
    output_->setHtml(QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(html));
}

void GenerationView::showChoices() {
    choices_->clear();
    const auto& made = bridge().generation();
    const int row = steps_->currentIndex().row();
    if (!made || begins_ || row < 0 || row >= static_cast<int>(made->tokens.size())) return;
    const session::GeneratedToken& token = made->tokens[static_cast<std::size_t>(row)];
    const double most = token.choices.empty() ? 1 : std::max(1e-12, token.choices.front().probability);
    for (const session::TokenChoice& each : token.choices) {
        auto* item = new QTreeWidgetItem(choices_, {visibleToken(each.token), percentText(each.probability)});
        item->setData(1, BarDelegate::kShareRole, each.probability / most);
        item->setFont(0, Theme::instance().monoFont());
        item->setToolTip(0, describeToken(each.token));
        item->setToolTip(1, QString::number(each.probability, 'g', 6));
        if (each.token.id == token.token.id) item->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Good));
    }
}

void GenerationView::showState() {
    const auto& made = bridge().generation();
    const bool isFree = bridge().model() && !bridge().isBusy() && !bridge().isPaused();
    const bool hasPrompt = !needs_text_ || !bridge().prompt().isEmpty();
    const bool hasEnded = made && made->has_ended && isSame();
    const bool isReady = can_generate_ && isFree && hasPrompt && !hasEnded;
    const QString why = !can_generate_ ? tr("Not now: this model makes no text")
                        : !hasPrompt   ? tr("Not now: type a text in the panel Text first")
                        : !isFree      ? tr("Not now: a run is under way; stop it first")
                                       : tr("Not now: the text has ended; begin again");
    for (QToolButton* button : {next_, into_, many_}) button->setEnabled(isReady);
    next_->setToolTip(isReady ? tr("Run the model once: it gives one token") : why);
    into_->setToolTip(isReady ? tr("Begin the run that gives the next token, and stop before its first operator: F10 "
                                   "and F11 go on, F5 finishes the token")
                              : why);
    many_->setToolTip(isReady ? tr("So many tokens, or until the text ends; the run of the last is shown") : why);
    const bool hasTokens = made && !made->tokens.empty() && !begins_;
    again_->setEnabled(hasTokens && isFree);
    stop_->setEnabled(bridge().isBusy() || bridge().isPaused());
    sampling_->setEnabled(can_generate_);
    QString words;
    if (hasEnded)
        words = tr("%1; the text has ended").arg(counted(static_cast<std::int64_t>(made->tokens.size()), "token"));
    else if (bridge().isBusy() && !bridge().status().progress.empty())
        words = text(bridge().status().progress);
    else if (can_generate_ && bridge().isPaused())
        words = tr("Inside a run: F10 and F11 go on, F5 finishes it");
    else if (hasTokens && !isSame())
        words = tr("The prompt or the settings are others now: the next token begins anew");
    else if (hasTokens) {
        double seconds = 0;
        for (const auto& token : made->tokens) seconds += token.seconds;
        words =
            tr("%1 in %2").arg(counted(static_cast<std::int64_t>(made->tokens.size()), "token"), secondsText(seconds));
    } else if (can_generate_ && !hasPrompt)
        words = tr("Type a text in the panel Text");
    note_->setText(words);
    hint_->say(!bridge().model()
                   ? tr("Open a language model: a Hugging Face folder with config.json, weights and tokenizer.json.")
               : can_generate_      ? QString()
               : why_not_.isEmpty() ? tr("A recorded run makes no text; run its model again.")
                                    : why_not_);
}

void GenerationView::find() { next_->setFocus(); }

void GenerationView::addActions(QMenu& menu) {
    menu.addAction(tr("Generate the next token"), this, [this] { generate(1); })->setEnabled(next_->isEnabled());
    menu.addAction(tr("Copy the generated text"), this,
                   [this] {
                       QGuiApplication::clipboard()->setText(bridge().generation() ? text(bridge().generation()->text)
                                                                                   : QString());
                   })
        ->setEnabled(bridge().generation() != nullptr);
}

}  // namespace loupe::views
