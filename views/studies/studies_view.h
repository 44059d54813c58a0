// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Studies panel: what can be asked of the model that is open, the options of one study, and what it gives.

#include <QJsonObject>
#include <map>

#include "core/session/queries/studies.h"
#include "views/common/view.h"

class QLabel;
class QListWidget;
class QProgressBar;
class QToolButton;

namespace loupe::views {

class EmptyHint;
class StudyForm;
class StudyPages;

class StudiesView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    StudiesView(SessionBridge& bridge, QWidget* parent);

    void find() override;
    void fit() override;
    QString emptyNote() const override;
    bool isSettled() const override { return !waiting_list_ && !waiting_; }
    void addActions(QMenu& menu) override;
    void comeIntoSight() override;

    // By name; false: there is none.
    bool choose(const std::string& name);
    // Asks the study that is chosen.
    void run();
    QListWidget* list() { return list_; }
    StudyForm* form() { return form_; }
    StudyPages* pages() { return pages_; }
    QToolButton* runButton() { return run_; }
    QString facts() const;

  private:
    QWidget* makeLeft(QWidget* parent);
    QWidget* makeRight(QWidget* parent);
    void askList();
    void showList(const session::StudyList& list);
    void showChosen();
    void showResult(const session::StudyResult& result);
    void showHint(const QString& why);
    void ask(const QString& file);
    void goTo(const QString& module, const QString& slice);
    void savePicture();
    void saveNumbers();
    const session::StudyInfo* chosen() const;

    QListWidget* list_;
    QLabel* what_;
    StudyForm* form_;
    QToolButton* run_;
    QProgressBar* progress_;
    QLabel* title_;
    QLabel* facts_;
    StudyPages* pages_;
    QLabel* hover_;
    EmptyHint* hint_;
    std::vector<session::StudyInfo> studies_;
    std::map<std::string, std::map<std::string, std::string>> given_;  // options by study
    std::string shown_;                                                // whose result is shown
    bool waiting_list_ = false;
    bool waiting_ = false;
    bool is_due_ = true;  // the list is to be asked for when the panel is seen
};

}  // namespace loupe::views
