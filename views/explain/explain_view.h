// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Explain panel: where one number comes from, step by step back to pixels, tokens and weights, and what it reaches.

#include <QTreeWidget>

#include "core/session/queries/explain.h"
#include "views/common/view.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace loupe::views {

class ElidedLabel;
class EmptyHint;
class SharePicture;

class ExplainView : public View {
    Q_OBJECT

  public:
    using Way = session::ExplainQuery::Way;

    static ViewDescription describe();
    ExplainView(SessionBridge& bridge, QWidget* parent);

    void find() override;
    void fit() override;
    bool isSettled() const override { return waiting_ == 0; }
    void addActions(QMenu& menu) override;
    QString emptyNote() const override;

    // Asks for an element of a recorded value, one step back.
    void explain(session::ValueId value, const session::Shape& index);
    // By name: "fc.out[0, 3]".
    void explainName(const QString& name);
    void setWay(Way way);

    QTreeWidget* tree() { return tree_; }
    SharePicture* picture() { return picture_; }
    const session::Explanation& shown() const { return shown_; }

  private:
    void ask(const session::ExplainQuery& query, const QString& tag,
             const std::function<void(const session::Explanation&)>& reply);
    void askTop();
    void showExplanation(const session::Explanation& explanation);
    void fill(QTreeWidgetItem* parent, const session::Explanation& explanation);
    QTreeWidgetItem* addGroup(QTreeWidgetItem* parent, const session::ShareGroup& group, double whole);
    void addElement(QTreeWidgetItem* parent, const session::ShareGroup& group, const session::ElementShare& share,
                    double whole);
    void nameTokens(QTreeWidgetItem* group, session::ValueId value);
    void addNote(QTreeWidgetItem* parent, const QString& text, bool isBad = false);
    void open(QTreeWidgetItem* item);
    void choose(QTreeWidgetItem* item);
    void goTo(QTreeWidgetItem* item);
    void showMenu(const QPoint& at);
    QString place(const session::Explanation& explanation) const;
    QString asText() const;
    void showHint(const QString& why);

    QLineEdit* name_;
    QToolButton* step_;
    QToolButton* to_inputs_;
    QToolButton* reach_;
    ElidedLabel* facts_;
    QLabel* sum_;
    QTreeWidget* tree_;
    SharePicture* picture_;
    QLabel* hover_;
    EmptyHint* hint_;
    session::ExplainQuery asked_;
    session::Explanation shown_;
    std::shared_ptr<const session::Recording> shown_in_;
    std::vector<session::ShareGroup> groups_;  // of the items
    std::vector<session::ExplainQuery> before_;
    int waiting_ = 0;
    int questions_ = 0;
};

}  // namespace loupe::views
