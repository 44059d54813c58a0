// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/reported_plot.h"

#include <qcustomplot.h>

#include <QHBoxLayout>
#include <QSplitter>
#include <set>

#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/theme.h"

namespace loupe::views {

ReportedPlot::ReportedPlot(QWidget* parent)
    : QWidget(parent), tags_(new QListWidget(this)), plot_(new QCustomPlot(this)) {
    tags_->setObjectName(QStringLiteral("reportedTags"));
    tags_->setAccessibleName(tr("Reported curves"));
    tags_->setToolTip(tr("What the program reports with SummaryWriter or self.log: tick what is to be drawn"));
    plot_->setAccessibleName(tr("Reported values over steps"));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->legend->setVisible(true);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->addWidget(tags_);
    splitter->addWidget(plot_);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({150, 400});
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    connect(tags_, &QListWidget::itemChanged, this, &ReportedPlot::draw);
    connect(&Theme::instance(), &Theme::changed, this, &ReportedPlot::draw);
    draw();
}

void ReportedPlot::show(const std::shared_ptr<const session::TrainingLog>& log) {
    curves_ = log ? log->reported() : std::vector<session::ReportedCurve>();
    std::set<QString> ticked;
    for (int i = 0; i < tags_->count(); ++i) {
        if (tags_->item(i)->checkState() == Qt::Checked) ticked.insert(tags_->item(i)->text());
    }
    const bool isOther = log.get() != log_;
    log_ = log.get();
    if (isOther || static_cast<std::size_t>(tags_->count()) != curves_.size()) {
        const QSignalBlocker blocker(tags_);
        tags_->clear();
        for (const session::ReportedCurve& curve : curves_) {
            auto* item = new QListWidgetItem(text(curve.tag), tags_);
            item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
            // The first one is drawn until something is chosen.
            const bool isFirst = ticked.empty() && tags_->count() == 1;
            item->setCheckState(isFirst || ticked.contains(item->text()) ? Qt::Checked : Qt::Unchecked);
        }
    }
    draw();
}

void ReportedPlot::draw() {
    plot_->clearGraphs();
    stylePlot(*plot_);
    const Theme& theme = Theme::instance();
    int drawn = 0;
    for (int i = 0; i < tags_->count() && static_cast<std::size_t>(i) < curves_.size(); ++i) {
        if (tags_->item(i)->checkState() != Qt::Checked) continue;
        const session::ReportedCurve& curve = curves_[static_cast<std::size_t>(i)];
        const QColor colour = theme.series(drawn++);
        QCPGraph* graph = plot_->addGraph();
        graph->setName(text(curve.tag));
        graph->setPen(QPen(colour, 1.8));
        if (curve.points.size() == 1) graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 5));
        for (const auto& point : curve.points) graph->addData(static_cast<double>(point.step), point.value);
        if (!curve.is_histogram) continue;
        // Between the least and the greatest element.
        QColor faint = colour;
        faint.setAlpha(60);
        QCPGraph* low = plot_->addGraph();
        QCPGraph* high = plot_->addGraph();
        for (const auto& point : curve.points) {
            low->addData(static_cast<double>(point.step), point.low);
            high->addData(static_cast<double>(point.step), point.high);
        }
        for (QCPGraph* edge : {low, high}) {
            edge->setPen(QPen(faint, 1));
            edge->removeFromLegend();
        }
        high->setBrush(faint);
        high->setChannelFillGraph(low);
    }
    plot_->rescaleAxes();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace loupe::views
