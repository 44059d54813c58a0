// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Of a model source: which PyTorch's numbers, printed forms and version it sees. Kept with the model.

#include <QComboBox>
#include <QWidget>

#include "views/common/session_bridge.h"

namespace loupe::views {

class ReleaseBar : public QWidget {
    Q_OBJECT

  public:
    ReleaseBar(SessionBridge& bridge, QWidget* parent);

    // Hidden unless the model is a source.
    void showModel();
    QComboBox* releases() { return releases_; }

  private:
    // The model is built again, as of that release.
    void choose(const QString& release);

    SessionBridge& bridge_;
    QComboBox* releases_;
};

}  // namespace loupe::views
