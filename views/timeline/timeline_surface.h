// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a timeline is drawn on, boxes and text: Dear ImGui's draw list, or a QPainter without OpenGL. And what its
// drawings share.

#include <QPainter>
#include <QRgb>
#include <QString>
#include <QStringList>

#include "views/common/theme.h"

struct ImDrawList;
struct ImFont;

namespace loupe::views {

class TimelineSurface {
  public:
    virtual ~TimelineSurface() = default;
    virtual void box(double x0, double y0, double x1, double y1, QRgb colour) = 0;
    virtual void frame(double x0, double y0, double x1, double y1, QRgb colour, double width) = 0;
    virtual void line(double x0, double y0, double x1, double y1, QRgb colour) = 0;
    virtual void text(double x, double y, QRgb colour, const QString& text) = 0;
    virtual double textWidth(const QString& text) = 0;
};

class PainterSurface : public TimelineSurface {
  public:
    explicit PainterSurface(QPainter& painter);
    void box(double x0, double y0, double x1, double y1, QRgb colour) override;
    void frame(double x0, double y0, double x1, double y1, QRgb colour, double width) override;
    void line(double x0, double y0, double x1, double y1, QRgb colour) override;
    void text(double x, double y, QRgb colour, const QString& text) override;
    double textWidth(const QString& text) override;

  private:
    QPainter& painter_;
};

class ImGuiSurface : public TimelineSurface {
  public:
    explicit ImGuiSurface(ImDrawList* list) : list_(list) {}
    void box(double x0, double y0, double x1, double y1, QRgb colour) override;
    void frame(double x0, double y0, double x1, double y1, QRgb colour, double width) override;
    void line(double x0, double y0, double x1, double y1, QRgb colour) override;
    void text(double x, double y, QRgb colour, const QString& text) override;
    double textWidth(const QString& text) override;

  private:
    ImDrawList* list_;
};

QRgb themeRgb(Theme::Colour role);
QRgb withAlpha(QRgb colour, int alpha);
QRgb mixed(QRgb a, QRgb b, double t);
// Cut to the room, with an ellipsis.
QString shortened(TimelineSurface& surface, QString label, double room);
// A time as a mark of an axis with that step: as many digits as tell two marks apart.
QString axisText(double time, double step);
// 1, 2 or 5 times a power of ten, at least what is wanted.
double niceStep(double wanted);
// Beside the mouse, inside of width x height; the first line is the title.
void drawTipBox(TimelineSurface& surface, const QStringList& lines, double x, double y, double width, double height);

}  // namespace loupe::views
