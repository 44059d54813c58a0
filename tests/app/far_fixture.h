// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A window whose engine is far away: behind a command that stands in for ssh.

#include <QLabel>
#include <QPushButton>
#include <memory>

#include "app/window/banner.h"
#include "tests/app/window_fixture.h"
#include "tests/session/far_sessions.h"
#include "views/common/engine_files.h"

namespace loupe::testing {

class FarFixture : public WindowFixture {
  protected:
    using Kind = session::FarState::Kind;
    using EngineFiles = views::EngineFiles;

    // before: of the command, such as a slow line. environment: of the command.
    void makeFarWindow(const std::vector<std::string>& before = {}, const std::vector<std::string>& environment = {}) {
        far_ = std::make_unique<FarSessions>(before);
        place_ = far_->place(environment);
        makeWindow();
        QTRY_COMPARE(place_->state().kind, Kind::Connected);
        QTRY_VERIFY(!EngineFiles::ownFolder().isEmpty());
    }
    // The connection breaks and comes back by itself. The next one takes a second to come: it is waited for only for
    // milliseconds before, which nobody would see.
    void breakAndComeBack() {
        far_->script("sleep 1\n" + far_->engine_lines());
        far_->drop();
        QTRY_VERIFY(place_->state().kind != Kind::Connected);
        QTRY_COMPARE(place_->state().kind, Kind::Connected);
    }
    void endFar() {
        window_.reset();
        far_.reset();
        place_.reset();
    }

    window::Banner& banner() const { return *window_->findChild<window::Banner*>(); }
    QPushButton* link(const QString& text) const {
        for (auto* button : banner().findChildren<QPushButton*>()) {
            if (button->text().startsWith(text)) return button;
        }
        return nullptr;
    }
    bool says(const QString& words) const { return banner().isVisible() && banner().message().contains(words); }
    static QString own(const char* name) { return EngineFiles::ownFolder() + QLatin1Char('/') + QLatin1String(name); }

    std::unique_ptr<FarSessions> far_;
    std::shared_ptr<session::FarPlace> place_;
};

}  // namespace loupe::testing
