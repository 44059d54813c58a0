// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/panel_output.h"

#include <QAbstractItemView>
#include <QAction>
#include <QFileInfo>
#include <QHeaderView>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <QTableView>
#include <QTreeView>

#include "views/common/file_output.h"

namespace loupe::views {

namespace {

const QHeaderView* columnsOf(const QAbstractItemView& view) {
    if (const auto* tree = qobject_cast<const QTreeView*>(&view)) return tree->header();
    if (const auto* table = qobject_cast<const QTableView*>(&view)) return table->horizontalHeader();
    return nullptr;
}

}  // namespace

QString savePanel(QWidget& panel, const QString& file) {
    const QString ending = QFileInfo(file).suffix().toLower();
    FileOutput out(file);
    if (ending == QLatin1String("svg")) {
        QSvgGenerator svg;
        svg.setOutputDevice(&out);
        svg.setSize(panel.size());
        svg.setViewBox(panel.rect());
        QPainter painter(&svg);
        panel.render(&painter);
        painter.end();
        return out.commit();
    }
    if (ending == QLatin1String("pdf")) {
        QPdfWriter pdf(&out);
        pdf.setPageSize(QPageSize(QSizeF(panel.size()) * 0.75, QPageSize::Point, QString(), QPageSize::ExactMatch));
        pdf.setPageMargins({});
        pdf.setResolution(96);
        QPainter painter(&pdf);
        panel.render(&painter);
        painter.end();
        return out.commit();
    }
    return saveImage(panel.grab().toImage(), file);
}

QString selectedRowsText(const QAbstractItemView& view) {
    if (!view.selectionModel()) return {};
    QModelIndexList rows;
    for (const QModelIndex& index : view.selectionModel()->selectedIndexes()) {
        const QModelIndex first = index.siblingAtColumn(0);
        if (!rows.contains(first)) rows += first;
        constexpr int kMostRows = 20000;
        if (rows.size() >= kMostRows) break;
    }
    std::sort(rows.begin(), rows.end(), [&](const QModelIndex& a, const QModelIndex& b) {
        return view.visualRect(a).top() < view.visualRect(b).top();
    });
    const QHeaderView* header = columnsOf(view);
    QStringList lines;
    for (const QModelIndex& row : rows) {
        QStringList fields;
        for (int column = 0; column < view.model()->columnCount(row.parent()); ++column) {
            if (!header || !header->isSectionHidden(column)) fields += row.siblingAtColumn(column).data().toString();
        }
        lines += fields.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n'));
}

void enableUnless(QAction* action, const QString& whyNot) {
    action->setEnabled(whyNot.isEmpty());
    if (!whyNot.isEmpty()) action->setToolTip(QObject::tr("Not now: %1").arg(whyNot));
}

}  // namespace loupe::views
