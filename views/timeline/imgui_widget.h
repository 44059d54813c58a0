// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Dear ImGui inside a Qt window: a separate context, Qt's events as its input, OpenGL 3 as its output.

#include <QOpenGLWidget>
#include <functional>

struct ImGuiContext;

namespace loupe::views {

class ImGuiWidget : public QOpenGLWidget {
    Q_OBJECT

  public:
    // draw is called for every frame, between NewFrame and Render.
    explicit ImGuiWidget(std::function<void()> draw, QWidget* parent = nullptr);
    ~ImGuiWidget() override;

    // False where the platform has no OpenGL 3.
    static bool isAvailable();

  protected:
    void initializeGL() override;
    void paintGL() override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void leaveEvent(QEvent*) override;

  private:
    void loadFont();
    void setButton(Qt::MouseButton button, bool down);
    void release();

    std::function<void()> draw_;
    ImGuiContext* context_ = nullptr;
    bool ready_ = false;
};

}  // namespace loupe::views
