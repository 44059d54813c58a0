// SPDX-License-Identifier: Apache-2.0
#include "core/library/python/recording.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "core/base/strings.h"
#include "core/library/python/engine_call.h"
#include "core/library/python/object.h"
#include "core/record/recording.h"
#include "core/record/recording_file.h"

namespace loupe::bindings {
namespace {

using session::Event;
using session::Recording;
using Path = std::filesystem::path;

struct RecordedRun {
    std::shared_ptr<const Recording> recording;
    std::function<void(const Path&)> save = nullptr;
};
// Keeps the recording that it is a part of.
struct RecordedEvent {
    std::shared_ptr<const Recording> recording;
    const Event* event;
};
struct RecordedValue {
    std::shared_ptr<const Recording> recording;
    const session::Value* value;
};

std::vector<RecordedValue> values_of(const RecordedEvent& self, const std::vector<session::ValueId>& ids) {
    std::vector<RecordedValue> out;
    for (const session::ValueId id : ids) out.push_back({self.recording, &self.recording->value(id)});
    return out;
}

session::EventId peer_of(const RecordedEvent& self) {
    const Event& event = *self.event;
    return event.phase == session::RunPhase::Forward ? self.recording->backward_peer(event.id) : event.peer;
}

RecordedEvent event_at(const RecordedRun& self, std::int64_t index) {
    const auto count = static_cast<std::int64_t>(self.recording->event_count());
    const std::int64_t at = index < 0 ? index + count : index;
    if (at < 0 || at >= count) throw py::index_error(concat("index ", index, " of ", count, " events"));
    return {self.recording, &self.recording->event(static_cast<session::EventId>(at + 1))};
}

template <auto Member>
auto member_of_event() {
    return [](const RecordedEvent& self) { return self.event->*Member; };
}
template <auto Member>
auto member_of_value() {
    return [](const RecordedValue& self) { return self.value->*Member; };
}
template <auto Member>
auto statistic() {
    return [](const RecordedValue& self) -> py::object {
        const auto& statistics = self.value->statistics;
        return statistics && statistics->finite ? py::cast((*statistics->finite).*Member) : py::none();
    };
}

void define_value(py::module_& module) {
    using session::Value;
    py::class_<RecordedValue>(module, "Value", "A tensor that an event read or made.")
        .def_property_readonly("name", member_of_value<&Value::name>())
        .def_property_readonly("dtype", member_of_value<&Value::dtype>())
        .def_property_readonly("shape",
                               [](const RecordedValue& self) {
                                   const auto& shape = self.value->shape;
                                   py::tuple out(shape.size());
                                   for (std::size_t d = 0; d < shape.size(); ++d) out[d] = shape[d];
                                   return out;
                               })
        .def_property_readonly("bytes", member_of_value<&Value::bytes>())
        .def_property_readonly("requires_grad", member_of_value<&Value::requires_grad>())
        .def_property_readonly("min", statistic<&session::FiniteStatistics::min>(),
                               "Of the finite elements; None where there are none, or they were not counted.")
        .def_property_readonly("max", statistic<&session::FiniteStatistics::max>())
        .def_property_readonly("mean", statistic<&session::FiniteStatistics::mean>())
        .def("__repr__", [](const RecordedValue& self) {
            return concat("<", self.value->name, ": ", self.value->dtype, " [", join(self.value->shape, ", "), "]>");
        });
}

void define_event(py::module_& module) {
    py::class_<RecordedEvent>(module, "Event", "An operator that ran.")
        .def_property_readonly("id", member_of_event<&Event::id>(), "1, 2, ... in order.")
        .def_property_readonly("phase",
                               [](const RecordedEvent& self) { return session::phase_name(self.event->phase); })
        .def_property_readonly("op", member_of_event<&Event::op>(), "'aten::conv2d', 'ConvolutionBackward0'")
        .def_property_readonly("scope", member_of_event<&Event::scope>(), "Path of the module.")
        .def_property_readonly("source", member_of_event<&Event::source_file>())
        .def_property_readonly("line", member_of_event<&Event::source_line>())
        .def_property_readonly("peer", &peer_of,
                               "Of a backward event its forward event, and the other way round; 0: none.")
        .def_property_readonly("start", member_of_event<&Event::start>(), "Seconds since the run began.")
        .def_property_readonly("duration", member_of_event<&Event::duration>(), "Seconds.")
        .def_property_readonly("flops", member_of_event<&Event::flops>())
        .def_property_readonly("memory_after", member_of_event<&Event::memory_after>(), "Bytes alive.")
        .def_property_readonly("backend", member_of_event<&Event::backend>())
        .def_property_readonly("has_nan", member_of_event<&Event::has_nan>())
        .def_property_readonly("has_inf", member_of_event<&Event::has_inf>())
        .def_property_readonly("error", member_of_event<&Event::error>())
        .def_property_readonly("arguments", member_of_event<&Event::arguments>())
        .def_property_readonly("inputs", [](const RecordedEvent& self) { return values_of(self, self.event->inputs); })
        .def_property_readonly("outputs",
                               [](const RecordedEvent& self) { return values_of(self, self.event->outputs); })
        .def("__repr__", [](const RecordedEvent& self) {
            return concat("<", self.event->id, " ", self.event->op, self.event->scope.empty() ? "" : " in ",
                          self.event->scope, ">");
        });
}

}  // namespace

py::object recording_object(const Model::Recorded& recorded) {
    return py::cast(RecordedRun{recorded.recording, recorded.save});
}

void define_recording(py::module_& module) {
    using namespace pybind11::literals;
    define_value(module);
    define_event(module);
    py::class_<RecordedRun>(module, "Recording", "A run that was written down: a sequence of events.")
        .def("__len__", [](const RecordedRun& self) { return self.recording->event_count(); })
        .def("__getitem__", &event_at)
        .def(
            "save",
            [](const RecordedRun& self, const Path& file) {
                if (!self.save) throw py::value_error("a recording of a file is there already: copy the file");
                in_engine([&] { self.save(file); });
            },
            "file"_a, "Writes a .loupe file, which the window and tensorloupe-cli open.");
    module.def(
        "open_recording",
        [](const Path& file) {
            return in_engine([&] { return RecordedRun{session::RecordingFile(file.string()).recording()}; });
        },
        "file"_a, "A .loupe file.");
}

}  // namespace loupe::bindings
