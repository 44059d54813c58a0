// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Help: the pages of documentation beside the window, with their contents and a search over all of them.

#include <QWidget>

#include "app/window/help_pages.h"

class QLineEdit;
class QTextBrowser;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;
class QUrl;

namespace loupe::window {

class HelpWindow : public QWidget {
    Q_OBJECT

  public:
    explicit HelpWindow(std::vector<HelpPage> pages, QWidget* parent = nullptr);

    const std::vector<HelpPage>& pages() const { return pages_; }
    // Shows a page at a heading, by its text; without one at its top. Ignores an unknown page.
    void showPage(const QString& name, const QString& heading = {});
    // The name of the current page.
    QString page() const;

  signals:
    // A link "panel:events" was followed.
    void panelWanted(const QString& id);
    // A link to an example was followed: a file beside the pages.
    void fileWanted(const QString& file);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Position {
        int page = -1;
        int section = 0;
    };
    void go(Position position);
    void goBack();
    void onLink(const QUrl& link);
    void onItem(QTreeWidgetItem* item);
    void search();
    void fillContents();
    void fillMatches(const QString& words);
    void render();
    // Pictures are as wide as they are, and never wider than the page.
    void fitPictures();
    void scrollTo(int section);

    std::vector<HelpPage> pages_;
    Position position_;
    std::vector<Position> seen_;
    QLineEdit* search_;
    QTreeWidget* contents_;
    QToolButton* back_;
    QTextBrowser* text_;
};

}  // namespace loupe::window
