// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Qt's widgets cost seconds a file: read once for all views.

#include <QtCore/QtCore>
#include <QtGui/QtGui>
#include <QtWidgets/QtWidgets>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
