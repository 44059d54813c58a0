// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/plot_style.h"

#include <qcustomplot.h>

#include <QFileDialog>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <map>

#include "views/common/file_output.h"
#include "views/common/theme.h"

namespace loupe::views {

void styleAxes(QCPAxisRect& rect) {
    Theme& theme = Theme::instance();
    const QColor faint = theme.colour(Theme::Colour::Faint);
    for (QCPAxis* axis : rect.axes()) {
        axis->setBasePen(theme.colour(Theme::Colour::Border));
        axis->setTickPen(theme.colour(Theme::Colour::Border));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(faint);
        axis->setLabelColor(faint);
        axis->setTickLabelFont(theme.monoFont());
        axis->setLabelFont(theme.uiFont());
        axis->grid()->setPen(QPen(theme.colour(Theme::Colour::Grid), 1));
        axis->grid()->setZeroLinePen(QPen(theme.colour(Theme::Colour::Border), 1));
        axis->grid()->setSubGridVisible(false);
    }
}

void stylePlot(QCustomPlot& plot) {
    Theme& theme = Theme::instance();
    const QColor faint = theme.colour(Theme::Colour::Faint);
    plot.setBackground(theme.colour(Theme::Colour::Panel));
    // Qt warns at every replot of an empty plot.
    plot.setMinimumSize(plot.minimumSize().expandedTo(QSize(40, 30)));
    for (QCPAxisRect* rect : plot.axisRects()) styleAxes(*rect);
    if (plot.legend != nullptr) {
        plot.legend->setBrush(theme.colour(Theme::Colour::Panel));
        plot.legend->setBorderPen(Qt::NoPen);
        plot.legend->setTextColor(faint);
        plot.legend->setFont(theme.uiFont());
        plot.legend->setIconSize(12, 12);
    }
}

namespace {

QString saveData(const QCustomPlot& plot, const QString& name) {
    FileOutput file(name);
    QTextStream out(&file);
    out << "series,x,y\n";
    for (int i = 0; i < plot.plottableCount(); ++i) {
        const QCPAbstractPlottable* series = const_cast<QCustomPlot&>(plot).plottable(i);
        const QString label = QString(series->name()).replace(QLatin1Char(','), QLatin1Char(' '));
        if (const auto* graph = qobject_cast<const QCPGraph*>(series)) {
            for (const QCPGraphData& each : *graph->data())
                out << label << ',' << each.key << ',' << each.value << '\n';
        } else if (const auto* bars = qobject_cast<const QCPBars*>(series)) {
            for (const QCPBarsData& each : *bars->data()) out << label << ',' << each.key << ',' << each.value << '\n';
        }
    }
    out.flush();
    return file.commit();
}

}  // namespace

QString savePlot(QCustomPlot& plot, const QString& name) {
    const QString ending = QFileInfo(name).suffix().toLower();
    if (ending == QLatin1String("csv")) return saveData(plot, name);
    if (ending != QLatin1String("pdf") && ending != QLatin1String("svg"))
        return saveImage(plot.toPixmap(0, 0, 2.0).toImage(), name);
    FileOutput out(name);
    const auto paint = [&](QPaintDevice& device) {
        QCPPainter painter;
        if (!painter.begin(&device)) return false;
        painter.setMode(QCPPainter::pmVectorized);
        painter.setMode(QCPPainter::pmNoCaching);
        plot.toPainter(&painter, plot.width(), plot.height());
        return true;
    };
    bool isPainted = false;
    if (ending == QLatin1String("pdf")) {
        QPdfWriter pdf(&out);
        pdf.setPageSize(QPageSize(QSizeF(plot.size()) * 0.75, QPageSize::Point, QString(), QPageSize::ExactMatch));
        pdf.setPageMargins({});
        pdf.setResolution(96);
        isPainted = paint(pdf);
    } else {
        QSvgGenerator svg;
        svg.setOutputDevice(&out);
        svg.setSize(plot.size());
        svg.setViewBox(plot.rect());
        isPainted = paint(svg);
    }
    return isPainted ? out.commit() : QObject::tr("cannot write %1").arg(name);
}

QString savePlotAs(QCustomPlot& plot, const QString& name) {
    const QString file = QFileDialog::getSaveFileName(&plot, QObject::tr("Save plot"), name + QStringLiteral(".png"),
                                                      QObject::tr("Pictures and data (*.png *.svg *.pdf *.csv)"));
    return file.isEmpty() ? QString() : savePlot(plot, file);
}

}  // namespace loupe::views
