// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tokenizer that a GGUF file holds in its metadata (https://github.com/ggml-org/ggml, docs/gguf.md, `tokenizer.*`).

#include <memory>

#include "core/base/ordered_json.h"
#include "core/text/text_parts.h"

namespace loupe::text {

// metadata: by key. Of tokenizer.ggml.model "llama" (sentencepiece's BPE, merged by score or by the file's merges),
// "gpt2" (bytes, split as tokenizer.ggml.pre says), "bert" (WordPiece) and "t5" (Unigram). Null where there is none.
// The config is empty. Throws Error (File) for one that is damaged, Unsupported for another kind.
std::shared_ptr<const TextParts> gguf_text_parts(const OrderedJson& metadata);

}  // namespace loupe::text
