// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Compile panel: how to make a graph of a model source, differences of a trace, and choices, measurements and
// refusals of compiling a graph in a mode.

#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>

#include "views/common/empty_hint.h"
#include "views/common/view.h"

namespace loupe::views {

class CompileView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    CompileView(SessionBridge& bridge, QWidget* parent);

    void addActions(QMenu& menu) override;
    bool isSettled() const override { return !waiting_; }

    // Tests do.
    QToolButton* formButton(session::ModelForm form);
    QComboBox* mode() { return mode_; }
    QTreeWidget* list() { return list_; }
    QLabel* summary() { return summary_; }
    void compile();
    void checkTrace();
    void runCompiled();
    void showReport(const session::CompileReport& report);
    void showCheck(const session::TraceCheck& check);

  private:
    QLayout* makeFormBar();
    QLayout* makeModeBar();
    void makeList();
    QTreeWidgetItem* addSection(const QString& title, const QString& tip);
    QTreeWidgetItem* addRow(QTreeWidgetItem* section, const QString& what, const QString& value, const QString& tip,
                            const session::SourcePlace& place, const std::string& scope = {});
    void ask(bool forget);
    void showState();
    void fillList();
    void addTrace();
    void addCheck();
    void addFailure();
    void addReport();
    void follow(QTreeWidgetItem* item);

    QButtonGroup* forms_;
    QToolButton* check_;
    QComboBox* mode_;
    QToolButton* compile_;
    QToolButton* run_;
    QToolButton* again_;
    QLabel* summary_;
    QTreeWidget* list_;
    EmptyHint* hint_;
    session::CompileReport report_;
    session::TraceCheck checked_;
    bool waiting_ = false;
};

}  // namespace loupe::views
