// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Guided tours that ship with the program, as data: resources/tours. To add one: write its file, and name it in
// index.json.

#include <QString>
#include <QStringList>
#include <vector>

namespace loupe::window {

struct TourStep {
    QString text;
    QString panel;     // brought to the front: "events"; empty: none
    QString widget;    // pointed at, by its object's name; empty: the panel
    QStringList work;  // what the user would do, see TourGuide::perform
    QString until;     // what is true once it is done, see TourGuide::isReached; empty: nothing to wait for
};

struct Tour {
    QString name;  // "loss_is_nan": the file's name
    QString title;
    QString summary;
    std::vector<TourStep> steps;
};

// In the order of the index; empty when the folder is missing.
const std::vector<Tour>& shippedTours();
// Null: there is none of that name.
const Tour* findTour(const QString& name);

}  // namespace loupe::window
