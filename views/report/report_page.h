// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

#include "views/common/session_bridge.h"

namespace loupe::views {

// By it a page is known as a report.
inline const QByteArray kReportMark = "Written by Tensorloupe";

struct ReportPicture {
    QString file;
    QString title;
    QString tip;
};

// An empty panel, and the reason.
struct EmptyPanel {
    QString title;
    QString note;
};

// The page: how the run differs from what is pinned, the model, the run, the slowest operators, the gradients, then the
// pictures, and a line for each empty panel.
QString reportPage(SessionBridge& bridge, const std::vector<session::GradientRow>& gradients,
                   const std::vector<ReportPicture>& pictures, const std::vector<EmptyPanel>& empty);

}  // namespace loupe::views
