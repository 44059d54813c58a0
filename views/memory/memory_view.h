// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Memory panel.

#include <QLabel>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <array>

#include "views/common/empty_hint.h"
#include "views/common/view.h"
#include "views/memory/address_map.h"
#include "views/memory/alive_model.h"

class QCustomPlot;
class QCPGraph;
class QCPItemStraightLine;
class QCPItemTracer;

namespace loupe::views {

class MemoryView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    MemoryView(SessionBridge& bridge, QWidget* parent);

    void fit() override;
    void addActions(QMenu& menu) override;
    bool isSettled() const override { return !redraw_.isActive(); }

    AliveModel* model() { return model_; }
    const MemorySeries& series() const { return series_; }
    QCustomPlot* plot() { return plot_; }

  private:
    void fitBytes();
    void takeEvents();
    void showAliveTitle();
    void draw();
    void takeCurrent();
    void click(QMouseEvent* event);
    session::EventId shownEvent() const;

    QCustomPlot* plot_ = nullptr;
    std::array<QCPGraph*, session::kCategories> graphs_{};
    QCPItemStraightLine* mark_ = nullptr;
    EmptyHint* hint_ = nullptr;
    AddressMap* map_ = nullptr;
    QToolButton* by_address_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    QString alive_text_;
    QCPItemTracer* peak_mark_ = nullptr;
    QLabel* summary_ = nullptr;
    QLabel* alive_title_ = nullptr;
    QTreeView* table_ = nullptr;
    AliveModel* model_ = nullptr;
    QSortFilterProxyModel* sorted_ = nullptr;
    MemorySeries series_;
    QTimer redraw_;  // a growing run redraws a few times a second
};

}  // namespace loupe::views
