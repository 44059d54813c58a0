// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs that are drawn or written in the Inputs panel, and what the model says to them.
#include <QPushButton>
#include <QTableView>
#include <QTimer>
#include <cmath>

#include "core/model/input_preview.h"
#include "core/session/queries/given_run.h"
#include "core/session/queries/next_tokens.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/tokenize.h"
#include "views/common/format.h"
#include "views/common/token_text.h"
#include "views/inputs/answer.h"
#include "views/inputs/array_file.h"
#include "views/inputs/drawing_pad.h"
#include "views/inputs/input_model.h"
#include "views/inputs/inputs_view.h"

namespace loupe::views {
namespace {

constexpr std::int64_t kMaxPreview = 1 << 20;
constexpr int kMaxDrawn = 64;  // pixels a side

// The first picture of [N, C, H, W], [C, H, W] or [H, W].
DrawingPad::Picture pictureOf(const session::InputPreview& preview) {
    DrawingPad::Picture picture;
    const auto& shape = preview.shape;
    if (shape.size() < 2 || shape.size() > 4 || preview.elements.empty() ||
        preview.dtype.find("int64") != std::string::npos)
        return picture;
    const std::int64_t channels = shape.size() == 2 ? 1 : shape[shape.size() - 3];
    const std::int64_t rows = shape[shape.size() - 2];
    const std::int64_t columns = shape.back();
    if (rows < 4 || columns < 4 || channels < 1) return picture;
    picture.channels = channels == 3 ? 3 : 1;
    picture.rows = static_cast<int>(rows);
    picture.columns = static_cast<int>(columns);
    picture.elements.assign(preview.elements.begin(), preview.elements.begin() + picture.channels * rows * columns);
    return picture;
}

}  // namespace

// The image input: the selected one if it is, else the first.
int InputsView::pictured() const {
    const auto isPicture = [this](int row) {
        if (row < 0 || row >= model_->rowCount()) return false;
        const session::InputSpec& spec = model_->specs()[static_cast<std::size_t>(row)];
        if (spec.literal || !spec.elements.empty()) return false;
        if (spec.source == session::InputSpec::Source::File && isImageFile(text(spec.file))) return true;
        return spec.dtype.find("float") != std::string::npos && (spec.shape.size() == 4 || spec.shape.size() == 3) &&
               spec.shape.back() >= 4 && spec.shape[spec.shape.size() - 2] >= 4;
    };
    if (isPicture(table_->currentIndex().row())) return table_->currentIndex().row();
    for (int row = 0; row < model_->rowCount(); ++row) {
        if (isPicture(row)) return row;
    }
    return -1;
}

// The first input that is a row of token ids.
int InputsView::worded() const {
    for (int row = 0; row < model_->rowCount(); ++row) {
        const session::InputSpec& spec = model_->specs()[static_cast<std::size_t>(row)];
        const bool one = spec.shape.size() == 1 || (spec.shape.size() == 2 && spec.shape[0] == 1);
        if (!spec.literal && spec.elements.empty() && one && (spec.dtype == "int64" || spec.dtype == "int32"))
            return row;
    }
    return -1;
}

void InputsView::showPreview() {
    const bool takesText = bridge().takesText();
    const int words = takesText ? -1 : worded();
    words_->setVisible(takesText || words >= 0);
    words_->setToolTip(
        takesText ? tr("A text gives the model's tokens, shown in the panel Text; numbers are ids. Return runs "
                       "the model on it.")
                  : tr("A text gives its bytes as token ids; numbers are ids. Return runs the model on it."));
    if (takesText && !words_->hasFocus())
        words_->setText(QString(bridge().prompt()).replace(QLatin1Char('\n'), QLatin1Char(' ')));
    if (words >= 0 && !words_->hasFocus()) {
        const auto preview = session::preview_input(model_->specs()[static_cast<std::size_t>(words)], 4096);
        words_->setText(preview.error.empty() ? textOfTokens(preview.elements) : QString());
    }
    const int row = pictured();
    pad_->setVisible(row >= 0);
    clear_->setVisible(false);
    if (row < 0) return;
    const session::InputSpec& spec = model_->specs()[static_cast<std::size_t>(row)];
    const auto preview = session::preview_input(spec, kMaxPreview);
    pad_->setPicture(preview.error.empty() ? pictureOf(preview) : DrawingPad::Picture());
    const auto& picture = pad_->picture();
    const bool single =
        preview.shape.size() < 4 || (preview.shape[0] == 1 && (preview.shape[1] == 1 || preview.shape[1] == 3));
    pad_->setDrawable(!picture.isEmpty() && single && picture.rows <= kMaxDrawn && picture.columns <= kMaxDrawn);
    clear_->setVisible(pad_->isDrawable());
}

void InputsView::useArray(int row, const QString& file, const session::Shape& shape, const char* dtype) {
    session::InputSpec spec = model_->specs()[static_cast<std::size_t>(row)];
    spec.source = session::InputSpec::Source::File;
    spec.file = file.toStdString();
    spec.key.clear();
    spec.shape = shape;
    spec.dtype = dtype;
    model_->setSpec(row, spec);
    runWhenStill();
}

// A paused run is not replaced. A running one is waited for.
void InputsView::runWhenStill() {
    const auto& model = bridge().model();
    const bool canRun = model && model->cannot_run.empty();
    waits_to_run_ = canRun && bridge().isBusy() ? model->path : std::string();
    if (canRun && !bridge().isBusy() && !bridge().isPaused()) bridge().run();
}

void InputsView::takeDrawing() {
    const int row = pictured();
    if (row < 0 || !bridge().model()) return;
    const auto& picture = pad_->picture();
    const session::Shape shape{1, picture.channels, picture.rows, picture.columns};
    const QString file =
        ownInputFile(text(bridge().model()->path), model_->index(row, InputModel::Name).data().toString());
    const QString error = writeArray(file, shape, std::vector<float>(picture.elements.begin(), picture.elements.end()));
    if (!error.isEmpty())
        return bridge().addLog({SessionBridge::LogEntry::Level::Error, error.toStdString(), 0, -1, {}, {}});
    useArray(row, file, shape, "float32");
}

// By the model's tokenizer.
void InputsView::takeTokens() {
    const QString typed = words_->text();
    session::TokenizeQuery query{typed.toStdString(), {}};
    if (const auto tokens = tokensOf(typed); areIds(typed)) query.ids = tokens;
    const bool isText = query.ids.empty();
    bridge().ask(QStringLiteral("inputs.tokens"), query, this,
                 [this, typed, isText](const session::TokenizedText& answer) {
                     if (!answer.error.empty()) {
                         bridge().addLog({SessionBridge::LogEntry::Level::Error, answer.error, 0, -1, {}, {}});
                         emit refused(text(answer.error));
                         return;
                     }
                     if (isText) bridge().setPrompt(typed);
                     bridge().setInputs(answer.inputs);
                     runWhenStill();
                 });
}

void InputsView::takeText() {
    if (bridge().takesText() && !words_->text().isEmpty()) return takeTokens();
    const int row = worded();
    if (row < 0 || words_->text().isEmpty() || !bridge().model()) return;
    const auto tokens = tokensOf(words_->text());
    session::Shape shape = model_->specs()[static_cast<std::size_t>(row)].shape;
    shape.back() = static_cast<std::int64_t>(tokens.size());
    const QString file =
        ownInputFile(text(bridge().model()->path), model_->index(row, InputModel::Name).data().toString());
    const QString error = writeArray(file, shape, tokens);
    if (!error.isEmpty())
        return bridge().addLog({SessionBridge::LogEntry::Level::Error, error.toStdString(), 0, -1, {}, {}});
    useArray(row, file, shape, "int64");
}

QString InputsView::answer() const { return answer_->isHidden() ? QString() : answer_->text(); }

// The last operator of forward returns the logits of a classifier, or of the next token.
void InputsView::showAnswer() {
    const auto& recording = bridge().recording();
    if (bridge().isBusy()) return;
    answer_->hide();
    if (!recording || bridge().status().state != session::RunState::Finished) return;
    if (bridge().takesText()) return showNextWords();
    session::ValueId output = 0;
    for (auto id = static_cast<session::EventId>(recording->event_count()); id > 0 && output == 0; --id) {
        const session::Event& event = recording->event(id);
        // Operators of the loss are no predictions.
        const bool isOfLoss = event.scope == "loss" || event.scope.starts_with("loss.");
        if (event.phase == session::RunPhase::Forward && !event.outputs.empty() && !isOfLoss)
            output = event.outputs.front();
    }
    if (output == 0) return;
    const session::Value& value = recording->value(output);
    const bool logits = value.dtype.find("float") != std::string_view::npos &&
                        (value.shape.size() == 2 || value.shape.size() == 3) && value.shape[0] == 1;
    if (!logits || value.shape.back() < 2 || value.shape.back() > 1000) return;
    session::TensorRequest request;
    request.value = output;
    request.slice = value.shape.size() == 3 ? "[0, -1]" : "[0]";
    request.max_columns = 1000;
    const bool characters = value.shape.size() == 3 && worded() >= 0 && value.shape.back() <= 256;
    bridge().ask(QStringLiteral("inputs.answer"), session::TensorQuery{request}, this,
                 [this, characters](const session::TensorSlice& slice) {
                     if (!slice.error.empty() || slice.data.empty() || !bridge().model()) return;
                     const QString chosen =
                         answerText(slice.data.front().elements, classNames(text(bridge().model()->path)), characters);
                     answer_->setText((characters ? tr("Next: %1") : tr("Output: %1")).arg(chosen));
                     answer_->setVisible(!chosen.isEmpty());
                 });
}

void InputsView::showNextWords() {
    session::NextTokensQuery query;
    query.first = -1;
    query.count = 1;
    query.top = 2;
    bridge().ask(QStringLiteral("inputs.answer"), query, this, [this](const session::NextTokens& next) {
        QStringList words;
        if (!next.odds.empty())
            for (const session::TokenChoice& each : next.odds.front().top)
                words += QStringLiteral("%1 (%2)").arg(visibleToken(each.token), percentText(each.probability));
        answer_->setText(words.size() < 2 ? tr("Next: %1").arg(words.join(QString()))
                                          : tr("Next: %1, then %2").arg(words.front(), words.back()));
        answer_->setVisible(!words.isEmpty());
    });
}

}  // namespace loupe::views
