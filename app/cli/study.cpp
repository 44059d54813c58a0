// SPDX-License-Identifier: Apache-2.0
// study: a study of a model, as the window's panel Studies shows it.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "app/cli/commands.h"
#include "app/cli/written_files.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/image/image.h"
#include "core/plugin/plugin_loader.h"
#include "core/study/share_groups.h"
#include "core/study/studies/study_picture.h"
#include "core/study/studies/study_record.h"

namespace loupe::cli {
namespace {

using session::short_number;

constexpr std::size_t kRows = 20;  // of tiles and points

std::string shown(const session::TokenInfo& token) { return python_repr(std::string_view(token.text)); }

std::string choices_text(const session::StudyOption& option) {
    constexpr std::size_t kMost = 8;
    if (option.choices.empty()) return {};
    const auto shown_choices = std::span(option.choices).first(std::min(kMost, option.choices.size()));
    const std::size_t left = option.choices.size() - shown_choices.size();
    return concat(" (", join(shown_choices, ", "), left > 0 ? concat(" and ", left, " others") : "", ")");
}

void print_studies(const session::StudySubject& subject) {
    for (const session::StudyRecord* study : session::all_studies()) {
        const session::StudyInfo info = session::describe_study(*study, subject);
        std::printf("%s: %s\n", info.name.c_str(), info.what.c_str());
        if (!info.paper.empty()) std::printf("    %s\n", info.paper.c_str());
        if (!info.why_not.empty()) std::printf("    does not fit: %s\n", info.why_not.c_str());
        if (!info.panel.empty()) std::printf("    in the window: the panel %s\n", info.panel.c_str());
        for (const session::StudyOption& option : info.options) {
            std::printf("    %s=%s: %s%s\n", option.name.c_str(), option.value.c_str(), option.what.c_str(),
                        choices_text(option).c_str());
        }
    }
}

void print_map(const session::StudyMap& map) {
    const auto magnitude = [](float a, float b) { return std::abs(a) < std::abs(b); };
    const auto greatest = std::max_element(map.values.begin(), map.values.end(), magnitude);
    if (greatest == map.values.end()) return;
    const auto place = greatest - map.values.begin();
    std::printf("%s: %lldx%lld, greatest %s at [%lld, %lld]\n", map.title.c_str(), static_cast<long long>(map.rows),
                static_cast<long long>(map.columns), short_number(static_cast<double>(*greatest)).c_str(),
                static_cast<long long>(place / map.columns), static_cast<long long>(place % map.columns));
}

void print_tokens(const session::StudyTokens& tokens) {
    std::printf("%5s %7s  %-20s %12s\n", "place", "id", "token", "score");
    for (std::size_t i = 0; i < tokens.scores.size() && i < tokens.tokens.size(); ++i)
        std::printf("%5zu %7lld  %-20s %12.5g\n", i, static_cast<long long>(tokens.tokens[i].id),
                    shown(tokens.tokens[i]).c_str(), tokens.scores[i]);
}

// A block of lines a place: its layers, from the first to the last.
void print_words(const session::StudyWords& words, std::size_t top) {
    for (std::size_t column = 0; column < words.columns.size(); ++column) {
        std::printf("place %zu, %s\n", column, shown(words.columns[column]).c_str());
        for (std::size_t row = 0; row < words.rows.size(); ++row) {
            const auto& cell = words.cells[row * words.columns.size() + column];
            std::string likely;
            for (std::size_t i = 0; i < std::min(top, cell.top.size()); ++i) {
                char share[32];
                std::snprintf(share, sizeof share, " %.2f %%", cell.top[i].probability * 100);
                likely += concat(i > 0 ? ", " : "", shown(cell.top[i].token), share);
            }
            std::printf("  %-24s %9.4f  %s\n", words.rows[row].name.c_str(), cell.entropy, likely.c_str());
        }
    }
}

void print_tiles(const session::StudyTiles& tiles) {
    std::printf("%s: %s, each %lldx%lld\n", tiles.title.c_str(), tiles.of_values.c_str(),
                static_cast<long long>(tiles.rows), static_cast<long long>(tiles.columns));
    std::printf("%8s %12s %12s %12s\n", "channel", "activity", "least", "greatest");
    for (std::size_t i = 0; i < std::min(kRows, tiles.tiles.size()); ++i) {
        const auto& tile = tiles.tiles[i];
        const auto [low, high] = std::minmax_element(tile.values.begin(), tile.values.end());
        std::printf("%8lld %12.5g %12.5g %12.5g\n", static_cast<long long>(tile.channel), tile.activity,
                    static_cast<double>(*low), static_cast<double>(*high));
    }
    if (tiles.tiles.size() > kRows) std::printf("and %zu others\n", tiles.tiles.size() - kRows);
}

void print_points(const session::StudyPoints& points) {
    std::printf("%8s %12s %12s  %s\n", "row", points.x_title.substr(0, 12).c_str(),
                points.y_title.substr(0, 12).c_str(), points.title.c_str());
    for (std::size_t i = 0; i < std::min(kRows, points.x.size()); ++i)
        std::printf("%8lld %12.5g %12.5g  %s\n", static_cast<long long>(points.indices[i]), points.x[i], points.y[i],
                    i < points.labels.size() ? python_repr(std::string_view(points.labels[i])).c_str() : "");
    if (points.x.size() > kRows) std::printf("and %zu others\n", points.x.size() - kRows);
}

}  // namespace

int run_study(const StudyArguments& options) {
    check_npz_name({"--outputs", options.outputs_file});
    check_written_files({{"--outputs", options.outputs_file}, {"--picture", options.picture_file}},
                        read_files(options.run));
    if (!options.picture_file.empty() && !options.picture_file.ends_with(".png"))
        throw Error(ErrorKind::Usage, concat("--picture ", options.picture_file, ": give it a name that ends in .png"));
    for (const auto& [option, file] :
         {std::pair("--outputs", options.outputs_file), std::pair("--picture", options.picture_file)})
        if (!file.empty()) check_can_be_written({option, file});
    plugins();
    const session::StudyRecord* const study = session::find_study(options.name);
    if (study == nullptr && options.name != "list") {
        std::vector<std::string> names;
        for (const session::StudyRecord* each : session::all_studies()) names.emplace_back(each->name);
        throw Error(ErrorKind::Usage, concat("no study ", loupe::quoted(options.name)),
                    {.hint = concat("there are ", join(names, ", "), "; list says which fit a model")});
    }
    if (options.run.mode == "train") throw Error(ErrorKind::Usage, "--mode train: studies run in eval mode");
    const PreparedRun run = prepare_model(options.run);
    std::shared_ptr<const session::TextModel> text = run.text_model;
    if (text == nullptr) {
        try {
            text = std::make_shared<const session::TextModel>(run.program, options.run.model);
        } catch (const Error&) {
            text = nullptr;  // ids have no names
        }
    }
    const session::StudySubject subject(
        run.program, run.options.method, [&run] { return run.arguments; }, text);
    if (study == nullptr) {
        print_studies(subject);
        return 0;
    }
    const session::StudyOutcome made = session::run_study(*study, subject, source_options(options.options), nullptr);
    const session::StudyResult& result = made.result;
    std::printf("%s\n", result.title.c_str());
    for (const std::string& fact : result.facts) std::printf("%s\n", fact.c_str());
    for (const auto& each : result.maps) print_map(each);
    for (const auto& each : result.tokens) print_tokens(each);
    for (const auto& each : result.words) print_words(each, options.top);
    for (const auto& each : result.tiles) print_tiles(each);
    for (const auto& each : result.points) print_points(each);
    const auto picture = options.picture_file.empty() ? std::nullopt : session::picture_of(result);
    if (!options.picture_file.empty() && !picture)
        throw Error(ErrorKind::Usage, concat(study->title, " gives no picture for --picture"));
    if (!options.outputs_file.empty()) write_npz(options.outputs_file, made.arrays);
    if (picture) write_png(options.picture_file, picture->rgb, picture->rows, picture->columns);
    return 0;
}

}  // namespace loupe::cli
