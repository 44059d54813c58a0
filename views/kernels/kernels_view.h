// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Kernels panel: a pipeline's fusion groups, and their code.

#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QToolButton>
#include <QTreeWidget>

#include "views/common/empty_hint.h"
#include "views/common/view.h"

class QSplitter;

namespace loupe::views {

class KernelsView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    KernelsView(SessionBridge& bridge, QWidget* parent);

    void find() override;
    void addActions(QMenu& menu) override;
    bool isSettled() const override { return !waiting_; }

    void compile();
    // Replaces a reply of the session, for tests.
    static QString othersText(const std::vector<std::string>& others);
    void showGroups(const session::FusedGroups& groups);
    QTreeWidget* list() { return list_; }
    QTabBar* pages() { return pages_; }
    QPlainTextEdit* code() { return code_; }
    QComboBox* pipeline() { return pipeline_; }

  private:
    void makeList(QSplitter* splitter);
    void makeGroup(QSplitter* splitter);
    void showGroup();
    void nameCode(const session::FusedGroupView* group);
    void showState();
    void followCurrent();
    const session::FusedGroupView* chosen() const;

    QComboBox* pipeline_;
    QToolButton* backward_;
    QToolButton* run_;
    QLabel* summary_;
    QTreeWidget* list_;
    QLabel* facts_;
    QTabBar* pages_;
    QPlainTextEdit* code_;
    EmptyHint* hint_;
    QWidget* pane_;  // what there is to say of a group
    session::FusedGroups groups_;
    QString pipelineOfGroups_;
    bool waiting_ = false;
    bool following_ = false;
};

}  // namespace loupe::views
