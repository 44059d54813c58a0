// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/plugin_table_view.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "core/session/queries/table.h"
#include "views/common/format.h"

namespace loupe::views {

namespace {

// Numbers are sorted as numbers.
class Cell : public QTableWidgetItem {
  public:
    explicit Cell(const QString& words) : QTableWidgetItem(words) {
        setFlags(Qt::ItemIsSelectable | Qt::ItemIsEnabled);
        number_ = words.toDouble(&is_number_);
        if (is_number_) setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    bool operator<(const QTableWidgetItem& other) const override {
        const auto& cell = static_cast<const Cell&>(other);
        if (is_number_ && cell.is_number_) return number_ < cell.number_;
        return is_number_ != cell.is_number_ ? is_number_ : text() < cell.text();
    }

  private:
    double number_ = 0;
    bool is_number_ = false;
};

}  // namespace

PluginTableView::PluginTableView(SessionBridge& bridge, const session::TableInfo& info, QWidget* parent)
    : View(bridge, parent), name_(info.name) {
    note_ = new QLabel(this);
    note_->setObjectName(QStringLiteral("pluginTableNote"));
    note_->setWordWrap(true);
    note_->setContentsMargins(6, 4, 6, 4);
    table_ = new QTableWidget(this);
    table_->setObjectName(QStringLiteral("pluginTable"));
    table_->setAccessibleName(text(info.title));
    table_->setAccessibleDescription(text(info.what));
    table_->verticalHeader()->hide();
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->horizontalHeader()->setStretchLastSection(true);
    hint_ = new EmptyHint(table_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(note_);
    layout->addWidget(table_, 1);
    setObjectName(QStringLiteral("view.") + text(info.name));
    setAccessibleName(text(info.title));
    setAccessibleDescription(text(info.what));
    connect(&bridge, &SessionBridge::modelChanged, this, &PluginTableView::refresh);
    connect(&bridge, &SessionBridge::weightsChanged, this, &PluginTableView::refresh);
    connect(&bridge, &SessionBridge::recordingChanged, this, &PluginTableView::refresh);
    refresh();
}

void PluginTableView::refresh() {
    waiting_ = true;
    bridge().ask(QStringLiteral("table.%1.%2").arg(text(name_)).arg(reinterpret_cast<quintptr>(this)),
                 session::TableQuery{name_}, this, [this](const session::QueryTable& made) { showTable(made); });
}

void PluginTableView::showTable(const session::QueryTable& made) {
    waiting_ = false;
    note_->setText(text(made.note));
    note_->setVisible(!made.note.empty());
    hint_->say(text(made.error));
    table_->setSortingEnabled(false);  // while it is filled
    table_->clear();
    table_->setColumnCount(static_cast<int>(made.columns.size()));
    table_->setRowCount(static_cast<int>(made.rows.size()));
    QStringList titles;
    for (const std::string& column : made.columns) titles << text(column);
    table_->setHorizontalHeaderLabels(titles);
    for (std::size_t row = 0; row < made.rows.size(); ++row) {
        for (std::size_t column = 0; column < made.columns.size(); ++column) {
            table_->setItem(static_cast<int>(row), static_cast<int>(column), new Cell(text(made.rows[row][column])));
        }
    }
    // As the plugin has them, until a title is clicked.
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table_->setSortingEnabled(true);
    table_->resizeColumnsToContents();
}

void PluginTableView::addActions(QMenu& menu) { menu.addAction(tr("Make it again"), this, &PluginTableView::refresh); }

}  // namespace loupe::views
