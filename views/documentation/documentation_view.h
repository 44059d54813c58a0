// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Documentation: the record of the current event's operator or of a searched one.

#include "views/common/view.h"
#include "views/documentation/operator_page.h"

class QCompleter;
class QLineEdit;
class QTextBrowser;
class QToolButton;
class QUrl;

namespace loupe::views {

class EmptyHint;

class DocumentationView : public View {
    Q_OBJECT

  public:
    DocumentationView(SessionBridge& bridge, QWidget* parent);
    static ViewDescription describe();

    // "aten::conv2d", "conv2d", "aten::add.Tensor". The page stays until the selection changes.
    void showOperator(const QString& name);
    // The subject of the page: a full name, or a node kind that is no operator; empty at first.
    const QString& shown() const { return shown_; }
    QTextBrowser& page() { return *page_; }

    void find() override;
    void fit() override;
    void addActions(QMenu& menu) override;
    void comeIntoSight() override;

  private:
    void makeSearch();
    void follow();
    void open(const QString& name);
    void render();
    void goBack();
    void onLink(const QUrl& url);
    void update();
    // The operator of the current event, or of the current node.
    QString currentOperator() const;
    session::EventId forwardEvent() const;
    std::vector<OperatorUse> findUses(const QString& name, std::size_t& count) const;
    OperatorUse describeUse(const session::Event& event) const;

    QLineEdit* search_;
    QCompleter* completer_ = nullptr;
    QToolButton* back_;
    QTextBrowser* page_;
    EmptyHint* hint_ = nullptr;
    QString shown_;
    QStringList seen_;  // history of pages
    bool is_stale_ = false;
};

}  // namespace loupe::views
