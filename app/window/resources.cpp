// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/resources.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace loupe::window {

QString resourceText(const QString& english) {
    return QCoreApplication::translate("resources", english.toUtf8().constData());
}

QDir resourceFolder() {
    const QDir beside(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/tensorloupe"));
    return beside.exists() ? beside : QDir(QStringLiteral(LOUPE_RESOURCES));
}

std::vector<ShippedModel> shippedModels() {
    const QDir folder(resourceFolder().filePath(QStringLiteral("models")));
    QFile index(folder.filePath(QStringLiteral("index.json")));
    if (!index.open(QIODevice::ReadOnly)) return {};
    std::vector<ShippedModel> models;
    const QJsonArray entries = QJsonDocument::fromJson(index.readAll()).array();
    for (const QJsonValue entry : entries) {
        const QJsonObject object = entry.toObject();
        ShippedModel model;
        model.file = folder.absoluteFilePath(object[QStringLiteral("file")].toString());
        model.title = resourceText(object[QStringLiteral("title")].toString());
        model.description = resourceText(object[QStringLiteral("description")].toString());
        const QJsonArray things = object[QStringLiteral("things_to_try")].toArray();
        for (const auto& each : things) {
            const QJsonObject thing = each.toObject();
            model.thingsToTry.push_back(
                {resourceText(thing[QStringLiteral("text")].toString()), thing[QStringLiteral("tour")].toString()});
        }
        models.push_back(model);
    }
    return models;
}

}  // namespace loupe::window
