// SPDX-License-Identifier: Apache-2.0
// Recorded runs of c_api.h.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/library/c_handles.h"
#include "core/model/inputs.h"
#include "core/record/backward_roots.h"
#include "core/record/recording.h"
#include "core/record/recording_file.h"

struct tl_recording {
    std::shared_ptr<const loupe::session::Recording> recording;
    std::function<void(const std::filesystem::path& file)> save = {};

    // Texts of a recording are views, which C has not: each is copied when it is first asked for.
    const char* text(std::string_view view) const {
        const std::lock_guard lock(mutex_);
        const auto found = texts_.find(view);
        return (found != texts_.end() ? found : texts_.emplace(std::string(view), nullptr).first)->first.c_str();
    }

  private:
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::nullptr_t, std::less<>> texts_;
};

using namespace loupe;
using namespace loupe::c_api;

namespace {

const session::Event& event_at(const tl_recording* recording, std::size_t index, const char* function) {
    require(recording, function, "recording");
    const std::size_t count = recording->recording->event_count();
    if (index >= count) throw Error(ErrorKind::Usage, concat(function, ": index ", index, " of ", count, " events"));
    return recording->recording->event(static_cast<session::EventId>(index + 1));
}

tl_event described(const tl_recording& recording, const session::Event& event) {
    tl_event out = {};
    out.id = event.id;
    out.phase = static_cast<std::int32_t>(event.phase);
    out.op = recording.text(event.op);
    out.scope = recording.text(event.scope);
    out.source = recording.text(event.source_file);
    out.source_line = event.source_line;
    out.peer = event.phase == session::RunPhase::Forward ? recording.recording->backward_peer(event.id) : event.peer;
    out.start = event.start;
    out.duration = event.duration;
    out.flops = event.flops;
    out.memory_after = event.memory_after;
    out.backend = recording.text(event.backend);
    out.has_nan = event.has_nan ? 1 : 0;
    out.has_inf = event.has_inf ? 1 : 0;
    out.output_count = event.outputs.size();
    return out;
}

}  // namespace

extern "C" {

tl_status tl_model_record(tl_model* model, tl_tensor* const* inputs, std::size_t input_count, int backward,
                          tl_recording** recording, tl_tensors** outputs) {
    return guarded([&] {
        require(model, "tl_model_record", "model");
        require(recording, "tl_model_record", "recording");
        const auto arguments = arguments_of(inputs, input_count, "tl_model_record");
        TensorList results;
        const Model::Recorded recorded = model->model.record(arguments, [&] {
            const GradModeScope grad(backward != 0);
            results = session::flatten_tensors(model->model(arguments));
            if (backward != 0) session::run_backward(session::roots_of_outputs(results));
        });
        auto made = std::make_unique<tl_recording>();
        made->recording = recorded.recording;
        made->save = recorded.save;
        if (outputs != nullptr) *outputs = list_of(std::move(results)).release();
        *recording = made.release();
    });
}

tl_status tl_recording_open(const char* path, tl_recording** recording) {
    return guarded([&] {
        require(path, "tl_recording_open", "path");
        require(recording, "tl_recording_open", "recording");
        auto made = std::make_unique<tl_recording>();
        made->recording = session::RecordingFile(path).recording();
        *recording = made.release();
    });
}

tl_status tl_recording_save(const tl_recording* recording, const char* path) {
    return guarded([&] {
        require(recording, "tl_recording_save", "recording");
        require(path, "tl_recording_save", "path");
        if (!recording->save) throw Error(ErrorKind::Usage, "a recording of a file is there already: copy the file");
        recording->save(path);
    });
}

void tl_recording_release(tl_recording* recording) { delete recording; }

std::size_t tl_recording_event_count(const tl_recording* recording) {
    return recording == nullptr ? 0 : recording->recording->event_count();
}

tl_status tl_recording_event(const tl_recording* recording, std::size_t index, tl_event* event,
                             std::size_t event_size) {
    return guarded([&] {
        require(event, "tl_recording_event", "event");
        const session::Event& found = event_at(recording, index, "tl_recording_event");
        const tl_event full = described(*recording, found);
        std::memset(event, 0, event_size);
        std::memcpy(event, &full, std::min(event_size, sizeof full));
    });
}

tl_status tl_recording_output_text(const tl_recording* recording, std::size_t event_index, std::size_t output_index,
                                   const char** text) {
    return guarded([&] {
        require(text, "tl_recording_output_text", "text");
        const session::Event& event = event_at(recording, event_index, "tl_recording_output_text");
        if (output_index >= event.outputs.size())
            throw Error(ErrorKind::Usage,
                        concat("tl_recording_output_text: output ", output_index, " of ", event.outputs.size()));
        const session::Value& value = recording->recording->value(event.outputs[output_index]);
        *text = recording->text(concat(value.dtype, " [", join(value.shape, ", "), "]"));
    });
}

}  // extern "C"
