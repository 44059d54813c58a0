// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model with its tokenizer, of a Hugging Face folder or a GGUF file: text to arguments of forward, results to words.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ordered_json.h"
#include "core/model/program.h"
#include "core/text/tokenizer.h"

namespace loupe::session {

class TextModel {
  public:
    // path: the folder, a file in it, or a file that holds its tokenizer itself. Throws Error (File) where there is no
    // tokenizer or it is damaged, Unsupported for a model that takes neither input_ids nor decoder_input_ids.
    TextModel(std::shared_ptr<Program> program, const std::filesystem::path& path);

    Program& program() const { return *program_; }
    const text::Tokenizer& tokenizer() const { return *tokenizer_; }
    const FunctionSchema& schema() const;
    // generation_config.json, with what config.json has of it besides; of a GGUF file what its metadata has.
    const OrderedJson& generation() const { return generation_; }

    // Throws Error (File) where an id lies beyond the vocabulary, Usage for a text without tokens. Of a model that
    // hears these are what its decoder begins with: without the token that would end the text.
    text::Encoding encode(const std::string& text) const;
    // Inputs of forward by their names: input_ids, attention_mask, token_type_ids, and decoder_input_ids, the token
    // that decoders begin with; of a model that hears the tokens. The last that is given ends them. others: those that
    // are chosen; what forward needs besides is of them, or the model's example.
    std::vector<InputSpec> input_specs(const text::Encoding& tokens, const std::vector<InputSpec>& others = {}) const;
    // The same of ids alone.
    std::vector<InputSpec> specs_of_ids(const std::vector<std::int64_t>& ids,
                                        const std::vector<InputSpec>& others = {}) const;
    // Does it write what it hears or sees, as Whisper does? Then a text is what its decoder has written so far.
    bool hears() const { return !place_of("input_ids"); }
    // The place of an argument of forward, without self.
    std::optional<std::size_t> place_of(std::string_view argument) const;
    // An integer or list of them of the generation's settings; empty where there is none.
    std::vector<std::int64_t> ids_named(const char* name) const;
    std::int64_t decoder_start() const;
    // 0: unknown.
    std::int64_t vocabulary_size() const { return vocabulary_size_; }
    // Tokens of a text that it is made for; 0: unknown.
    std::int64_t most_tokens() const { return most_tokens_; }
    // Does it fill gaps (BERT)? Then its scores at a place are of the token that stands there, not of the next one.
    bool fills_gaps() const { return fills_gaps_; }
    // Are its scores of the next token?
    bool can_generate() const { return can_generate_; }

    // As it stands in a text: "▁dog" and "Ġdog" are " dog". Of a part of a character the token's own name.
    std::string shown(std::int64_t id) const;

  private:
    void begin_decoder(text::Encoding& tokens) const;

    std::shared_ptr<Program> program_;
    std::shared_ptr<const text::Tokenizer> tokenizer_;
    OrderedJson generation_;
    std::int64_t vocabulary_size_ = 0;
    std::int64_t most_tokens_ = 0;
    bool fills_gaps_ = false, can_generate_ = false;
};

// [1, n] of int64.
Tensor row_of_ids(const std::vector<std::int64_t>& ids, Device device);
// Of logits [..., n, vocabulary] the scores of the last position of the first row, as float32.
std::vector<float> last_scores(const Tensor& logits);

}  // namespace loupe::session
