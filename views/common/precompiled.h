// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Common includes of the panels: <QWidget> alone costs seconds per file. Not all of QtWidgets: GCC maps the
// whole result into every compiler run.

#include <QAbstractTableModel>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
