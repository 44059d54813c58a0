// SPDX-License-Identifier: Apache-2.0
#include "core/text/token_decoder.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/text/byte_alphabet.h"
#include "core/text/normalized_text.h"
#include "core/text/normalizer.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/settings.h"

namespace loupe::text {
namespace {

using Tokens = std::vector<std::string>;

std::string with_all(const std::string& text, std::string_view wanted, std::string_view content) {
    if (wanted.empty()) return text;
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, done)) {
        out.append(text, done, at - done);
        out += content;
        done = at + wanted.size();
    }
    return out.append(text, done);
}

// Of English texts that were split at punctuation.
std::string clean_up(std::string text) {
    static constexpr std::pair<const char*, const char*> kPairs[] = {
        {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
        {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (const auto& [from, to] : kPairs) text = with_all(text, from, to);
    return text;
}

Tokens decode_byte_chars(Tokens tokens) {
    std::string bytes;
    for (const std::string& token : tokens) {
        const std::size_t before = bytes.size();
        for (std::size_t at = 0; at < token.size();) {
            const auto byte = byte_of_char(next_char(token, at));
            if (!byte) {
                bytes.resize(before);
                bytes += token;
                break;
            }
            bytes += static_cast<char>(*byte);
        }
    }
    return {lossy_utf8(bytes)};
}

Tokens decode_byte_tokens(Tokens tokens) {
    Tokens out;
    std::string bytes;
    const auto flush = [&] {
        if (is_valid_utf8(bytes)) {
            if (!bytes.empty()) out.push_back(bytes);
        } else {
            out.insert(out.end(), bytes.size(), "\xEF\xBF\xBD");
        }
        bytes.clear();
    };
    for (std::string& token : tokens) {
        if (const auto byte = byte_of_token(token)) {
            bytes += static_cast<char>(*byte);
            continue;
        }
        flush();
        out.push_back(std::move(token));
    }
    flush();
    return out;
}

TokenDecoder wordpiece(const JsonValue& settings) {
    return [prefix = text_of(settings, "prefix", "##"), cleans = flag_of(settings, "cleanup", true)](Tokens tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (i > 0) {
                if (tokens[i].starts_with(prefix))
                    tokens[i].erase(0, prefix.size());
                else
                    tokens[i] = concat(" ", tokens[i]);
            }
            if (cleans) tokens[i] = clean_up(std::move(tokens[i]));
        }
        return tokens;
    };
}

TokenDecoder metaspace(const JsonValue& settings) {
    std::string mark;
    append_char(mark, char_of(settings, "replacement", U'\u2581'));
    const bool drops_first = prepends_of(settings) != Prepends::Never;
    return [=](Tokens tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            tokens[i] = with_all(tokens[i], mark, i == 0 && drops_first ? "" : " ");
        return tokens;
    };
}

TokenDecoder bpe(const JsonValue& settings) {
    return [suffix = text_of(settings, "suffix", "</w>")](Tokens tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            tokens[i] = with_all(tokens[i], suffix, i + 1 == tokens.size() ? "" : " ");
        return tokens;
    };
}

TokenDecoder strip(const JsonValue& settings) {
    std::string content;
    append_char(content, char_of(settings, "content", U' '));
    const auto start = integer_of(settings, "start", 0), stop = integer_of(settings, "stop", 0);
    return [=](Tokens tokens) {
        for (std::string& token : tokens) {
            for (auto i = start; i > 0 && token.starts_with(content); --i) token.erase(0, content.size());
            for (auto i = stop; i > 0 && token.ends_with(content); --i) token.resize(token.size() - content.size());
        }
        return tokens;
    };
}

TokenDecoder replace(const JsonValue& settings) {
    const JsonValue* pattern = part_of(settings, "pattern");
    if (pattern == nullptr) refuse("Replace has no pattern");
    return [finder = pattern_of(*pattern), content = text_of(settings, "content")](Tokens tokens) {
        for (std::string& token : tokens) {
            std::string out;
            for (const Piece& piece : finder(token)) {
                check_length(out.size() + content.size());
                out += piece.is_match ? content : token.substr(piece.begin, piece.end - piece.begin);
            }
            token = std::move(out);
        }
        return tokens;
    };
}

TokenDecoder ctc(const JsonValue& settings) {
    return [pad = text_of(settings, "pad_token", "<pad>"), delimiter = text_of(settings, "word_delimiter_token", "|"),
            cleans = flag_of(settings, "cleanup", true)](Tokens tokens) {
        tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
        for (std::string& token : tokens) {
            token = with_all(token, pad, "");
            if (cleans) token = with_all(clean_up(std::move(token)), delimiter, " ");
        }
        std::erase(tokens, "");
        return tokens;
    };
}

TokenDecoder sequence(const JsonValue& settings) {
    std::vector<TokenDecoder> parts;
    for (const JsonValue& part : list_of(settings, "decoders")) parts.push_back(make_token_decoder(part));
    return [parts = std::move(parts)](Tokens tokens) {
        for (const TokenDecoder& part : parts) tokens = part(std::move(tokens));
        return tokens;
    };
}

}  // namespace

TokenDecoder make_token_decoder(const JsonValue& settings) {
    const std::string type = text_of(settings, "type");
    if (type == "ByteLevel") return decode_byte_chars;
    if (type == "ByteFallback") return decode_byte_tokens;
    if (type == "Fuse") return [](Tokens tokens) { return Tokens{join(tokens, "")}; };
    if (type == "WordPiece") return wordpiece(settings);
    if (type == "Metaspace") return metaspace(settings);
    if (type == "BPEDecoder") return bpe(settings);
    if (type == "Strip") return strip(settings);
    if (type == "Replace") return replace(settings);
    if (type == "CTC") return ctc(settings);
    if (type == "Sequence") return sequence(settings);
    refuse(concat("the decoder ", python_repr(std::string_view(type)), " is not known"));
}

}  // namespace loupe::text
