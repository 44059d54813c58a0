// SPDX-License-Identifier: Apache-2.0
#include "core/session/far_place.h"

#include <utility>

#include "core/session/remote/engine_address.h"
#include "core/session/remote/far_engine.h"

namespace loupe::session {

const char* const kQuestionNotAnswered = "the question that ssh asked was not answered";

void FarPlace::set_listener(std::function<void(const FarState&)> listener) {
    const std::lock_guard told(told_);
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
}

FarState FarPlace::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

void FarPlace::report(const FarState& state) {
    const std::lock_guard told(told_);
    std::function<void(const FarState&)> listener;
    {
        const std::lock_guard lock(mutex_);
        state_ = state;
        listener = listener_;
    }
    if (listener) listener(state);
}

void FarPlace::reconnect_now() {
    std::shared_ptr<FarEngine> engine;
    {
        const std::lock_guard lock(mutex_);
        engine = current_.lock();
    }
    if (engine != nullptr) engine->reconnect_now();
}

void FarPlace::take_over_next() {
    const std::lock_guard lock(mutex_);
    takes_over_ = true;
}

bool FarPlace::takes_over() {
    const std::lock_guard lock(mutex_);
    return std::exchange(takes_over_, false);
}

void FarPlace::set_current(const std::shared_ptr<FarEngine>& engine) {
    const std::lock_guard lock(mutex_);
    current_ = engine;
}

FarPlace::Options far_place_options(const std::string& text, const std::string& pattern, bool asks) {
    const EngineAddress address = parse_engine_address(text);
    FarPlace::Options options;
    options.command = engine_command(address, pattern.empty() ? kSshCommand : pattern, asks);
    options.address = address.text;
    options.host = address.host;
    return options;
}

std::string usual_far_command() { return kSshCommand; }

namespace {

struct CurrentPlace {
    std::mutex mutex;
    std::shared_ptr<FarPlace> place;
};
CurrentPlace& current_place() {
    static CurrentPlace current;
    return current;
}

}  // namespace

void set_far_place(std::shared_ptr<FarPlace> place) {
    CurrentPlace& current = current_place();
    const std::lock_guard lock(current.mutex);
    current.place = std::move(place);
}

std::shared_ptr<FarPlace> far_place() {
    CurrentPlace& current = current_place();
    const std::lock_guard lock(current.mutex);
    return current.place;
}

}  // namespace loupe::session
