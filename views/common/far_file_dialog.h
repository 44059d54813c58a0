// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A file chooser for the machine of an engine far away: its folders a page at a time, as rows come into sight.

#include <QAbstractTableModel>
#include <QDialog>
#include <QElapsedTimer>
#include <QTimer>
#include <array>
#include <map>
#include <optional>

#include "core/session/queries/list_folder.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QDialogButtonBox;
class QLayout;
class QTreeView;

namespace loupe::views {

class EngineFiles;

// One folder there. Rows that have not come yet are empty.
class FarFolderModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, Size, Changed, Columns };
    static constexpr std::uint64_t kPage = 200;

    FarFolderModel(EngineFiles& files, QObject* parent);

    void show(const session::ListFolderQuery& query);
    const session::FolderPage& folder() const { return folder_; }
    // Null: not yet there.
    const session::FolderEntry* entry(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  signals:
    // Of the folder that was asked for, or as much of it as its user may see: see FolderPage::error.
    void shown();
    // There is no such folder; the one before is still shown.
    void failed(const QString& error);

  private:
    void ask(std::uint64_t page) const;
    void takeFirst(const session::ListFolderQuery& query, const session::FolderPage& answer);
    void take(std::uint64_t page, const session::FolderPage& answer);

    EngineFiles& files_;
    session::ListFolderQuery query_;
    session::FolderPage folder_;  // without its entries
    std::map<std::uint64_t, std::vector<session::FolderEntry>> pages_;
    // Pages on their way: two of them are in sight at most, an even one and an odd one. One that was passed is asked
    // for again when it is in sight again.
    mutable std::array<std::optional<std::uint64_t>, 2> asked_;
    int generation_ = 0;
};

class FarFileDialog : public QDialog {
    Q_OBJECT

  public:
    enum class Mode { Open, Folder, Save };
    // folder: there, or a file in it; of Save the name to begin with. filter: as QFileDialog's.
    FarFileDialog(EngineFiles& files, Mode mode, const QString& title, const QString& folder, const QString& filter,
                  QWidget* parent);

    QString chosen() const { return chosen_; }
    // It is to be saved on this machine.
    bool isHere() const { return is_here_; }
    QString filter() const;
    void setFilter(const QString& filter);

  protected:
    // The key Enter in a field or a row is for that, not for the dialogue's button.
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void build(const QString& filter);
    QLayout* buildTop();
    QLayout* buildFilter(const QString& filter);
    void addButtons(QDialogButtonBox& buttons);
    void connectAll();
    void go(const QString& path);
    void goTo(const QString& typed);
    void list();
    void sayAsking();
    void activate(const QModelIndex& index);
    void select(const QString& name);
    void takeSelection();
    void takeShown();
    void takeFailed(const QString& error);
    void takeFolder(const session::FolderPage& folder);
    void acceptChosen();
    void acceptSaved();
    QString inFolder(const QString& name) const;

    EngineFiles& files_;
    const Mode mode_;
    FarFolderModel* model_;
    QLineEdit* path_;
    QLineEdit* search_;
    QLineEdit* name_;
    QComboBox* filters_;
    QTreeView* rows_;
    QLabel* state_;
    QPushButton* up_;
    QPushButton* accept_;
    QPushButton* home_;
    QCheckBox* hidden_;
    QTimer soon_;
    QTimer asking_;  // while the answer is long in coming
    QElapsedTimer asked_;
    QString chosen_;
    QString folder_;            // that is shown
    QString wanted_;            // what was asked for last
    bool is_new_ = false;       // another folder was asked for
    bool opens_typed_ = false;  // a path was typed: of a file, that is meant
    bool home_was_tried_ = false;
    bool is_here_ = false;
};

}  // namespace loupe::views
