// SPDX-License-Identifier: Apache-2.0
// Feature maps: the channels of a module's output as small pictures.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/study/studies/module_outputs.h"
#include "core/study/studies/study_list.h"
#include "core/study/studies/study_target.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

constexpr std::int64_t kMostSide = 128;  // of a tile

std::string why_not(const StudySubject& subject) {
    if (!subject.has_parameter_of_rank(4)) return "no convolution: no parameter has four dimensions";
    return subject.info().modules.size() > 1 ? std::string() : "the model has no modules whose output could be shown";
}

// The first module with a convolution of its own.
std::string first_convolution(const ModelInfo& info) {
    for (const ModuleInfo& module : info.modules)
        for (const TensorInfo& parameter : module.parameters)
            if (parameter.shape.size() == 4) return module.path;
    return {};
}

std::vector<StudyOption> options(const StudySubject& subject) {
    using Kind = StudyOption::Kind;
    return {{.name = "module",
             .title = "Module",
             .what = "Whose output is shown: it gives N x C x H x W",
             .kind = Kind::Text,
             .value = first_convolution(subject.info()),
             .choices = module_paths(subject)},
            sample_option(1'000'000),
            {.name = "order",
             .title = "Order",
             .what = "The most active channels first, by the mean of magnitudes; or as they stand",
             .kind = Kind::Choice,
             .value = "activity",
             .choices = {"activity", "channel"}},
            {.name = "scale",
             .title = "Colours",
             .what = "Each channel from its own least to its own greatest element, or all on one scale",
             .kind = Kind::Choice,
             .value = "own",
             .choices = {"own", "shared"}},
            {.name = "most",
             .title = "At most",
             .what = "Channels that are shown",
             .kind = Kind::Integer,
             .value = "64",
             .choices = {},
             .low = 1,
             .high = 4096}};
}

// Every `step`th row and column of a large one: the mean of what it stands for.
std::vector<float> reduced(const float* plane, std::int64_t rows, std::int64_t columns, std::int64_t step) {
    if (step == 1) return {plane, plane + rows * columns};
    std::vector<float> out;
    for (std::int64_t i = 0; i < rows; i += step)
        for (std::int64_t j = 0; j < columns; j += step) {
            double sum = 0;
            std::int64_t count = 0;
            for (std::int64_t k = i; k < std::min(rows, i + step); ++k)
                for (std::int64_t l = j; l < std::min(columns, j + step); ++l, ++count)
                    sum += static_cast<double>(plane[k * columns + l]);
            out.push_back(static_cast<float>(sum / static_cast<double>(count)));
        }
    return out;
}

double activity_of(const float* plane, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += std::abs(static_cast<double>(plane[i]));
    return sum / static_cast<double>(std::max<std::int64_t>(1, count));
}

// Of signed maps zero is the middle.
void set_scales(StudyTiles& tiles, bool is_shared) {
    double least = 0, greatest = 0;
    bool has_any = false;
    for (StudyTiles::Tile& tile : tiles.tiles) {
        double low = 0, high = 0;
        bool is_first = true;
        for (const float each : tile.values) {
            const auto value = static_cast<double>(each);
            if (!std::isfinite(value)) continue;
            low = is_first ? value : std::min(low, value);
            high = is_first ? value : std::max(high, value);
            is_first = false;
        }
        tile.low = low;
        tile.high = high;
        least = has_any ? std::min(least, low) : low;
        greatest = has_any ? std::max(greatest, high) : high;
        has_any = true;
    }
    tiles.is_signed = least < 0;
    for (StudyTiles::Tile& tile : tiles.tiles) {
        if (is_shared) {
            tile.low = least;
            tile.high = greatest;
        }
        if (!tiles.is_signed) continue;
        const double reach = std::max(std::abs(tile.low), std::abs(tile.high));
        tile.low = -reach;
        tile.high = reach;
    }
}

StudyOutcome answer(const StudySubject& subject, const StudyChoices& choices, const StudyReport&) {
    const std::string& path = choices.text("module");
    const Tensor all = output_of(subject, path);
    const std::int64_t sample = choices.integer("sample");
    if (all.dim() != 4 || !is_floating(all.dtype()) || all.numel() == 0)
        throw Error(ErrorKind::Usage, concat(path, " gives ", describe(all), ", not N x C x H x W"));
    if (sample >= all.size(0)) throw Error(ErrorKind::Usage, concat("no sample ", sample, ": there are ", all.size(0)));
    const Tensor maps = fn::contiguous(
        on_host(fn::to_dtype(fn::select(all, 0, sample), static_cast<std::int64_t>(ScalarType::Float32))), 0);
    const std::int64_t channels = maps.size(0), rows = maps.size(1), columns = maps.size(2);
    std::vector<double> activity;
    for (std::int64_t c = 0; c < channels; ++c)
        activity.push_back(activity_of(maps.data<float>() + c * rows * columns, rows * columns));
    std::vector<std::int64_t> order(static_cast<std::size_t>(channels));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    if (choices.text("order") == "activity")
        std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
            return activity[static_cast<std::size_t>(a)] > activity[static_cast<std::size_t>(b)];
        });
    const std::int64_t shown = std::min(channels, choices.integer("most"));
    const std::int64_t step = std::max<std::int64_t>(1, (std::max(rows, columns) + kMostSide - 1) / kMostSide);
    StudyOutcome out;
    StudyTiles& tiles = out.result.tiles.emplace_back();
    tiles.title = concat("Output of ", path);
    tiles.module = path;
    tiles.sample = sample;
    tiles.of_values = shown == channels ? concat(channels, " channels") : concat(shown, " of ", channels, " channels");
    tiles.rows = (rows + step - 1) / step;
    tiles.columns = (columns + step - 1) / step;
    for (std::int64_t i = 0; i < shown; ++i) {
        check_cancelled();
        const std::int64_t channel = order[static_cast<std::size_t>(i)];
        tiles.tiles.push_back({channel, activity[static_cast<std::size_t>(channel)], 0, 0,
                               reduced(maps.data<float>() + channel * rows * columns, rows, columns, step)});
    }
    set_scales(tiles, choices.text("scale") == "shared");
    out.result.title = concat("Feature maps of ", path);
    const auto silent = std::ranges::count(activity, 0.0);
    out.result.facts.push_back(
        concat(tiles.of_values, " of ", rows, "x", columns,
               silent > 0 ? concat("; ", silent, " are zero everywhere") : std::string(),
               step > 1 ? concat("; each point is the mean of ", step, "x", step) : std::string()));
    out.arrays.emplace_back("maps", maps);
    out.arrays.emplace_back("order",
                            tensor_of(std::span<const std::int64_t>(order), std::vector<std::int64_t>{channels}));
    out.arrays.emplace_back("activity",
                            tensor_of(std::span<const double>(activity), std::vector<std::int64_t>{channels}));
    return out;
}

}  // namespace

const StudyRecord kFeatureMapsStudy{
    .name = "feature-maps",
    .title = "Feature maps",
    .what = "The channels of a module's output as small pictures, the most active first.",
    .paper = {},
    .results = "tiles",
    .panel = {},
    .why_not = why_not,
    .options = options,
    .answer = answer,
};

}  // namespace loupe::session
