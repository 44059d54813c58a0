// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The models that ship with the program.

#include <QString>
#include <QStringList>
#include <vector>

namespace loupe::window {

struct ShippedModel {
    QString file;  // absolute path
    QString title;
    QString description;
    QStringList thingsToTry;
};

// As resources/models/index.json lists them; empty when the folder is missing.
std::vector<ShippedModel> shippedModels();

}  // namespace loupe::window
