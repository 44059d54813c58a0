// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tokenizer of a folder that Hugging Face's transformers saved.

#include <filesystem>
#include <memory>

#include "core/text/tokenizer.h"

namespace loupe::text {

// Of tokenizer.json; else of vocab.json and merges.txt (GPT-2's bytes), or vocab.txt (BERT's words). What
// tokenizer_config.json has of special tokens is added. Null when there is none of them. Throws Error (File) with the
// file's name.
std::shared_ptr<const Tokenizer> open_tokenizer(const std::filesystem::path& folder);

}  // namespace loupe::text
