// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "views/common/session_bridge.h"

namespace loupe::views {

struct ReportPicture {
    QString file;
    QString title;
    QString tip;
};

// A panel that had nothing to show, and why.
struct EmptyPanel {
    QString title;
    QString note;
};

// The page: what the model is, what the run did, the slowest operators, the gradients, then the pictures, and a line for each panel without one.
QString reportPage(const SessionBridge& bridge, const std::vector<session::GradientRow>& gradients,
                   const std::vector<ReportPicture>& pictures, const std::vector<EmptyPanel>& empty);

}  // namespace loupe::views
