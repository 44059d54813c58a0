// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Text panel: a text as the model's tokens, what the model holds likely at each place, and which tokens matter for
// one of these words.

#include <QSet>
#include <QTimer>

#include "core/session/queries/next_tokens.h"
#include "core/session/queries/run_tokens.h"
#include "core/session/queries/saliency.h"
#include "core/session/queries/tokenize.h"
#include "views/common/view.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QSplitter;
class QTableView;
class QToolButton;
class QTreeWidget;

namespace loupe::views {

class ElidedLabel;
class EmptyHint;
class OddsModel;
class TokenChips;

class TextView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    TextView(SessionBridge& bridge, QWidget* parent);

    void find() override;
    bool isSettled() const override { return waiting_.isEmpty() && !typing_.isActive(); }
    QJsonObject keptState() const override;
    void takeState(const QJsonObject& state) override;
    void addActions(QMenu& menu) override;

    QPlainTextEdit* prompt() { return prompt_; }
    TokenChips* chips() { return chips_; }
    QTableView* table() { return table_; }
    QTreeWidget* choices() { return choices_; }
    QString summary() const;
    // Runs the model on the text.
    void run();
    // Which tokens matter for the chosen word.
    void explain();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void makePrompt(QWidget* parent, QLayout* layout);
    void makeOdds(QSplitter* splitter);
    void takeModel();
    void takeTextModel();
    void tokenize();
    void showTyped(const session::TokenizedText& text, const QString& of);
    void askRun();
    void showRun(const session::RunTokensAnswer& run);
    void showRow();
    void askOdds(std::int64_t first);
    void choosePlace(std::int64_t place);
    void askChoices(std::int64_t place);
    void showChoices(const session::NextTokens& next);
    void showSaliency(const session::Saliency& saliency);
    void showScores();
    void forgetSaliency();
    QString whyNoText() const;
    void showState();
    void copyTokens() const;
    template <typename Query>
    void ask(const QString& what, Query query, std::function<void(const typename Query::Answer&)> reply);

    QPlainTextEdit* prompt_;
    QToolButton* run_;
    QLabel* count_;
    QComboBox* row_;
    TokenChips* chips_;
    QWidget* legend_;
    ElidedLabel* legend_text_;
    QSplitter* halves_;
    QTableView* table_;
    OddsModel* odds_;
    QLabel* place_text_;
    QTreeWidget* choices_;
    QToolButton* explain_;
    EmptyHint* odds_hint_;
    EmptyHint* hint_;
    QTimer typing_;

    QString path_;  // of the model
    session::TokenizedText typed_;
    QString typed_of_;  // the text that it is of
    bool is_text_model_ = false;
    bool runs_when_typed_ = false;  // the run waits for the tokens
    session::RunTokensAnswer ran_;
    std::shared_ptr<const session::Recording> ran_in_;  // that was asked for
    bool was_complete_ = false;                         // then
    session::PlaceOdds shown_place_;
    session::Saliency saliency_;  // no tokens: none is shown
    session::TokenInfo explained_;
    std::int64_t chosen_place_ = -1;
    QSet<QString> waiting_;  // questions without an answer yet
    bool choosing_ = false;
};

}  // namespace loupe::views
