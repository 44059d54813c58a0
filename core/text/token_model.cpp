// SPDX-License-Identifier: Apache-2.0
#include "core/text/token_model.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/text/settings.h"

namespace loupe::text {

void TokenModel::no_unknown(std::string_view word) {
    throw Error(ErrorKind::Run, concat("the tokenizer has no token for ", python_repr(word.substr(0, 60)),
                                       " and none for what is unknown"));
}

std::unique_ptr<TokenModel> make_token_model(const JsonValue& settings) {
    // Older files name no type.
    std::string type = text_of(settings, "type", "");
    if (type.empty()) {
        const JsonValue* vocabulary = part_of(settings, "vocab");
        if (part_of(settings, "merges") != nullptr)
            type = "BPE";
        else if (vocabulary != nullptr && vocabulary->is_list())
            type = "Unigram";
        else
            type = part_of(settings, "continuing_subword_prefix") != nullptr ? "WordPiece" : "WordLevel";
    }
    if (type == "BPE") return make_bpe(settings);
    if (type == "Unigram") return make_unigram(settings);
    if (type == "WordPiece") return make_wordpiece(settings);
    if (type == "WordLevel") return make_wordlevel(settings);
    refuse(concat("the model ", python_repr(std::string_view(type)), " is not known"));
}

}  // namespace loupe::text
