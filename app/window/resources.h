// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Paths of the files that ship with the program, and the models among them.

#include <QDir>
#include <QString>
#include <vector>

namespace loupe::window {

// Beside the program when it was moved, else where it was built from.
QDir resourceFolder();

// A text of resources/models or resources/tours, in the window's language.
QString resourceText(const QString& english);

struct ThingToTry {
    QString text;
    QString tour;  // that does it, by name; empty: none
};

struct ShippedModel {
    QString file;  // absolute path
    QString title;
    QString description;
    std::vector<ThingToTry> thingsToTry;
};

// As resources/models/index.json lists them; empty when the folder is missing.
std::vector<ShippedModel> shippedModels();

}  // namespace loupe::window
