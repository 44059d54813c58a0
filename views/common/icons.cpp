// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "views/common/theme.h"

// Outside of namespaces, as the macro requires: a static library's resources are linked only when named.
static void initIcons() { Q_INIT_RESOURCE(icons); }

namespace loupe::views {

namespace {

// Draws on first use: most of a window's icons are not shown.
class ThemeIconEngine : public QIconEngine {
  public:
    ThemeIconEngine(QString name, QByteArray svg) : name_(std::move(name)), svg_(std::move(svg)) {}

    QIconEngine* clone() const override { return new ThemeIconEngine(*this); }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const qreal ratio = painter->device()->devicePixelRatioF();
        painter->drawPixmap(rect, pixmap((QSizeF(rect.size()) * ratio).toSize(), mode, state));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
        if (size.isEmpty()) return {};  // of a button in a panel that has no room for it
        const QString colour = Theme::instance().colour(Theme::Colour::Text).name();
        const QString key = QStringLiteral("icon %1 %2 %3x%4 %5")
                                .arg(name_, colour)
                                .arg(size.width())
                                .arg(size.height())
                                .arg(mode == QIcon::Disabled);
        QPixmap drawn;
        if (QPixmapCache::find(key, &drawn)) return drawn;
        QSvgRenderer renderer(QByteArray(svg_).replace("currentColor", colour.toLatin1()));
        drawn = QPixmap(size);
        drawn.fill(Qt::transparent);
        QPainter painter(&drawn);
        painter.setOpacity(mode == QIcon::Disabled ? 0.28 : 1);
        renderer.render(&painter);
        QPixmapCache::insert(key, drawn);
        return drawn;
    }

  private:
    QString name_;
    QByteArray svg_;
};

}  // namespace

QIcon themeIcon(const QString& name) {
    static const bool loaded = (initIcons(), true);
    Q_UNUSED(loaded)
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? QIcon(new ThemeIconEngine(name, file.readAll())) : QIcon();
}

}  // namespace loupe::views
