// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A graph as a picture in a file.

#include <QString>

#include "views/graph/graph_canvas.h"

namespace loupe::views {

// The whole scene, with its legend; the format follows the name: .svg, .png, .pdf. Empty, or the error.
QString exportGraph(GraphCanvas& canvas, const QString& file);

}  // namespace loupe::views
