// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Plots in the colours of the theme, and their export.

#include <QString>

class QCPAxisRect;
class QCustomPlot;

namespace loupe::views {

void stylePlot(QCustomPlot& plot);
// Of axes that are not in the plot's layout now.
void styleAxes(QCPAxisRect& rect);
// By the name: .png, .svg, .pdf; .csv writes the data of all its graphs and bars. Empty, or why not.
QString savePlot(QCustomPlot& plot, const QString& file);
// Asks for the name. Returns the error; empty on success or when cancelled.
QString savePlotAs(QCustomPlot& plot, const QString& name);

}  // namespace loupe::views
