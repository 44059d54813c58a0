// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A trace in three forms: on the time axis, its operators as a table, its call stacks as a flame graph.

#include <QStackedWidget>
#include <QTextBrowser>
#include <QTreeView>

#include "views/common/imports.h"
#include "views/timeline/changed_stacks.h"
#include "views/timeline/flame_canvas.h"
#include "views/timeline/totals_histogram.h"
#include "views/timeline/totals_model.h"
#include "views/timeline/trace_canvas.h"

class QSortFilterProxyModel;

namespace loupe::views {

class TracePane : public QStackedWidget {
    Q_OBJECT

  public:
    enum class Form { Timeline, Operators, Flame };

    explicit TracePane(QWidget* parent);

    // other: the trace that operators and call stacks are compared with; null: none.
    void setTrace(TracePtr trace, TracePtr other);
    void setForm(Form form);
    Form form() const { return static_cast<Form>(currentIndex()); }
    void fit();
    // The number of matches, as a text; empty where nothing is searched.
    QString search(const QString& words);
    void nextMatch() { canvas_->selectNextMatch(); }
    // Of the table, as CSV.
    QString csv() const;

    TraceCanvas* canvas() { return canvas_; }
    FlameCanvas* flame() { return flame_; }
    QTreeView* table() { return table_; }
    TotalsModel* totals() { return totals_; }
    QTreeView* changedTable() { return changed_table_; }

  private:
    QWidget* makeTimeline();
    QWidget* makeOperators();
    QWidget* makeFlame();
    void compareFlames();
    void showZone(std::uint32_t zone);
    void showHistogram();
    void setColumns();

    TracePtr trace_;
    TracePtr other_;
    TraceCanvas* canvas_ = nullptr;
    QTextBrowser* details_ = nullptr;
    QTreeView* table_ = nullptr;
    TotalsModel* totals_ = nullptr;
    QSortFilterProxyModel* sorted_ = nullptr;
    TotalsHistogram* histogram_ = nullptr;
    FlameCanvas* flame_ = nullptr;
    ChangedStacks* changed_ = nullptr;
    QTreeView* changed_table_ = nullptr;
    std::pair<TracePtr, TracePtr> compared_;  // whose flame graphs the difference is of
};

}  // namespace loupe::views
