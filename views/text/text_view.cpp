// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/text/text_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/session/queries/next_tokens.h"
#include "views/common/bar_delegate.h"
#include "views/common/elided_label.h"
#include "views/common/empty_hint.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"
#include "views/common/token_chips.h"
#include "views/common/token_text.h"
#include "views/text/odds_model.h"

namespace loupe::views {

namespace {

constexpr int kTypingPause = 200;  // milliseconds
constexpr int kShownChoices = 30;
constexpr int kIdRole = Qt::UserRole;

}  // namespace

ViewDescription TextView::describe() {
    return {QStringLiteral("text"), tr("Text"),
            tr("A text as the model's tokens, and what the model holds likely at each place: words with their "
               "probabilities, the rank of the word that comes, and which tokens speak for one of them."),
            QStringLiteral("text"), Place::Centre};
}

TextView::TextView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* all = new QSplitter(Qt::Vertical, this);
    auto* above = new QWidget(all);
    auto* column = new QVBoxLayout(above);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    makePrompt(above, column);
    chips_ = new TokenChips(above);
    chips_->setObjectName(QStringLiteral("tokenChips"));
    chips_->setMinimumHeight(54);
    column->addWidget(chips_, 1);
    legend_ = new QWidget(above);
    auto* line = new PanelBar(legend_, {6, 2, 6, 3});
    legend_->setLayout(line);
    auto* clear = line->button(tr("Clear"), tr("Show the tokens without numbers"));
    connect(clear, &QToolButton::clicked, this, &TextView::forgetSaliency);
    legend_text_ = line->note(200);
    legend_text_->setObjectName(QStringLiteral("saliencyText"));
    legend_->hide();
    column->addWidget(legend_);
    all->addWidget(above);
    halves_ = new QSplitter(Qt::Horizontal, all);
    makeOdds(halves_);
    all->addWidget(halves_);
    all->setSizes({200, 260});
    all->setStretchFactor(0, 2);
    all->setStretchFactor(1, 3);
    all->setChildrenCollapsible(false);
    layout->addWidget(all, 1);
    hint_ = new EmptyHint(this);
    typing_.setSingleShot(true);
    typing_.setInterval(kTypingPause);
    connect(&typing_, &QTimer::timeout, this, &TextView::tokenize);
    connect(chips_, &TokenChips::chosenChanged, this, [this](int token) { choosePlace(token); });
    connect(&bridge, &SessionBridge::modelChanged, this, &TextView::takeModel);
    connect(&bridge, &SessionBridge::textModelChanged, this, &TextView::takeTextModel);
    connect(&bridge, &SessionBridge::recordingChanged, this, &TextView::askRun);
    connect(&bridge, &SessionBridge::statusChanged, this, [this] {
        showState();
        if (!this->bridge().isBusy()) askRun();
    });
    connect(&bridge, &SessionBridge::promptChanged, this, [this] {
        if (prompt_->toPlainText() != this->bridge().prompt()) prompt_->setPlainText(this->bridge().prompt());
    });
    takeModel();
}

void TextView::makePrompt(QWidget* parent, QLayout* layout) {
    auto* row = new QHBoxLayout;
    row->setContentsMargins(6, 6, 6, 3);
    row->setSpacing(6);
    prompt_ = new QPlainTextEdit(parent);
    prompt_->setObjectName(QStringLiteral("prompt"));
    prompt_->setAccessibleName(tr("Text"));
    prompt_->setPlaceholderText(tr("Type a text; Return runs the model on it, Shift+Return begins a line"));
    prompt_->setTabChangesFocus(true);
    prompt_->setFixedHeight(2 * QFontMetrics(Theme::instance().uiFont()).lineSpacing() + 14);
    prompt_->installEventFilter(this);
    connect(prompt_, &QPlainTextEdit::textChanged, this, [this] {
        bridge().setPrompt(prompt_->toPlainText());
        if (is_text_model_) typing_.start();
        showState();
    });
    row->addWidget(prompt_, 1);
    auto* right = new QVBoxLayout;
    right->setSpacing(2);
    run_ = new QToolButton(parent);
    run_->setText(tr("Run"));
    run_->setIcon(themeIcon(QStringLiteral("run")));
    run_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    run_->setObjectName(QStringLiteral("runText"));
    run_->setProperty("action", true);
    connect(run_, &QToolButton::clicked, this, &TextView::run);
    right->addWidget(run_);
    row_ = new QComboBox(parent);
    row_->setAccessibleName(tr("Which tokens"));
    row_->setToolTip(tr("The tokens of the encoder, or those of the decoder"));
    row_->hide();
    connect(row_, &QComboBox::activated, this, &TextView::showRow);
    right->addWidget(row_);
    right->addStretch(1);
    row->addLayout(right);
    static_cast<QVBoxLayout*>(layout)->addLayout(row);
    count_ = new QLabel(parent);
    count_->setObjectName(QStringLiteral("tokenCount"));
    count_->setProperty("faint", true);
    count_->setContentsMargins(8, 0, 8, 2);
    count_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(count_);
}

void TextView::makeOdds(QSplitter* splitter) {
    odds_ = new OddsModel([this](std::int64_t first) { askOdds(first); }, this);
    table_ = new QTableView(splitter);
    table_->setObjectName(QStringLiteral("oddsTable"));
    table_->setAccessibleName(tr("What the model holds likely, by place"));
    table_->setModel(odds_);
    table_->setItemDelegate(new BarDelegate(table_));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(QFontMetrics(Theme::instance().monoFont()).height() + 6);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    const int widths[] = {28, 76, 76, 60, 44, 54, 116, 110, 110, 110, 110};
    for (int column = 0; column < OddsModel::kColumns; ++column) table_->setColumnWidth(column, widths[column]);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (index.isValid() && index.row() < static_cast<int>(odds_->odds().size()))
            choosePlace(odds_->odds()[static_cast<std::size_t>(index.row())].place);
    });
    splitter->addWidget(table_);
    odds_hint_ = new EmptyHint(table_);
    auto* side = new QWidget(splitter);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    place_text_ = new QLabel(side);
    place_text_->setObjectName(QStringLiteral("placeText"));
    place_text_->setWordWrap(true);
    place_text_->setTextFormat(Qt::PlainText);
    place_text_->setContentsMargins(8, 4, 8, 4);
    place_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(place_text_);
    choices_ = new QTreeWidget(side);
    choices_->setObjectName(QStringLiteral("choices"));
    choices_->setAccessibleName(tr("The likeliest tokens of the place"));
    choices_->setRootIsDecorated(false);
    choices_->setUniformRowHeights(true);
    choices_->setHeaderLabels({tr("Word"), tr("Probability")});
    choices_->setItemDelegate(new BarDelegate(choices_));
    choices_->header()->setStretchLastSection(true);
    choices_->setColumnWidth(0, 100);
    connect(choices_, &QTreeWidget::itemActivated, this, &TextView::explain);
    connect(choices_, &QTreeWidget::currentItemChanged, this, &TextView::showState);
    column->addWidget(choices_, 1);
    auto* bar = new PanelBar(side, {6, 3, 6, 4});
    explain_ = bar->action(tr("Which tokens matter?"), QStringLiteral("explainWord"));
    connect(explain_, &QToolButton::clicked, this, &TextView::explain);
    column->addLayout(bar);
    splitter->addWidget(side);
    splitter->setSizes({450, 190});
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
}

template <typename Query>
void TextView::ask(const QString& what, Query query, std::function<void(const typename Query::Answer&)> reply) {
    waiting_ += what;
    const QString tag = QStringLiteral("text.%1.%2").arg(what).arg(reinterpret_cast<quintptr>(this));
    bridge().ask(tag, std::move(query), this,
                 [this, what, reply = std::move(reply)](const typename Query::Answer& answer) {
                     waiting_ -= what;
                     reply(answer);
                 });
}

// --- the text

void TextView::takeModel() {
    const auto& model = bridge().model();
    const QString path = model ? text(model->path) : QString();
    if (path == path_ && model) return showState();
    path_ = path;
    is_text_model_ = bridge().takesText();
    typed_ = {};
    typed_of_.clear();
    ran_ = {};
    ran_in_ = nullptr;
    chosen_place_ = -1;
    odds_->clear();
    chips_->setTokens({});
    choices_->clear();
    place_text_->clear();
    forgetSaliency();
    showState();
}

void TextView::takeTextModel() {
    is_text_model_ = bridge().takesText();
    if (is_text_model_) {
        typed_.most_tokens = bridge().textModel().most_tokens;
        emit bridge().panelWanted(QStringLiteral("text"));
        if (!prompt_->toPlainText().isEmpty()) tokenize();
    }
    showState();
}

void TextView::tokenize() {
    typing_.stop();
    if (!is_text_model_) return;
    const QString of = prompt_->toPlainText();
    ask(QStringLiteral("tokenize"), session::TokenizeQuery{of.toStdString(), {}},
        [this, of](const session::TokenizedText& answer) { showTyped(answer, of); });
}

void TextView::showTyped(const session::TokenizedText& answer, const QString& of) {
    typed_ = answer;
    typed_of_ = of;
    if (of != prompt_->toPlainText()) return;  // typed on meanwhile
    const auto isSame = [&] {
        const auto& shown = chips_->tokens();
        return shown.size() == typed_.tokens.size() &&
               std::equal(shown.begin(), shown.end(), typed_.tokens.begin(),
                          [](const auto& a, const auto& b) { return a.id == b.id; });
    };
    if (typed_.error.empty() && !isSame()) {
        forgetSaliency();
        chips_->setTokens(typed_.tokens);
        odds_->clear();
        choices_->clear();
        place_text_->clear();
        chosen_place_ = -1;
        ran_ = {};
    }
    if (runs_when_typed_ && typed_.error.empty()) {
        runs_when_typed_ = false;
        bridge().setInputs(typed_.inputs);
        bridge().run();
    }
    runs_when_typed_ = false;
    showState();
}

void TextView::run() {
    if (!run_->isEnabled()) return;
    runs_when_typed_ = true;
    tokenize();
}

bool TextView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == prompt_ && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isReturn = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (isReturn && !key->modifiers().testFlag(Qt::ShiftModifier)) {
            run();
            return true;
        }
    }
    return View::eventFilter(watched, event);
}

// --- the run

void TextView::askRun() {
    const auto& recording = bridge().recording();
    if (bridge().isBusy()) return;
    if (!recording) {
        ran_in_ = nullptr;
        return showState();
    }
    if (ran_in_ == recording && was_complete_) return;
    ran_in_ = recording;
    was_complete_ = recording->is_complete();
    ask(QStringLiteral("run"), session::RunTokensQuery{}, [this, recording](const session::RunTokensAnswer& answer) {
        if (recording == this->bridge().recording()) showRun(answer);
    });
}

void TextView::showRun(const session::RunTokensAnswer& run) {
    if (run.rows.empty()) return showState();
    ran_ = run;
    const int before = row_->currentIndex();
    row_->clear();
    for (const session::TokenRow& each : run.rows) row_->addItem(text(each.argument));
    row_->setVisible(run.rows.size() > 1);
    row_->setCurrentIndex(std::clamp(before, 0, row_->count() - 1));
    odds_->setFillsGaps(run.fills_gaps);
    showRow();
    if (run.logits != 0) askOdds(0);
}

void TextView::showRow() {
    const auto at = static_cast<std::size_t>(std::max(0, row_->currentIndex()));
    if (at >= ran_.rows.size()) return;
    const auto& row = ran_.rows[at];
    std::vector<session::TokenInfo> tokens = row.tokens;
    // What the tokenizer put around the text is known of the text.
    for (std::size_t i = 0; i < tokens.size() && i < typed_.tokens.size(); ++i)
        if (tokens[i].id == typed_.tokens[i].id) tokens[i].is_added = typed_.tokens[i].is_added;
    const auto& made = bridge().generation();
    const bool isMade =
        made && at == 0 && !made->tokens.empty() && tokens.size() >= made->prompt.size() && row.held > 0;
    chips_->setTokens(std::move(tokens), isMade ? static_cast<int>(made->prompt.size()) : -1);
    if (saliency_.tokens.empty())
        legend_->hide();
    else
        showScores();
    showState();
}

void TextView::askOdds(std::int64_t first) {
    session::NextTokensQuery query;
    query.first = first;
    query.count = OddsModel::kPage;
    query.top = OddsModel::kChoices;
    ask(QStringLiteral("odds"), query, [this, first](const session::NextTokens& next) {
        if (!next.error.empty()) {
            odds_->clear();
            place_text_->setText(text(next.error));
            return showState();
        }
        odds_->add(next, first == 0);
        if (first == 0 && !next.odds.empty()) {
            // The place that was chosen; else the last, where the text goes on.
            const bool isThere = odds_->rowOf(chosen_place_) >= 0 && !bridge().generation();
            choosePlace(isThere ? chosen_place_ : next.first_place + next.places - 1);
            askChoices(chosen_place_);
        }
        showState();
    });
}

void TextView::choosePlace(std::int64_t place) {
    if (choosing_) return;
    choosing_ = true;
    const bool isOther = place != chosen_place_;
    chosen_place_ = place;
    const bool isScored = row_->currentIndex() < 0 || row_->currentIndex() == ran_.scored_row;
    if (isScored) chips_->setChosen(static_cast<int>(place));
    const int row = isScored ? odds_->rowOf(place) : -1;
    if (row >= 0 && table_->currentIndex().row() != row) table_->setCurrentIndex(odds_->index(row, 0));
    choosing_ = false;
    if (isOther && isScored) askChoices(place);
}

void TextView::askChoices(std::int64_t place) {
    const std::int64_t row = place - odds_->firstPlace();
    if (row < 0 || row >= odds_->places()) {
        choices_->clear();
        place_text_->setText(ran_.logits != 0 ? tr("This run has no scores of this place.") : QString());
        return showState();
    }
    session::NextTokensQuery query;
    query.first = row;
    query.count = 1;
    query.top = kShownChoices;
    ask(QStringLiteral("choices"), query, [this](const session::NextTokens& next) { showChoices(next); });
}

void TextView::showChoices(const session::NextTokens& next) {
    choices_->clear();
    if (!next.error.empty() || next.odds.empty()) return;
    shown_place_ = next.odds.front();
    const session::PlaceOdds& place = shown_place_;
    QString words = ran_.fills_gaps ? tr("At %1 (#%2)").arg(visibleToken(place.token)).arg(place.place)
                                    : tr("After %1 (#%2)").arg(visibleToken(place.token)).arg(place.place);
    if (std::isnan(place.entropy))
        words += tr(": the logits hold NaN or Inf.");
    else
        words += tr(": entropy %1 of at most %2 nats")
                     .arg(place.entropy, 0, 'f', 2)
                     .arg(std::log(static_cast<double>(std::max<std::int64_t>(next.vocabulary, 1))), 0, 'f', 2);
    if (place.has_actual)
        words += tr("; %1 %2, number %3 of %4")
                     .arg(visibleToken(place.actual), ran_.fills_gaps ? tr("stands there") : tr("comes"))
                     .arg(countText(place.rank), countText(next.vocabulary)) +
                 tr(", with %1.").arg(percentText(place.probability));
    else if (!std::isnan(place.entropy))
        words += QLatin1Char('.');
    place_text_->setText(words);
    const double most = place.top.empty() ? 1 : std::max(1e-12, place.top.front().probability);
    for (const session::TokenChoice& each : place.top) {
        auto* item = new QTreeWidgetItem(choices_, {visibleToken(each.token), percentText(each.probability)});
        item->setData(0, kIdRole, QVariant::fromValue<qlonglong>(each.token.id));
        item->setData(1, BarDelegate::kShareRole, each.probability / most);
        item->setToolTip(0, describeToken(each.token));
        item->setToolTip(1, QString::number(each.probability, 'g', 6));
        item->setFont(0, Theme::instance().monoFont());
        if (place.has_actual && each.token.id == place.actual.id)
            item->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Good));
    }
    if (choices_->topLevelItemCount() > 0) choices_->setCurrentItem(choices_->topLevelItem(0));
    showState();
}

// --- which tokens matter

void TextView::explain() {
    const QTreeWidgetItem* item = choices_->currentItem();
    if (item == nullptr || !explain_->isEnabled() || ran_.rows.empty()) return;
    session::SaliencyQuery query;
    for (const session::TokenInfo& token : ran_.rows.front().tokens) query.ids.push_back(token.id);
    if (ran_.scored_row > 0)
        for (const session::TokenInfo& token : ran_.rows[static_cast<std::size_t>(ran_.scored_row)].tokens)
            query.decoder_ids.push_back(token.id);
    query.position = shown_place_.place;
    query.token = item->data(0, kIdRole).toLongLong();
    for (const session::TokenChoice& each : shown_place_.top)
        if (each.token.id == query.token) explained_ = each.token;
    legend_->show();
    legend_text_->setText(tr("running forward and backward\u2026"));
    ask(QStringLiteral("saliency"), query, [this](const session::Saliency& saliency) { showSaliency(saliency); });
    showState();
}

void TextView::showSaliency(const session::Saliency& saliency) {
    legend_->show();
    if (!saliency.error.empty()) {
        chips_->setScores({});
        legend_text_->setText(text(saliency.error));
        return;
    }
    saliency_ = saliency;
    showScores();
    legend_text_->setText(
        tr("Gradient \u00d7 embedding of the logit of %1 (%2) at #%3: red speaks for it, blue against")
            .arg(visibleToken(explained_), numberText(saliency.logit))
            .arg(shown_place_.place));
    showState();
}

// Of the row that is shown: of a model with an encoder there are the decoder's tokens too.
void TextView::showScores() {
    const bool isDecoder = row_->currentIndex() > 0;
    std::vector<double> scores;
    for (const session::TokenSaliency& each : isDecoder ? saliency_.decoder_tokens : saliency_.tokens)
        scores.push_back(each.score);
    chips_->setScores(scores);
}

void TextView::forgetSaliency() {
    saliency_ = {};
    chips_->setScores({});
    legend_->hide();
}

// --- state

QString TextView::summary() const { return count_->text(); }

void TextView::showState() {
    const auto& model = bridge().model();
    const bool isFree = model && !bridge().isBusy() && !bridge().isPaused();
    prompt_->setEnabled(is_text_model_);
    run_->setEnabled(is_text_model_ && isFree);
    run_->setToolTip(!model            ? tr("Not now: no model is open")
                     : !is_text_model_ ? tr("Not now: the model has no tokenizer; the Inputs panel feeds it")
                     : !isFree         ? tr("Not now: a run is under way; stop it first")
                                       : tr("Run the model on this text (Return)"));
    const QTreeWidgetItem* word = choices_->currentItem();
    explain_->setEnabled(isFree && word != nullptr);
    explain_->setToolTip(word == nullptr ? tr("Not now: choose a word of a run")
                         : !isFree       ? tr("Not now: a run is under way; stop it first")
                                   : tr("Colour the tokens by what they add to the logit of %1: the gradient at their "
                                        "embeddings, times the embeddings")
                                         .arg(word->text(0)));
    QString words;
    const bool isBehind = typed_of_ == prompt_->toPlainText() && ran_.rows.empty() && !chips_->tokens().empty();
    if (is_text_model_ && typed_of_ == prompt_->toPlainText() && !typed_.error.empty()) {
        words = text(typed_.error);
    } else if (!chips_->tokens().empty()) {
        words = counted(static_cast<std::int64_t>(chips_->tokens().size()), "token");
        if (typed_.most_tokens > 0 && is_text_model_) words += tr(" of at most %1").arg(countText(typed_.most_tokens));
        std::int64_t count = 0;
        const double loss = odds_->meanLoss(&count);
        if (isBehind)
            words += tr(", not run yet");
        else if (count > 0 && std::isfinite(loss))
            words += tr("; loss %1, perplexity %2 over %3")
                         .arg(loss, 0, 'f', 3)
                         .arg(std::exp(loss), 0, 'f', 1)
                         .arg(counted(count, "token"));
        const auto held = std::ranges::find_if(ran_.rows, [](const session::TokenRow& row) { return row.held > 0; });
        if (held != ran_.rows.end()) words += tr("; %1 of them in the cache").arg(held->held);
    }
    count_->setText(words);
    QString hint;
    if (!model)
        hint = tr("Open a language model: a Hugging Face folder with config.json, weights and tokenizer.json.");
    else if (!is_text_model_ && chips_->tokens().empty())
        hint = whyNoText();
    hint_->say(hint);
    const bool isEmpty = odds_->rowCount() == 0 && hint.isEmpty();
    odds_hint_->say(isEmpty
                        ? tr("What the model holds likely at each place of the text is listed here when it has run.")
                        : QString());
}

// A model that is shown and not run, or a tokenizer that is missing or damaged, says why itself.
QString TextView::whyNoText() const {
    if (bridge().recording() && !bridge().isBusy()) return tr("This model was run on no tokens.");
    if (!bridge().model()->cannot_run.empty()) return tr("Nothing to run: %1.").arg(text(bridge().model()->cannot_run));
    const QString why = text(bridge().textModel().error);
    const QString later = tr("Where the model looks up tokens, they are shown here once it has run (F5).");
    return why.isEmpty() ? later : tr("No text: %1.\n%2").arg(why, later);
}

void TextView::find() {
    prompt_->setFocus();
    prompt_->selectAll();
}

QJsonObject TextView::keptState() const {
    QJsonObject state = View::keptState();
    const QString typed = prompt_->toPlainText();
    if (!typed.isEmpty()) state[QStringLiteral("prompt")] = typed;
    return state;
}

void TextView::takeState(const QJsonObject& state) {
    View::takeState(state);
    constexpr int kMost = 100'000;
    const QString typed = state[QStringLiteral("prompt")].toString();
    if (!typed.isEmpty() && typed.size() <= kMost) prompt_->setPlainText(typed);
}

void TextView::copyTokens() const {
    QStringList lines;
    for (const session::TokenInfo& token : chips_->tokens())
        lines += QStringLiteral("%1\t%2").arg(token.id).arg(text(token.token));
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void TextView::addActions(QMenu& menu) {
    menu.addAction(tr("Copy the tokens with their ids"), this, &TextView::copyTokens)
        ->setEnabled(!chips_->tokens().empty());
    menu.addAction(tr("Which tokens matter for the chosen word"), this, &TextView::explain)
        ->setEnabled(explain_->isEnabled());
}

}  // namespace loupe::views
