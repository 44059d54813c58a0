// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where what a user chose for one model is kept between starts.

#include <QString>

namespace loupe::views {

// Of the settings: "inputs/8f3a..." for the model's path.
QString modelKey(const QString& model, const char* kind);

}  // namespace loupe::views
