// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_export.h"

#include <QFileInfo>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "views/common/file_output.h"
#include "views/common/theme.h"

namespace loupe::views {

QString exportGraph(GraphCanvas& canvas, const QString& file) {
    const double margin = 20;
    const QSizeF size = canvas.scene().size + QSizeF(2 * margin, 2 * margin + GraphCanvas::kLegendHeight);
    if (canvas.scene().boxes.empty()) return GraphCanvas::tr("there is no graph to export");
    const QColor back = Theme::instance().colour(Theme::Colour::Panel);
    const auto paint = [&](QPainter& painter, double scale) {
        painter.scale(scale, scale);
        painter.fillRect(QRectF({}, size), back);
        painter.translate(margin, margin);
        canvas.renderAll(painter);
    };
    // Written when complete.
    FileOutput out(file);
    const QString ending = QFileInfo(file).suffix().toLower();
    if (ending == QLatin1String("svg")) {
        QSvgGenerator svg;
        svg.setOutputDevice(&out);
        svg.setTitle(GraphCanvas::tr("Graph"));
        svg.setSize(size.toSize());
        svg.setViewBox(QRectF({}, size));
        QPainter painter(&svg);
        paint(painter, 1);
    } else if (ending == QLatin1String("pdf")) {
        // Readers refuse pages of more than 200 inches.
        constexpr double kMostPoints = 14400;
        const double scale = std::min(0.75, kMostPoints / std::max(size.width(), size.height()));
        QPdfWriter pdf(&out);
        pdf.setPageSize(QPageSize(size * scale, QPageSize::Point, QString(), QPageSize::ExactMatch));
        pdf.setPageMargins({});
        pdf.setResolution(288);
        QPainter painter(&pdf);
        paint(painter, scale * 4);
    } else if (ending == QLatin1String("png")) {
        // Twice the size, up to the limit of images.
        const double scale = std::min(2.0, 16000.0 / std::max(size.width(), size.height()));
        QImage image((size * scale).toSize(), QImage::Format_RGB32);
        if (image.isNull()) return GraphCanvas::tr("the picture is too large");
        QPainter painter(&image);
        paint(painter, scale);
        painter.end();
        image.save(&out, "PNG");
    } else {
        return GraphCanvas::tr("cannot write %1: the name must end in .svg, .png or .pdf").arg(file);
    }
    return out.commit();
}

}  // namespace loupe::views
