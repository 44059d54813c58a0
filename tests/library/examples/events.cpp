// SPDX-License-Identifier: Apache-2.0
// Listens to a run, as the window does: events resnet.pt
#include <tensorloupe/tensorloupe.h>

#include <algorithm>
#include <atomic>
#include <iostream>

using namespace loupe;

namespace {

// Called on the engine's thread.
class Listener final : public session::SessionListener {
  public:
    void on_events(std::size_t count) override { seen = count; }
    void on_status(const session::Status& status) override {
        if (status.state == session::RunState::Failed) std::cerr << status.error << '\n';
    }
    std::atomic<std::size_t> seen{0};
};

}  // namespace

int main(int, char** argv) {
    Listener listener;
    session::Session session(&listener);
    session.open(argv[1]);
    session::RunOptions options;
    options.inputs = {session::parse_input_spec("1x3x32x32")};
    session.run(options);
    session.wait_idle();
    if (session.status().state != session::RunState::Finished) return 1;

    const auto recording = session.recording();
    const std::size_t count = recording->event_count();
    const auto calls = [&](std::string_view op) {
        std::size_t found = 0;
        for (session::EventId id = 1; id <= count; ++id) found += recording->event(id).op == op;
        return found;
    };
    std::cout << calls("aten::conv2d") + calls("aten::_convolution") << " convolutions\n"
              << calls("aten::relu") << " relus\n";
    const session::Event& first = recording->event(1);
    const session::Event& last = recording->event(static_cast<session::EventId>(count));
    std::cout << "first in " << first.scope << '\n' << "last: " << last.op << " in " << last.scope << '\n';
    return listener.seen == count ? 0 : 1;
}
