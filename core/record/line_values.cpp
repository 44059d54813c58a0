// SPDX-License-Identifier: Apache-2.0
#include "core/record/line_values.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/strings.h"
#include "core/model/shown_source.h"
#include "core/nn/module.h"
#include "core/tensor/quantizer.h"

namespace loupe::session {
namespace {

constexpr std::size_t kLongest = 60;  // characters of a text
constexpr std::size_t kElements = 6;  // of a list

std::string number_text(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", number);
    return text;
}

// At a boundary of UTF-8.
std::string shortened(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text.size() <= kLongest) return text;
    std::size_t end = kLongest - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end) + "...";
}

std::string elements_text(const std::vector<IValue>& elements, char open, char close) {
    std::string text(1, open);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i > 0) text += ", ";
        if (i == kElements || text.size() > kLongest) {
            text += concat("... ", elements.size(), " in all");
            break;
        }
        text += short_text(elements[i]);
    }
    if (open == '(' && elements.size() == 1) text += ',';
    return text + close;
}

std::string dict_text(const DictObject& dict) {
    std::string text = "{";
    std::size_t shown = 0;
    for (const auto& [key, value] : dict.entries()) {
        if (shown > 0) text += ", ";
        if (shown++ == kElements || text.size() > kLongest) {
            text += concat("... ", dict.entries().size(), " in all");
            break;
        }
        text += concat(short_text(key), ": ", short_text(value));
    }
    return text + "}";
}

}  // namespace

std::string short_text(const IValue& value) {
    if (value.is_tensor()) {
        const Tensor& t = value.to_tensor();
        if (!t.defined()) return "None";
        return concat(shown_dtype(t), " ", shape_text({t.sizes().begin(), t.sizes().end()}));
    }
    if (value.is_list()) return elements_text(value.to_list().elements, '[', ']');
    if (value.is_tuple()) return elements_text(value.to_tuple().elements, '(', ')');
    if (value.is_dict()) return dict_text(value.to_dict());
    if (const nn::ModulePtr module = nn::as_module(value)) return module->class_name();
    const bool is_plain =
        value.is_none() || value.is_bool() || value.is_int() || value.is_double() || value.is_string();
    return shortened(is_plain ? python_repr(value) : value_type_name(value));
}

std::string short_text(const Value& recorded) {
    std::string text = concat(recorded.dtype, " ", shape_text(recorded.shape));
    if (!recorded.statistics || recorded.statistics->count == 0) return text;
    const Statistics& s = *recorded.statistics;
    if (s.count == 1 && s.finite) return concat(text, ", ", number_text(s.finite->mean));
    if (s.finite) text += concat(", ", number_text(s.finite->min), " to ", number_text(s.finite->max));
    if (s.nan_count > 0) text += concat(", ", s.nan_count, " NaN");
    if (s.inf_count > 0) text += concat(", ", s.inf_count, " Inf");
    return text;
}

void LineValues::note(const EagerModel::Statement& statement, const std::function<ValueId(const Tensor&)>& find) {
    while (!calls_.empty() && calls_.back().depth > statement.calls) calls_.pop_back();
    if (!calls_.empty() && calls_.back().depth == statement.calls && statement.is_first) calls_.pop_back();
    if (calls_.empty() || calls_.back().depth != statement.calls) {
        calls_.push_back({statement.calls, {}});
        calls_.back().values.function = statement.function;
    }
    FrameValues& frame = calls_.back().values;
    frame.source = place_of(statement.range);
    for (const EagerModel::Assigned& assigned : statement.assigned) {
        LineValue line{place_of(assigned.range).line, assigned.name, short_text(assigned.value), 0};
        if (assigned.value.is_tensor() && assigned.value.to_tensor().defined())
            line.value = find(assigned.value.to_tensor());
        std::erase_if(frame.values,
                      [&](const LineValue& old) { return old.line == line.line && old.name == line.name; });
        frame.values.push_back(std::move(line));
    }
}

std::vector<FrameValues> LineValues::frames(const Recording& recording) const {
    std::vector<FrameValues> out;
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
        out.push_back(call->values);
        for (LineValue& line : out.back().values) {
            if (line.value != 0 && line.value <= recording.value_count())
                line.text = short_text(recording.value(line.value));
        }
    }
    return out;
}

}  // namespace loupe::session
