// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/imgui_widget.h"

#include <imgui.h>
#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <QFile>
#include <QGuiApplication>
#include <QMouseEvent>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QStandardPaths>

#include "views/common/failures.h"
#include "views/common/theme.h"

namespace loupe::views {

ImGuiWidget::ImGuiWidget(std::function<void()> draw, QWidget* parent) : QOpenGLWidget(parent), draw_(std::move(draw)) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    loadFont();
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

ImGuiWidget::~ImGuiWidget() {
    release();
    // Qt destroys the OpenGL context after this object: its signal would reach what is gone.
    if (context() != nullptr) disconnect(context(), &QOpenGLContext::aboutToBeDestroyed, this, &ImGuiWidget::release);
    ImGui::DestroyContext(context_);
}

void ImGuiWidget::release() {
    if (!ready_) return;
    makeCurrent();
    ImGui::SetCurrentContext(context_);
    ImGui_ImplOpenGL3_Shutdown();
    doneCurrent();
    ready_ = false;
}

bool ImGuiWidget::isAvailable() {
    static const bool available = [] {
        const QString platform = QGuiApplication::platformName();
        if (platform == QLatin1String("offscreen") || platform == QLatin1String("minimal")) return false;
        QOffscreenSurface surface;
        surface.create();
        QOpenGLContext context;
        if (!surface.isValid() || !context.create() || !context.makeCurrent(&surface)) return false;
        const bool enough = context.format().majorVersion() >= 3;
        context.doneCurrent();
        return enough;
    }();
    return available;
}

void ImGuiWidget::loadFont() {
    ImFontConfig config;
    config.OversampleH = 2;
    static const ImWchar kRanges[] = {0x20, 0xff, 0x391, 0x3c9, 0x2010, 0x2026, 0xd7, 0xd7, 0};
    const QStringList folders = QStandardPaths::standardLocations(QStandardPaths::FontsLocation) +
                                QStringList{QStringLiteral("/usr/share/fonts")};
    for (const QString& folder : folders) {
        for (const char* name :
             {"truetype/dejavu/DejaVuSans.ttf", "truetype/noto/NotoSans-Regular.ttf", "DejaVuSans.ttf"}) {
            const QString file = folder + QLatin1Char('/') + QLatin1String(name);
            if (!QFile::exists(file)) continue;
            ImGui::GetIO().Fonts->AddFontFromFileTTF(file.toLocal8Bit().constData(), 12.5f, &config, kRanges);
            return;
        }
    }
    ImGui::GetIO().Fonts->AddFontDefault();
}

void ImGuiWidget::initializeGL() {
    ImGui::SetCurrentContext(context_);
    // A widget that moves to another window gets another OpenGL context.
    connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, &ImGuiWidget::release, Qt::UniqueConnection);
    ready_ = ImGui_ImplOpenGL3_Init(context()->isOpenGLES() ? "#version 300 es" : "#version 130");
}

void ImGuiWidget::paintGL() {
    if (!ready_) return;
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(width()), static_cast<float>(height()));
    const auto ratio = static_cast<float>(devicePixelRatioF());
    io.DisplayFramebufferScale = ImVec2(ratio, ratio);
    io.DeltaTime = 1.0f / 60;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    try {
        draw_();
    } catch (...) {
        Failures::instance().report(tr("Timeline: drawing"));
        ImGui::ErrorCheckEndFrameRecover(nullptr);  // windows, tables and styles that were begun
    }
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void ImGuiWidget::setButton(Qt::MouseButton button, bool down) {
    ImGui::SetCurrentContext(context_);
    const int index = button == Qt::LeftButton ? 0 : button == Qt::RightButton ? 1 : 2;
    ImGui::GetIO().MouseDown[index] = down;
    update();
}

void ImGuiWidget::mousePressEvent(QMouseEvent* event) { setButton(event->button(), true); }
void ImGuiWidget::mouseReleaseEvent(QMouseEvent* event) { setButton(event->button(), false); }

void ImGuiWidget::mouseMoveEvent(QMouseEvent* event) {
    ImGui::SetCurrentContext(context_);
    ImGui::GetIO().MousePos =
        ImVec2(static_cast<float>(event->position().x()), static_cast<float>(event->position().y()));
    update();
}

void ImGuiWidget::wheelEvent(QWheelEvent* event) {
    ImGui::SetCurrentContext(context_);
    ImGui::GetIO().MouseWheel += static_cast<float>(event->angleDelta().y()) / 120.0f;
    event->accept();
    update();
}

void ImGuiWidget::leaveEvent(QEvent*) {
    ImGui::SetCurrentContext(context_);
    ImGui::GetIO().MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
    update();
}

}  // namespace loupe::views
