// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A file chooser for the machine of an engine far away: its folders a page at a time, as rows come into sight.

#include <QAbstractTableModel>
#include <QDialog>
#include <QTimer>
#include <map>
#include <set>

#include "core/session/queries/list_folder.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
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
    bool isWaiting() const { return !asked_.empty(); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  signals:
    // A first page, or an error, came.
    void shown();

  private:
    void ask(std::uint64_t page) const;
    void take(std::uint64_t page, int generation, const session::FolderPage& answer);

    EngineFiles& files_;
    session::ListFolderQuery query_;
    session::FolderPage folder_;  // without its entries
    std::map<std::uint64_t, std::vector<session::FolderEntry>> pages_;
    mutable std::set<std::uint64_t> asked_;
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

  private:
    void build(const QString& filter);
    void go(const QString& path);
    void list();
    void activate(const QModelIndex& index);
    void takeSelection();
    void takeShown();
    void acceptChosen();

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
    QTimer soon_;
    QString chosen_;
    QString wanted_;
    bool is_here_ = false;
};

}  // namespace loupe::views
