// SPDX-License-Identifier: Apache-2.0
#include "core/train/trainer_state.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/record/value_store.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/device_copy.h"
#include "core/value/map_tensors.h"

namespace loupe::session {
namespace {

constexpr std::int64_t kMostInterval = std::int64_t{1} << 40;  // steps

template <typename Entries, typename Get>
std::size_t sum_of(const Entries& entries, Get&& get) {
    std::size_t bytes = 0;
    for (const auto& entry : entries) bytes += get(entry);
    return bytes;
}

}  // namespace

// --- the file

TensorFile::~TensorFile() {
    if (file_ >= 0) ::close(file_);
}

std::optional<std::int64_t> TensorFile::put(const Tensor& t) {
    if (file_ < 0) {
        std::error_code failure;
        std::string name = (std::filesystem::temp_directory_path(failure) / "tensorloupe-XXXXXX").string();
        if (failure) return std::nullopt;
        file_ = ::mkstemp(name.data());
        if (file_ < 0) return std::nullopt;
        ::unlink(name.c_str());  // gone with the process
    }
    // Tensors of one training come in the same few sizes.
    std::int64_t place = static_cast<std::int64_t>(end_);
    const auto found = free_.find(t.bytes());
    if (found != free_.end()) {
        place = found->second;
        free_.erase(found);
    } else if (t.bytes() > limit_ || end_ > limit_ - t.bytes()) {
        return std::nullopt;
    }
    const auto* at = static_cast<const char*>(t.raw_data());
    std::size_t left = t.bytes();
    auto offset = static_cast<off_t>(place);
    while (left > 0) {
        const ssize_t written = ::pwrite(file_, at, left, offset);
        if (written <= 0) return std::nullopt;
        at += written;
        offset += written;
        left -= static_cast<std::size_t>(written);
    }
    end_ = std::max(end_, static_cast<std::size_t>(place) + t.bytes());
    return place;
}

void TensorFile::get(std::int64_t place, const Tensor& to) const {
    auto* at = static_cast<char*>(to.raw_data());
    std::size_t left = to.bytes();
    auto offset = static_cast<off_t>(place);
    while (left > 0) {
        const ssize_t got = ::pread(file_, at, left, offset);
        if (got <= 0) throw Error(ErrorKind::File, "the temporary file with states of the training cannot be read");
        at += got;
        offset += got;
        left -= static_cast<std::size_t>(got);
    }
}

// --- tensors and values

SavedTensor::SavedTensor(const Tensor& t)
    : elements_(copy_elements(t)),
      sizes_(to_dims(t.sizes())),
      dtype_(t.dtype()),
      device_(t.device()),
      bytes_(elements_.bytes()) {}

SavedTensor::~SavedTensor() {
    if (file_ && place_ >= 0) file_->free(place_, bytes_);
}

Tensor SavedTensor::elements() const {
    if (elements_.defined()) return device_.is_cpu() ? copy_elements(elements_) : on_device(elements_, device_);
    const Tensor t = empty(span_of(sizes_), dtype_);
    file_->get(place_, t);
    return on_device(t, device_);
}

bool SavedTensor::move_to(const std::shared_ptr<TensorFile>& file) {
    if (!elements_.defined()) return true;
    const auto place = file->put(elements_);
    if (!place) return false;
    file_ = file;
    place_ = *place;
    elements_ = Tensor();
    return true;
}

SavedValue::SavedValue(const IValue& value) {
    shape_ = copy_with_tensors(value, [this](const Tensor& t) {
        if (t.is_sparse()) return fn::clone(t, IValue());
        tensors_.emplace_back(t);
        return empty(span_of(Dims{0}), ScalarType::Float32);
    });
}

IValue SavedValue::value() const {
    std::size_t next = 0;
    return copy_with_tensors(
        shape_, [&](const Tensor& t) { return t.is_sparse() ? fn::clone(t, IValue()) : tensors_[next++].elements(); });
}

std::size_t SavedValue::bytes_in_memory() const {
    return sum_of(tensors_, [](const SavedTensor& t) { return t.bytes_in_memory(); });
}

bool SavedValue::move_to(const std::shared_ptr<TensorFile>& file) {
    return std::ranges::all_of(tensors_, [&](SavedTensor& t) { return t.move_to(file); });
}

std::size_t TrainerState::bytes_in_memory() const {
    std::size_t bytes = optimizer_state.bytes_in_memory();
    for (const ModuleState& each : modules)
        bytes += sum_of(each.attributes, [](const Slot& slot) { return slot.saved.bytes_in_memory(); });
    bytes += sum_of(gradients, [](const auto& gradient) { return gradient.second.bytes_in_memory(); });
    return bytes;
}

bool TrainerState::move_to(const std::shared_ptr<TensorFile>& file) {
    for (ModuleState& each : modules) {
        for (Slot& slot : each.attributes) {
            if (!slot.saved.move_to(file)) return false;
        }
    }
    for (auto& [parameter, gradient] : gradients) {
        if (!gradient.move_to(file)) return false;
    }
    return optimizer_state.move_to(file);
}

// --- many of them

TrainerStates::Budget TrainerStates::default_budget() {
    const std::size_t memory =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
    std::error_code failure;
    const auto space = std::filesystem::space(std::filesystem::temp_directory_path(failure), failure);
    return {memory / 16, failure ? 0 : static_cast<std::size_t>(space.available / 8)};
}

TrainerStates::TrainerStates(const Budget& budget)
    : budget_(budget), file_(std::make_shared<TensorFile>(budget.file)) {}

void TrainerStates::clear() {
    states_.clear();
    file_ = std::make_shared<TensorFile>(budget_.file);
    interval_ = 1;
}

std::size_t TrainerStates::bytes_in_memory() const {
    return sum_of(states_, [](const Entry& entry) { return entry.is_in_file ? 0 : entry.state.bytes_in_memory(); });
}

void TrainerStates::add(TrainerState state, bool must_stay) {
    if (!states_.empty() && states_.back().state.steps_done == state.steps_done) {
        must_stay = must_stay || states_.back().must_stay;
        states_.pop_back();
    }
    states_.push_back({std::move(state), must_stay || states_.empty()});
    if (states_.size() > budget_.most) thin();
    // The oldest go to the file first; where it is full, every other one goes for good.
    for (std::size_t tries = 0; bytes_in_memory() > budget_.memory && tries < budget_.most; ++tries) {
        const auto oldest = std::ranges::find_if(states_, [](const Entry& entry) { return !entry.is_in_file; });
        oldest->is_in_file = oldest->state.move_to(file_);
        if (oldest->is_in_file) continue;
        const std::size_t before = states_.size();
        thin();
        if (states_.size() == before) break;
    }
}

void TrainerStates::thin() {
    std::vector<bool> goes(states_.size());
    bool keeps = true;
    for (std::size_t i = 0; i < states_.size(); ++i) {
        const bool must_stay = states_[i].must_stay;
        goes[i] = !must_stay && !keeps;
        keeps = must_stay ? false : !keeps;
    }
    const auto count = static_cast<std::size_t>(std::ranges::count(goes, true));
    if (count > 0 && count >= states_.size() / 8) {
        interval_ = std::min(2 * interval_, kMostInterval);
    } else {
        // Nearly all must stay, and that is too many: every other of the old ones goes all the same.
        for (std::size_t i = 0; i < states_.size(); ++i) goes[i] = i % 2 == 1 && i + 1 < states_.size();
    }
    std::deque<Entry> kept;
    for (std::size_t i = 0; i < states_.size(); ++i) {
        if (!goes[i]) kept.push_back(std::move(states_[i]));
    }
    states_ = std::move(kept);
}

void TrainerStates::drop_after(std::int64_t steps_done) {
    while (!states_.empty() && states_.back().state.steps_done > steps_done) states_.pop_back();
}

const TrainerState* TrainerStates::nearest(std::int64_t steps_done) const {
    const TrainerState* found = nullptr;
    for (const Entry& entry : states_) {
        if (entry.state.steps_done > steps_done) break;
        found = &entry.state;
    }
    return found;
}

}  // namespace loupe::session
