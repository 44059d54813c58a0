// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_surface.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace loupe::views {
namespace {

ImU32 packed(QRgb colour) {
    return IM_COL32(static_cast<unsigned>(qRed(colour)), static_cast<unsigned>(qGreen(colour)),
                    static_cast<unsigned>(qBlue(colour)), static_cast<unsigned>(qAlpha(colour)));
}
ImVec2 point(double x, double y) { return {static_cast<float>(x), static_cast<float>(y)}; }

}  // namespace

// --- surfaces

PainterSurface::PainterSurface(QPainter& painter) : painter_(painter) {
    QFont font = Theme::instance().uiFont();
    font.setPixelSize(11);
    painter_.setFont(font);
}
void PainterSurface::box(double x0, double y0, double x1, double y1, QRgb colour) {
    painter_.fillRect(QRectF(x0, y0, x1 - x0, y1 - y0), QColor::fromRgba(colour));
}
void PainterSurface::frame(double x0, double y0, double x1, double y1, QRgb colour, double width) {
    painter_.setPen(QPen(QColor::fromRgba(colour), width));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(QRectF(x0, y0, x1 - x0, y1 - y0));
}
void PainterSurface::line(double x0, double y0, double x1, double y1, QRgb colour) {
    painter_.setPen(QColor::fromRgba(colour));
    painter_.drawLine(QPointF(x0, y0), QPointF(x1, y1));
}
void PainterSurface::text(double x, double y, QRgb colour, const QString& text) {
    painter_.setPen(QColor::fromRgba(colour));
    painter_.drawText(QPointF(x, y + painter_.fontMetrics().ascent()), text);
}
double PainterSurface::textWidth(const QString& text) { return painter_.fontMetrics().horizontalAdvance(text); }

void ImGuiSurface::box(double x0, double y0, double x1, double y1, QRgb colour) {
    list_->AddRectFilled(point(x0, y0), point(x1, y1), packed(colour));
}
void ImGuiSurface::frame(double x0, double y0, double x1, double y1, QRgb colour, double width) {
    list_->AddRect(point(x0, y0), point(x1, y1), packed(colour), 0, 0, static_cast<float>(width));
}
void ImGuiSurface::line(double x0, double y0, double x1, double y1, QRgb colour) {
    list_->AddLine(point(x0, y0), point(x1, y1), packed(colour));
}
void ImGuiSurface::text(double x, double y, QRgb colour, const QString& text) {
    const QByteArray utf8 = text.toUtf8();
    list_->AddText(point(std::floor(x), std::floor(y)), packed(colour), utf8.constData(),
                   utf8.constData() + utf8.size());
}
double ImGuiSurface::textWidth(const QString& text) {
    const QByteArray utf8 = text.toUtf8();
    return static_cast<double>(ImGui::CalcTextSize(utf8.constData(), utf8.constData() + utf8.size()).x);
}

// --- what drawings share

QRgb themeRgb(Theme::Colour role) { return Theme::instance().colour(role).rgba(); }
QRgb withAlpha(QRgb colour, int alpha) { return qRgba(qRed(colour), qGreen(colour), qBlue(colour), alpha); }
QRgb mixed(QRgb a, QRgb b, double t) {
    const auto mix = [t](int x, int y) { return static_cast<int>(x * (1 - t) + y * t); };
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

QString shortened(TimelineSurface& surface, QString label, double room) {
    if (surface.textWidth(label) <= room) return label;
    while (!label.isEmpty() && surface.textWidth(label + QChar(0x2026)) > room)
        label.chop(std::max<qsizetype>(1, label.size() / 6));
    return label.isEmpty() ? label : label + QChar(0x2026);
}

QString axisText(double time, double step) {
    struct Unit {
        double seconds;
        const char* name;
    };
    constexpr Unit kUnits[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "\u00b5s"}, {1e-9, "ns"}};
    if (time < step / 2) return QStringLiteral("0");
    const Unit* unit = std::find_if(std::begin(kUnits), std::end(kUnits) - 1,
                                    [&](const Unit& each) { return time >= each.seconds * (1 - 1e-9); });
    const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit->seconds) - 1e-6)), 0, 9);
    return QStringLiteral("%1 %2").arg(time / unit->seconds, 0, 'f', digits).arg(QString::fromUtf8(unit->name));
}

double niceStep(double wanted) {
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    for (double factor : {1.0, 2.0, 5.0}) {
        if (power * factor >= wanted) return power * factor;
    }
    return power * 10;
}

void drawTipBox(TimelineSurface& surface, const QStringList& lines, double x, double y, double width, double height) {
    using C = Theme::Colour;
    double wide = 0;
    for (const QString& line : lines) wide = std::max(wide, surface.textWidth(line));
    const double high = 16.0 * static_cast<double>(lines.size()) + 8;
    const double left = std::min(x + 14, width - wide - 22);
    const double top = std::max(2.0, std::min(y + 16, height - high - 4));
    surface.box(left, top, left + wide + 16, top + high, themeRgb(C::Raised));
    surface.frame(left, top, left + wide + 16, top + high, themeRgb(C::Border), 1);
    for (qsizetype i = 0; i < lines.size(); ++i)
        surface.text(left + 8, top + 4 + 16.0 * static_cast<double>(i), themeRgb(i == 0 ? C::Text : C::Faint),
                     lines[i]);
}

}  // namespace loupe::views
