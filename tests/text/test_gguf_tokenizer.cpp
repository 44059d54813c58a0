// SPDX-License-Identifier: Apache-2.0
// Tokenizers in the metadata of GGUF files against sentencepiece, `tokenizers` and transformers (fixtures/gguf,
// make_tokenizers.py).

#include <QtTest>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/formats/gguf/gguf.h"
#include "core/text/gguf_tokenizer.h"

using namespace loupe;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kFixtures = fs::path(LOUPE_SOURCE_DIR) / "tests/fixtures/gguf/tokenizers";

OrderedJson metadata_of(const std::string& name) {
    return read_gguf_metadata(MappedFile::open(kFixtures / (name + ".gguf")));
}

std::string refusal(const OrderedJson& metadata) {
    try {
        text::gguf_text_parts(metadata);
    } catch (const Error& error) {
        return error.message();
    }
    return "no error";
}

std::vector<text::TokenId> ids_of(const text::Tokenizer& tokenizer, const std::string& given) {
    std::vector<text::TokenId> out;
    for (const text::EncodedToken& token : tokenizer.encode(given)) out.push_back(token.id);
    return out;
}

class TestGgufTokenizer : public QObject {
    Q_OBJECT
  private slots:
    void gives_the_ids_of_the_original_data() {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("pre");
        for (const std::string name : {"llama", "gemma", "gpt2", "bert", "t5"}) {
            const Json all = Json::parse(read_text_file((kFixtures / (name + ".json")).string()));
            for (const auto& [pre, cases] : all["cases"].items())
                QTest::newRow((name + " " + pre).c_str()) << name << std::string(pre);
        }
    }
    void gives_the_ids_of_the_original() {
        QFETCH(std::string, name);
        QFETCH(std::string, pre);
        OrderedJson metadata = metadata_of(name);
        if (!pre.empty()) metadata["tokenizer.ggml.pre"] = pre;
        const auto parts = text::gguf_text_parts(metadata);
        QVERIFY(parts != nullptr);
        const Json all = Json::parse(read_text_file((kFixtures / (name + ".json")).string()));
        const Json& wanted = all["cases"][pre];
        QVERIFY(wanted["ids"].size() > 60);
        for (std::size_t i = 0; i < wanted["ids"].size(); ++i) {
            const auto given = all["texts"][i].get<std::string>();
            const std::vector<text::TokenId> ids = ids_of(*parts->tokenizer, given);
            const std::string shown = all["texts"][i].dump(-1, ' ', true);
            QVERIFY2(Json(ids) == wanted["ids"][i],
                     (shown + ": " + Json(ids).dump() + ", not " + wanted["ids"][i].dump()).c_str());
            if (wanted["again"][i].is_null()) continue;
            QCOMPARE(parts->tokenizer->decode(ids), wanted["again"][i].get<std::string>());
        }
    }

    void knows_where_a_text_ends() {
        const auto parts = text::gguf_text_parts(metadata_of("llama"));
        QCOMPARE(parts->generation["bos_token_id"].get<int>(), 1);
        QCOMPARE(parts->generation["eos_token_id"].dump(), std::string("[2]"));
        OrderedJson metadata = metadata_of("gpt2");
        const auto ends = [&] { return text::gguf_text_parts(metadata)->generation["eos_token_id"]; };
        const auto end = metadata["tokenizer.ggml.eos_token_id"].get<std::size_t>();
        QCOMPARE(ends().dump(), OrderedJson::array({end}).dump());
        metadata["tokenizer.ggml.eot_token_id"] = 7U;
        QCOMPARE(ends().dump(), OrderedJson::array({end, std::size_t{7}}).dump());
        // By its name, where it is a control token.
        const std::size_t added = metadata["tokenizer.ggml.tokens"].size();
        metadata["tokenizer.ggml.tokens"].push_back("<|im_end|>");
        metadata["tokenizer.ggml.token_type"].push_back(1);
        QCOMPARE(ends().dump(), OrderedJson::array({end, std::size_t{7}}).dump());
        metadata["tokenizer.ggml.token_type"][added] = 3;
        QCOMPARE(ends().dump(), OrderedJson::array({end, std::size_t{7}, added}).dump());
    }

    void adds_the_ends_that_the_file_asks_for() {
        OrderedJson metadata = metadata_of("llama");
        const auto ids = [&] { return ids_of(*text::gguf_text_parts(metadata)->tokenizer, "the word"); };
        const std::vector<text::TokenId> with_first = ids();
        QCOMPARE(with_first.front(), 1);
        metadata["tokenizer.ggml.add_bos_token"] = false;
        metadata["tokenizer.ggml.add_eos_token"] = true;
        std::vector<text::TokenId> with_last(with_first.begin() + 1, with_first.end());
        with_last.push_back(2);
        QCOMPARE(ids(), with_last);
        metadata.erase("tokenizer.ggml.add_bos_token");  // sentencepiece's begin with it
        metadata.erase("tokenizer.ggml.add_eos_token");
        QCOMPARE(ids(), with_first);
    }

    // Of equal scores the pair that stands first is merged first.
    void merges_by_score() {
        OrderedJson metadata{{"tokenizer.ggml.model", "llama"},
                             {"tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "a", "b", "c", "ab", "bc", "\u2581"}},
                             {"tokenizer.ggml.token_type", {2, 3, 3, 1, 1, 1, 1, 1, 1}},
                             {"tokenizer.ggml.scores", {0, 0, 0, 0, 0, 0, -1.5, -1.5, 0}},
                             {"tokenizer.ggml.add_bos_token", false}};
        const auto ids = [&] { return ids_of(*text::gguf_text_parts(metadata)->tokenizer, "abc"); };
        QCOMPARE(ids(), (std::vector<text::TokenId>{8, 6, 5}));
        metadata["tokenizer.ggml.scores"][7] = -1.0;
        QCOMPARE(ids(), (std::vector<text::TokenId>{8, 3, 7}));
        metadata["tokenizer.ggml.merges"] = {"a b"};
        QCOMPARE(ids(), (std::vector<text::TokenId>{8, 6, 5}));
    }

    void refuses_what_it_does_not_know() {
        QVERIFY(text::gguf_text_parts(OrderedJson::object()) == nullptr);
        OrderedJson metadata = metadata_of("gpt2");
        metadata["tokenizer.ggml.pre"] = "new-one";
        QVERIFY(refusal(metadata).find("'new-one'") != std::string::npos);
        metadata = metadata_of("gpt2");
        metadata["tokenizer.ggml.model"] = "rwkv";
        QVERIFY(refusal(metadata).find("'rwkv'") != std::string::npos);
        metadata = metadata_of("gpt2");
        metadata["tokenizer.ggml.tokens"] = OrderedJson::array();
        QCOMPARE(refusal(metadata), std::string("tokenizer.ggml.tokens has no tokens"));
        metadata["tokenizer.ggml.tokens"] = {1, 2};
        QCOMPARE(refusal(metadata), std::string("tokenizer.ggml.tokens are no texts"));
        metadata["tokenizer.ggml.tokens"] = {"a", "b\xff"};
        metadata["tokenizer.ggml.merges"] = OrderedJson::array();
        QCOMPARE(refusal(metadata), std::string("its tokenizer has a token that is no UTF-8"));
    }
};

}  // namespace

QTEST_GUILESS_MAIN(TestGgufTokenizer)
#include "test_gguf_tokenizer.moc"
