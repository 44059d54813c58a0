// SPDX-License-Identifier: Apache-2.0
#include "core/session/publisher.h"

#include <chrono>

namespace loupe::session {

Status Publisher::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}
std::shared_ptr<const ModelInfo> Publisher::model() const {
    const std::lock_guard lock(mutex_);
    return model_;
}
std::shared_ptr<const Recording> Publisher::recording() const {
    const std::lock_guard lock(mutex_);
    return recording_;
}
std::shared_ptr<const TrainingLog> Publisher::training() const {
    const std::lock_guard lock(mutex_);
    return training_;
}
std::vector<std::shared_ptr<const TrainingLog>> Publisher::trainings() const {
    const std::lock_guard lock(mutex_);
    return trainings_;
}

std::shared_ptr<const Generation> Publisher::generation() const {
    const std::lock_guard lock(mutex_);
    return generation_;
}

void Publisher::log(LogEntry entry) const {
    if (listener_ == nullptr) return;
    using std::chrono::milliseconds, std::chrono::system_clock;
    entry.time = std::chrono::duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    if (entry.event != 0) entry.recording = recording();
    listener_->on_log(entry);
}

void Publisher::log(Level level, Said text, SourcePlace source) const {
    log({.level = level, .text = std::move(text), .scope = {}, .source = std::move(source)});
}

void Publisher::set_model(std::shared_ptr<const ModelInfo> model) {
    const std::lock_guard lock(mutex_);
    model_ = std::move(model);
}
void Publisher::set_recording(std::shared_ptr<const Recording> recording) {
    const std::lock_guard lock(mutex_);
    recording_ = std::move(recording);
}

void Publisher::set_generation(std::shared_ptr<const Generation> generation) {
    {
        const std::lock_guard lock(mutex_);
        generation_ = generation;
    }
    if (listener_ != nullptr) listener_->on_generation(std::move(generation));
}

void Publisher::clear() {
    const std::lock_guard lock(mutex_);
    model_.reset();
    recording_.reset();
    training_.reset();
}

void Publisher::add_training(const std::shared_ptr<TrainingLog>& log, const std::string& model_file) {
    constexpr std::size_t kMost = 50;
    const std::lock_guard lock(mutex_);
    if (trainings_of_ != model_file) trainings_.clear();
    trainings_of_ = model_file;
    TrainingOrigin origin = log->origin();
    origin.number = trainings_.empty() ? 1 : trainings_.back()->origin().number + 1;
    log->set_origin(std::move(origin));
    trainings_.push_back(log);
    training_ = log;
    if (trainings_.size() > kMost) trainings_.erase(trainings_.begin());
}

void Publisher::notify_model() const {
    if (listener_ != nullptr) listener_->on_model(model());
}
void Publisher::notify_recording() const {
    if (listener_ != nullptr) listener_->on_recording(recording());
}
void Publisher::notify_events(std::size_t count) const {
    if (listener_ != nullptr) listener_->on_events(count);
}
void Publisher::notify_training(std::shared_ptr<const TrainingLog> log) const {
    if (listener_ != nullptr) listener_->on_training(std::move(log));
}
void Publisher::notify_compiled(const CompileReport& report) const {
    if (listener_ != nullptr) listener_->on_compiled(std::make_shared<CompileReport>(report));
}

void clear_next_place(Status& status) {
    status.next_node = -1;
    status.next_op.clear();
    status.next_scope.clear();
    status.next_source = {};
}

}  // namespace loupe::session
