// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Generation panel: text made token by token. Each token is a run that all panels show, and that can be stepped
// through.

#include "core/session/generation.h"
#include "views/common/view.h"

class QPlainTextEdit;
class QSpinBox;
class QSplitter;
class QTableView;
class QTextBrowser;
class QToolButton;
class QTreeWidget;

namespace loupe::views {

class CacheTable;
class ElidedLabel;
class EmptyHint;
class SamplingBar;
class StepTable;

class GenerationView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    GenerationView(SessionBridge& bridge, QWidget* parent);

    void find() override;
    void addActions(QMenu& menu) override;

    SamplingBar* sampling() { return sampling_; }
    QTableView* steps() { return steps_; }
    QTreeWidget* choices() { return choices_; }
    CacheTable* cache() { return cache_; }
    QString output() const;

    // So many tokens more; pauses: before the first operator of the first.
    void generate(int tokens, bool pauses = false);
    void beginAgain();
    void lookAt(int step);

  private:
    void makeBar();
    void makeText(QSplitter* splitter);
    void makeSteps(QSplitter* splitter);
    void takeModel();
    void takeTextModel();
    void takeGeneration();
    void showText();
    void showChoices();
    void showState();
    session::GenerateRequest request() const;
    bool isSame() const;  // the settings are those of the text there is

    QToolButton* next_;
    QToolButton* into_;
    QToolButton* many_;
    QSpinBox* count_;
    QToolButton* again_;
    QToolButton* stop_;
    ElidedLabel* note_;
    SamplingBar* sampling_;
    QTextBrowser* output_;
    StepTable* table_;
    QTableView* steps_;
    QTreeWidget* choices_;
    CacheTable* cache_;
    EmptyHint* hint_;
    QString path_;
    QString why_not_;  // the model makes no text
    bool can_generate_ = false;
    bool needs_text_ = true;  // false: it writes what it hears
    bool begins_ = false;
};

}  // namespace loupe::views
