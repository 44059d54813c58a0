// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a study of a model is asked with and what it gives: values only. A study is one record (study_record.h); a panel
// and the command line draw what it gives by its kinds of results, and know nothing of the study.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/model/model_info.h"
#include "core/model/token_info.h"

namespace loupe::session {

// One option of a form. Its value is written as text.
struct StudyOption {
    enum class Kind { Integer, Number, Choice, Text };
    std::string name;   // "steps"
    std::string title;  // "Steps"
    std::string what;   // one sentence
    Kind kind = Kind::Text;
    std::string value;                 // the default
    std::vector<std::string> choices;  // of a Choice all there are; of a Text what it may well be
    double low = 0;                    // of numbers
    double high = 0;
    std::string only_if = {};  // "method=smoothgrad": it matters while that is chosen; empty: always
};
constexpr StudyOption::Kind last_of(StudyOption::Kind) { return StudyOption::Kind::Text; }
auto fields(Like<StudyOption> auto& it) {
    return std::tie(it.name, it.title, it.what, it.kind, it.value, it.choices, it.low, it.high, it.only_if);
}

// A study, and whether it fits the model that is open.
struct StudyInfo {
    std::string name;     // "grad-cam"
    std::string title;    // "Grad-CAM"
    std::string what;     // one sentence
    std::string paper;    // "Selvaraju et al. 2017"; may be empty
    std::string results;  // "map, tokens"
    std::string panel;    // not empty: this panel shows it, nothing is asked
    std::string why_not;  // empty: it fits
    std::vector<StudyOption> options;
};
auto fields(Like<StudyInfo> auto& it) {
    return std::tie(it.name, it.title, it.what, it.paper, it.results, it.panel, it.why_not, it.options);
}

// Bytes of a picture, red, green and blue: [rows, columns, 3].
struct StudyPicture {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<std::uint8_t> rgb;
};
auto fields(Like<StudyPicture> auto& it) { return std::tie(it.rows, it.columns, it.rgb); }

// Numbers over an image: [rows, columns].
struct StudyMap {
    std::string title;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<float> values;
    bool is_signed = false;  // colours about zero; else from zero up
    StudyPicture under;      // what they lie over: of the same sizes, or empty
};
auto fields(Like<StudyMap> auto& it) {
    return std::tie(it.title, it.rows, it.columns, it.values, it.is_signed, it.under);
}

// A number for each token of a text.
struct StudyTokens {
    std::string title;
    std::vector<TokenInfo> tokens;
    std::vector<double> scores;
};
auto fields(Like<StudyTokens> auto& it) { return std::tie(it.title, it.tokens, it.scores); }

// Likely words by row (a layer) and column (a place of a text).
struct StudyWords {
    struct Row {
        std::string name;    // "layers.3"
        std::string module;  // its path; empty: none
    };
    struct Cell {
        std::vector<TokenChoice> top;  // the likeliest first
        double entropy = 0;            // nats
    };
    std::string title;
    std::vector<Row> rows;
    std::vector<TokenInfo> columns;
    std::vector<Cell> cells;  // row-major
};
auto fields(Like<StudyWords::Row> auto& it) { return std::tie(it.name, it.module); }
auto fields(Like<StudyWords::Cell> auto& it) { return std::tie(it.top, it.entropy); }
auto fields(Like<StudyWords> auto& it) { return std::tie(it.title, it.rows, it.columns, it.cells); }

// Small pictures side by side, each of one channel.
struct StudyTiles {
    struct Tile {
        std::int64_t channel = 0;
        double activity = 0;  // mean of magnitudes
        double low = 0;       // of its colours
        double high = 0;
        std::vector<float> values;  // [rows, columns]
    };
    std::string title;
    std::string module;       // whose output they are
    std::string of_values;    // "64 of 512 channels"
    std::int64_t sample = 0;  // of the output: a tile is its [sample, channel]
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    bool is_signed = false;
    std::vector<Tile> tiles;
};
auto fields(Like<StudyTiles::Tile> auto& it) { return std::tie(it.channel, it.activity, it.low, it.high, it.values); }
auto fields(Like<StudyTiles> auto& it) {
    return std::tie(it.title, it.module, it.of_values, it.sample, it.rows, it.columns, it.is_signed, it.tiles);
}

// Points in a plane.
struct StudyPoints {
    std::string title;
    std::string x_title;
    std::string y_title;
    std::string colour_title;  // "norm"; empty: all of one colour
    bool is_grouped = false;   // colours are whole numbers, of groups
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> colour;
    std::vector<std::string> labels;
    std::vector<std::int64_t> indices;  // of what a point stands for: a row
};
auto fields(Like<StudyPoints> auto& it) {
    return std::tie(it.title, it.x_title, it.y_title, it.colour_title, it.is_grouped, it.x, it.y, it.colour, it.labels,
                    it.indices);
}

struct StudyResult {
    std::string error;  // not empty: nothing else is valid
    std::string title;  // "Integrated gradients of out[0, 207]"
    // What it comes to, a line each.
    std::vector<std::string> facts;
    std::vector<StudyMap> maps;
    std::vector<StudyTokens> tokens;
    std::vector<StudyWords> words;
    std::vector<StudyTiles> tiles;
    std::vector<StudyPoints> points;
};
auto fields(Like<StudyResult> auto& it) {
    return std::tie(it.error, it.title, it.facts, it.maps, it.tokens, it.words, it.tiles, it.points);
}

// How far one that is being answered has come.
struct StudyProgress {
    std::int64_t done = 0;
    std::int64_t of = 0;
    std::string what;  // "step"
};
auto fields(Like<StudyProgress> auto& it) { return std::tie(it.done, it.of, it.what); }

}  // namespace loupe::session
