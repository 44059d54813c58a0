// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "app/window/resources.h"

namespace loupe::window {
namespace {

QJsonDocument read(const QString& name) {
    QFile file(QDir(resourceFolder().filePath(QStringLiteral("tours"))).filePath(name + QStringLiteral(".json")));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()) : QJsonDocument();
}

Tour readTour(const QString& name) {
    const QJsonObject object = read(name).object();
    Tour tour;
    tour.name = name;
    tour.title = resourceText(object[QStringLiteral("title")].toString());
    tour.summary = resourceText(object[QStringLiteral("summary")].toString());
    for (const auto& each : object[QStringLiteral("steps")].toArray()) {
        const QJsonObject from = each.toObject();
        TourStep step;
        step.text = resourceText(from[QStringLiteral("text")].toString());
        step.panel = from[QStringLiteral("panel")].toString();
        step.widget = from[QStringLiteral("widget")].toString();
        step.until = from[QStringLiteral("until")].toString();
        for (const auto& work : from[QStringLiteral("do")].toArray()) step.work += work.toString();
        tour.steps.push_back(step);
    }
    return tour;
}

}  // namespace

const std::vector<Tour>& shippedTours() {
    static const std::vector<Tour> tours = [] {
        std::vector<Tour> all;
        for (const auto& name : read(QStringLiteral("index")).array()) {
            Tour tour = readTour(name.toString());
            if (!tour.steps.empty()) all.push_back(std::move(tour));
        }
        return all;
    }();
    return tours;
}

const Tour* findTour(const QString& name) {
    const auto& all = shippedTours();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Tour& tour) { return tour.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace loupe::window
