// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include "views/common/theme.h"

// Outside any namespace, as the macro asks for: a static library's resources are linked only when named.
static void initIcons() { Q_INIT_RESOURCE(icons); }

namespace loupe::views {

namespace {

QPixmap render(QByteArray svg, int size, double opacity) {
    svg.replace("currentColor", Theme::instance().colour(Theme::Colour::Text).name().toLatin1());
    QSvgRenderer renderer(svg);
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setOpacity(opacity);
    renderer.render(&painter);
    return pixmap;
}

}  // namespace

QIcon themeIcon(const QString& name) {
    static const bool loaded = (initIcons(), true);
    Q_UNUSED(loaded)
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray svg = file.readAll();
    QIcon icon;
    for (const int size : {16, 20, 32, 48}) {
        icon.addPixmap(render(svg, size, 1), QIcon::Normal);
        icon.addPixmap(render(svg, size, 0.28), QIcon::Disabled);
    }
    return icon;
}

}  // namespace loupe::views
