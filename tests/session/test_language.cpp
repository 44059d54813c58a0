// SPDX-License-Identifier: Apache-2.0
// Questions of language models, against what transformers (attn_implementation="eager") and PyTorch's autograd say of
// the same folders: fixtures/generation/insights.json (make_insights.py).
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/file.h"
#include "core/model/next_token.h"
#include "core/session/queries/attention_map.h"
#include "core/session/queries/attentions.h"
#include "core/session/queries/load_weights.h"
#include "core/session/queries/next_tokens.h"
#include "core/session/queries/run_tokens.h"
#include "core/session/queries/saliency.h"
#include "core/session/queries/save_recording.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/tokenize.h"
#include "core/session/queries/value_tokens.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kFolders = fs::path(LOUPE_SOURCE_DIR) / "tests/fixtures/generation";
const std::string kModels = LOUPE_SOURCE_DIR "/resources/models/";

template <typename Query>
typename Query::Answer ask(Session& session, Query query) {
    std::promise<typename Query::Answer> promise;
    auto answer = promise.get_future();
    session.ask("test", std::move(query), [&](typename Query::Answer each) { promise.set_value(std::move(each)); });
    return answer.get();
}

const Json& insights() {
    static const Json kAll = Json::parse(read_text_file((kFolders / "insights.json").string()));
    return kAll;
}

// Opens the folder and runs the case's text.
void run_text(Session& session, const Json& each) {
    session.open(kFolders / each["folder"].get<std::string>());
    session.wait_idle();
    const TokenizedText tokens = ask(session, TokenizeQuery{each["text"].get<std::string>(), {}});
    session.set_inputs(tokens.inputs);
    session.run({});
    session.wait_idle();
}

std::string difference(double got, double wanted, double tolerance) {
    const bool is_equal = std::abs(got - wanted) <= tolerance * std::max(1.0, std::abs(wanted));
    return is_equal ? std::string() : std::to_string(got) + " is not " + std::to_string(wanted);
}

// Empty, or where the site's heads differ from [heads, queries, keys].
std::string difference(Session& session, const AttentionSite& site, const Json& wanted) {
    if (site.heads != std::ssize(wanted) || site.queries != std::ssize(wanted[0]) ||
        site.keys != std::ssize(wanted[0][0]))
        return "other sizes";
    for (std::int64_t head = 0; head < site.heads; ++head) {
        AttentionMapQuery query;
        query.event = site.event;
        query.head = head;
        query.most_of_heads = 0;
        const AttentionMap map = ask(session, query);
        if (!map.error.empty()) return map.error;
        for (std::size_t i = 0; i < map.map.weights.size(); ++i) {
            const auto columns = static_cast<std::size_t>(map.map.columns);
            const double want = wanted[static_cast<std::size_t>(head)][i / columns][i % columns].get<double>();
            const std::string at = difference(static_cast<double>(map.map.weights[i]), want, 2e-5);
            if (!at.empty()) return "head " + std::to_string(head) + " at " + std::to_string(i) + ": " + at;
        }
    }
    return {};
}

class TestLanguage : public QObject {
    Q_OBJECT
  private slots:
    void tokens_equal_transformers_data() { cases(); }
    void tokens_equal_transformers();
    void attention_equals_transformers_data() { cases(); }
    void attention_equals_transformers();
    void attention_is_labelled_with_tokens();
    void fused_attention_has_weights();
    void heads_come_together();
    void odds_equal_transformers_data() { cases(); }
    void odds_equal_transformers();
    void odds_of_many_tokens();
    void saliency_equals_autograd_data() { cases(); }
    void saliency_equals_autograd();
    void saliency_covers_decoders();
    void saliency_leaves_no_trace();
    void samples_equal_transformers_data() { cases(); }
    void samples_equal_transformers();
    void steps_are_runs();
    void decoders_keep_what_the_encoder_gave();
    void a_step_is_looked_at_again();
    void other_weights_begin_anew();
    void a_step_parks();
    void axes_of_values_are_tokens();
    void recordings_know_their_tokens();
    void models_without_a_tokenizer_have_numbers();
    void refuses_in_one_line();

  private:
    static void cases() {
        QTest::addColumn<int>("number");
        for (std::size_t i = 0; i < insights().size(); ++i)
            QTest::newRow(insights()[i]["folder"].get<std::string>().c_str()) << static_cast<int>(i);
    }
};

void TestLanguage::tokens_equal_transformers() {
    QFETCH(int, number);
    const Json& each = insights()[static_cast<std::size_t>(number)];
    Session session;
    session.open(kFolders / each["folder"].get<std::string>());
    session.wait_idle();
    const TokenizedText tokens = ask(session, TokenizeQuery{each["text"].get<std::string>(), {}});
    QCOMPARE(tokens.error, std::string());
    std::vector<std::int64_t> ids;
    std::vector<std::string> names;
    for (const TokenInfo& token : tokens.tokens) {
        ids.push_back(token.id);
        names.push_back(token.token);
        QVERIFY(!token.text.empty());
        QCOMPARE(token.is_special, token.token == "<s>" || token.token == "</s>");
    }
    QCOMPARE(ids, each["ids"].get<std::vector<std::int64_t>>());
    QCOMPARE(names, each["tokens"].get<std::vector<std::string>>());
    QVERIFY(tokens.can_generate);
    // Ids alone.
    const TokenizedText again = ask(session, TokenizeQuery{{}, ids});
    QCOMPARE(again.tokens.size(), ids.size());
    QCOMPARE(input_spec_text(again.inputs.front()), input_spec_text(tokens.inputs.front()));
    QVERIFY(ask(session, TokenizeQuery{{}, {100'000}}).error.find("no token 100000") != std::string::npos);
    // The run was on them.
    run_text(session, each);
    const RunTokensAnswer run = ask(session, RunTokensQuery{});
    QCOMPARE(run.error, std::string());
    QVERIFY(run.has_tokenizer && !run.rows.empty() && run.logits != 0);
    std::vector<std::int64_t> ran;
    for (const TokenInfo& token : run.rows.front().tokens) ran.push_back(token.id);
    QCOMPARE(ran, ids);
}

void TestLanguage::attention_equals_transformers() {
    QFETCH(int, number);
    const Json& each = insights()[static_cast<std::size_t>(number)];
    Session session;
    run_text(session, each);
    const Attentions found = ask(session, AttentionsQuery{});
    QCOMPARE(found.error, std::string());
    if (!each.contains("attentions")) {
        // The encoder's layers, then by turns those of the decoder: itself, and what it attends to of the encoder.
        const auto& encoder = each["encoder_attentions"];
        QCOMPARE(found.sites.size(), encoder.size() + 2 * each["decoder_attentions"].size());
        for (std::size_t i = 0; i < found.sites.size(); ++i) {
            const std::size_t of_decoder = i - std::min(i, encoder.size());
            const Json& wanted = i < encoder.size()    ? encoder[i]
                                 : of_decoder % 2 == 0 ? each["decoder_attentions"][of_decoder / 2]
                                                       : each["cross_attentions"][of_decoder / 2];
            const std::string why = difference(session, found.sites[i], wanted);
            QVERIFY2(why.empty(), (found.sites[i].scope + ": " + why).c_str());
        }
        return;
    }
    QCOMPARE(found.sites.size(), each["attentions"].size());
    for (std::size_t i = 0; i < found.sites.size(); ++i) {
        const std::string why = difference(session, found.sites[i], each["attentions"][i]);
        QVERIFY2(why.empty(), (found.sites[i].scope + ": " + why).c_str());
    }
}

void TestLanguage::attention_is_labelled_with_tokens() {
    for (const Json& each : insights()) {
        Session session;
        run_text(session, each);
        for (const AttentionSite& site : ask(session, AttentionsQuery{}).sites) {
            const AttentionMap map = ask(session, AttentionMapQuery{.event = site.event});
            const auto ids_of = [](const std::vector<TokenInfo>& tokens) {
                std::vector<std::int64_t> ids;
                for (const TokenInfo& token : tokens) ids.push_back(token.id);
                return ids;
            };
            const auto all = each["ids"].get<std::vector<std::int64_t>>();
            const bool is_of_decoder = site.scope.starts_with("decoder");
            const bool is_cross = site.scope.find("EncDec") != std::string::npos;
            const std::string where = each["folder"].get<std::string>() + " " + site.scope;
            QVERIFY2(ids_of(map.query_tokens) == (is_of_decoder ? std::vector<std::int64_t>{0} : all), where.c_str());
            QVERIFY2(ids_of(map.key_tokens) == (is_of_decoder && !is_cross ? std::vector<std::int64_t>{0} : all),
                     where.c_str());
        }
    }
}

// The sample's blocks call scaled_dot_product_attention, or take it apart: weights are the same rows of probabilities.
void TestLanguage::fused_attention_has_weights() {
    Session session;
    session.open(std::string(LOUPE_SOURCE_DIR "/tests/session/fused_attention.py"));
    session.wait_idle();
    QVERIFY2(session.model() != nullptr, session.status().error.c_str());
    RunOptions opened;
    opened.opens_operators = true;
    session.run(opened);
    session.wait_idle();
    const Attentions parts = ask(session, AttentionsQuery{});
    QVERIFY2(parts.sites.size() == 8u, (std::to_string(parts.sites.size()) + parts.error).c_str());
    session.run({});
    session.wait_idle();
    QCOMPARE(session.status().error, std::string());
    const Attentions found = ask(session, AttentionsQuery{});
    QCOMPARE(found.error, std::string());
    // Each kind stands beside the same taken apart.
    QCOMPARE(found.sites.size(), 8u);
    for (std::size_t i = 0; i < found.sites.size(); i += 2) {
        const AttentionSite &fused = found.sites[i], &apart = found.sites[i + 1];
        QVERIFY(fused.is_fused && !apart.is_fused);
        QCOMPARE(fused.heads, apart.heads);
        for (std::int64_t head = 0; head < fused.heads; ++head) {
            AttentionMapQuery query;
            query.head = head;
            query.event = fused.event;
            const AttentionMap a = ask(session, query);
            query.event = apart.event;
            const AttentionMap b = ask(session, query);
            QCOMPARE(a.error, std::string());
            QCOMPARE(b.error, std::string());
            QCOMPARE(a.map.weights.size(), b.map.weights.size());
            for (std::size_t j = 0; j < a.map.weights.size(); ++j)
                QVERIFY2(std::abs(a.map.weights[j] - b.map.weights[j]) < 1e-6F,
                         (std::to_string(i) + " head " + std::to_string(head) + " at " + std::to_string(j)).c_str());
        }
    }
}

void TestLanguage::heads_come_together() {
    const Json& each = insights()[0];
    Session session;
    run_text(session, each);
    const auto sites = ask(session, AttentionsQuery{}).sites;
    AttentionMapQuery query;
    query.event = sites.front().event;
    query.most_of_heads = 4;
    const AttentionMap map = ask(session, query);
    const auto& wanted = each["attentions"][0];
    QCOMPARE(map.heads.size(), wanted.size());
    // The mean of the heads.
    for (std::size_t i = 0; i < map.map.weights.size(); ++i) {
        const auto columns = static_cast<std::size_t>(map.map.columns);
        double sum = 0;
        for (const Json& head : wanted) sum += head[i / columns][i % columns].get<double>();
        QVERIFY(std::abs(static_cast<double>(map.map.weights[i]) - sum / static_cast<double>(wanted.size())) < 1e-5);
    }
    // Twelve tokens in four rows: three stand in one, by the greatest.
    const AttentionTile& small = map.heads[1];
    QCOMPARE(small.rows, 4);
    QCOMPARE(small.row_step, 3);
    double greatest = 0;
    for (std::size_t i = 3; i < 6; ++i)
        for (std::size_t j = 0; j < 3; ++j) greatest = std::max(greatest, wanted[1][i][j].get<double>());
    QVERIFY(std::abs(static_cast<double>(small.weights[4]) - greatest) < 1e-5);
}

void TestLanguage::odds_equal_transformers() {
    QFETCH(int, number);
    const Json& each = insights()[static_cast<std::size_t>(number)];
    Session session;
    run_text(session, each);
    const NextTokens next = ask(session, NextTokensQuery{});
    QCOMPARE(next.error, std::string());
    QCOMPARE(next.odds.size(), each["odds"].size());
    for (std::size_t i = 0; i < next.odds.size(); ++i) {
        const PlaceOdds& got = next.odds[i];
        const Json& wanted = each["odds"][i];
        const auto check = [&](double value, const char* name) {
            const std::string why = difference(value, wanted[name].get<double>(), 2e-5);
            QVERIFY2(why.empty(), (std::string(name) + " of " + std::to_string(i) + ": " + why).c_str());
        };
        check(got.entropy, "entropy");
        QCOMPARE(got.top.size(), 5u);
        for (std::size_t j = 0; j < 5; ++j) {
            QCOMPARE(got.top[j].token.id, wanted["top"][j].get<std::int64_t>());
            QVERIFY(std::abs(got.top[j].probability - wanted["probabilities"][j].get<double>()) < 2e-5);
        }
        QCOMPARE(got.has_actual, wanted.contains("rank"));
        if (!got.has_actual) continue;
        QCOMPARE(got.rank, wanted["rank"].get<std::int64_t>());
        check(got.probability, "probability");
    }
    // A part of them, with more choices.
    const NextTokens part = ask(session, NextTokensQuery{.first = -1, .count = 10, .top = 7});
    QCOMPARE(part.odds.size(), 1u);
    QCOMPARE(part.odds[0].top.size(), 7u);
    QCOMPARE(part.odds[0].top[0].token.id, next.odds.back().top[0].token.id);
}

void TestLanguage::odds_of_many_tokens() {
    // A vocabulary of today's size, with equal scores and some that never come.
    std::vector<float> scores(151'936);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<float>((i * 7919) % 1000) * 0.01F;
    scores[5] = -INFINITY;
    const TokenOdds odds = odds_of(scores, 4, 999);
    double sum = 0;
    for (const float score : scores) sum += std::exp(static_cast<double>(score));
    double entropy = 0;
    for (const float score : scores) {
        const double p = std::exp(static_cast<double>(score)) / sum;
        if (p > 0) entropy -= p * std::log(p);
    }
    QVERIFY(std::abs(odds.entropy - entropy) < 1e-9);
    QVERIFY(std::abs(odds.probability - std::exp(static_cast<double>(scores[999])) / sum) < 1e-12);
    std::int64_t rank = 1;
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (scores[i] > scores[999] || (scores[i] == scores[999] && i < 999)) ++rank;
    QCOMPARE(odds.rank, rank);
    // Of equal ones the first.
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    for (std::size_t i = 0; i < 4; ++i) QCOMPARE(odds.top[i].id, static_cast<std::int64_t>(order[i]));
    scores[17] = NAN;
    QVERIFY(odds_of(scores, 4).top.empty() && std::isnan(odds_of(scores, 4).entropy));
}

void TestLanguage::saliency_equals_autograd() {
    QFETCH(int, number);
    const Json& each = insights()[static_cast<std::size_t>(number)];
    Session session;
    run_text(session, each);
    for (const Json& wanted : each["saliency"]) {
        SaliencyQuery query;
        query.ids = each["ids"].get<std::vector<std::int64_t>>();
        query.position = wanted["position"].get<std::int64_t>();
        query.token = wanted["token"].get<std::int64_t>();
        const Saliency got = ask(session, query);
        QCOMPARE(got.error, std::string());
        QVERIFY2(difference(got.logit, wanted["logit"].get<double>(), 1e-5).empty(),
                 difference(got.logit, wanted["logit"].get<double>(), 1e-5).c_str());
        QCOMPARE(got.tokens.size(), query.ids.size());
        for (std::size_t i = 0; i < got.tokens.size(); ++i) {
            const std::string score = difference(got.tokens[i].score, wanted["scores"][i].get<double>(), 1e-4);
            const std::string norm = difference(got.tokens[i].norm, wanted["norms"][i].get<double>(), 1e-4);
            QVERIFY2(score.empty() && norm.empty(), (std::to_string(i) + ": " + score + norm).c_str());
        }
    }
}

void TestLanguage::saliency_covers_decoders() {
    const auto found =
        std::ranges::find_if(insights(), [](const Json& each) { return each.contains("decoder_saliency"); });
    QVERIFY(found != insights().end());
    Session session;
    run_text(session, *found);
    const Json& wanted = (*found)["decoder_saliency"];
    SaliencyQuery query;
    query.ids = (*found)["ids"].get<std::vector<std::int64_t>>();
    query.decoder_ids = wanted["decoder_ids"].get<std::vector<std::int64_t>>();
    query.position = wanted["position"].get<std::int64_t>();
    query.token = wanted["token"].get<std::int64_t>();
    const Saliency got = ask(session, query);
    QCOMPARE(got.error, std::string());
    QCOMPARE(got.tokens.size(), query.ids.size());
    QCOMPARE(got.decoder_tokens.size(), query.decoder_ids.size());
    for (std::size_t i = 0; i < got.tokens.size(); ++i)
        QCOMPARE(difference(got.tokens[i].score, wanted["scores"][i].get<double>(), 1e-4), std::string());
    for (std::size_t i = 0; i < got.decoder_tokens.size(); ++i)
        QCOMPARE(difference(got.decoder_tokens[i].score, wanted["decoder_scores"][i].get<double>(), 1e-4),
                 std::string());
}

void TestLanguage::saliency_leaves_no_trace() {
    const Json& each = insights()[1];
    Session session;
    run_text(session, each);
    const auto events = session.recording()->event_count();
    SaliencyQuery query;
    query.ids = each["ids"].get<std::vector<std::int64_t>>();
    query.token = 3;
    QCOMPARE(ask(session, query).error, std::string());
    QCOMPARE(session.recording()->event_count(), events);
    TensorRequest gradient;
    gradient.name = "grad:transformer.wte.weight";
    QVERIFY(ask(session, TensorQuery{gradient}).error.find("has no gradient") != std::string::npos);
    // Parameters learn as before.
    RunOptions options;
    options.backward = true;
    session.run(options);
    session.wait_idle();
    QCOMPARE(ask(session, TensorQuery{gradient}).error, std::string());
}

void TestLanguage::samples_equal_transformers() {
    QFETCH(int, number);
    const Json& each = insights()[static_cast<std::size_t>(number)];
    Session session;
    session.open(kFolders / each["folder"].get<std::string>());
    session.wait_idle();
    for (const Json& sample : each["samples"]) {
        const Json& settings = sample["settings"];
        GenerateRequest request;
        request.settings.text = each["text"].get<std::string>();
        request.settings.seed = settings["seed"].get<std::uint64_t>();
        SamplingOptions& sampling = request.settings.sampling;
        sampling.samples = true;
        sampling.temperature = settings["temperature"].get<double>();
        sampling.top_k = settings["top_k"].get<std::int64_t>();
        sampling.top_p = settings.value("top_p", 1.0);
        request.tokens = 12;
        session.generate(request);
        session.wait_idle();
        QCOMPARE(session.status().error, std::string());
        const auto made = session.generation();
        QVERIFY(made != nullptr);
        std::vector<std::int64_t> ids;
        for (const GeneratedToken& token : made->tokens) {
            ids.push_back(token.token.id);
            QVERIFY(token.probability > 0 && token.probability <= 1 && token.left > 0 && token.rank > 0);
        }
        QCOMPARE(Json(ids).dump(), sample["tokens"].dump());
    }
}

void TestLanguage::steps_are_runs() {
    const Json& each = insights()[0];
    Session session;
    session.open(kFolders / "llama");
    session.wait_idle();
    GenerateRequest request;
    request.settings.text = each["text"].get<std::string>();
    session.generate(request);
    session.wait_idle();
    QCOMPARE(session.status().error, std::string());
    QVERIFY(session.status().state == RunState::Finished);
    auto made = session.generation();
    const auto prompt = static_cast<std::int64_t>(made->prompt.size());
    QCOMPARE(made->tokens.size(), 1u);
    QCOMPARE(made->shown, 0);
    QCOMPARE(made->cache.size(), 2u);
    QCOMPARE(made->cached_tokens, prompt);
    // [batch, key heads, places, width]: 2 * 2 * 4 floats a place.
    QCOMPARE(made->cache[0].key, (Shape{1, 2, prompt, 4}));
    QCOMPARE(made->cache[0].bytes, 2 * 2 * prompt * 4 * 4);
    QCOMPARE(made->cache[1].scope, std::string("model.layers.1.self_attn"));
    QVERIFY(made->cache[0].weight_bytes > 0 && made->most_tokens == 128);
    // The likeliest, as the odds have it.
    const NextTokens next = ask(session, NextTokensQuery{});
    QCOMPARE(next.odds.back().top[0].token.id, made->tokens[0].token.id);
    // The next run has one token, and the cache of the others.
    session.generate(request);
    session.wait_idle();
    made = session.generation();
    QCOMPARE(made->tokens.size(), 2u);
    QCOMPARE(made->cached_tokens, prompt + 1);
    const RunTokensAnswer run = ask(session, RunTokensQuery{});
    QCOMPARE(run.rows[0].held, prompt);
    QCOMPARE(static_cast<std::int64_t>(run.rows[0].tokens.size()), prompt + 1);
    QCOMPARE(run.rows[0].tokens.back().id, made->tokens[0].token.id);
    const auto recording = session.recording();
    QVERIFY(made->cache[1].key_id != 0);
    QCOMPARE(recording->value(made->cache[1].key_id).shape, (Shape{1, 2, prompt + 1, 4}));
    // One query attends to all keys, which have names.
    const Attentions found = ask(session, AttentionsQuery{});
    QCOMPARE(found.sites.size(), 2u);
    const AttentionMap map = ask(session, AttentionMapQuery{.event = found.sites[1].event});
    QCOMPARE(map.map.rows, 1);
    QCOMPARE(static_cast<std::int64_t>(map.key_tokens.size()), prompt + 1);
    QCOMPARE(map.key_tokens.back().id, made->tokens[0].token.id);
    QCOMPARE(map.query_tokens.size(), 1u);
    QCOMPARE(map.query_tokens[0].id, made->tokens[0].token.id);
    // Other settings begin anew.
    request.settings.sampling.samples = true;
    session.generate(request);
    session.wait_idle();
    QCOMPARE(session.generation()->tokens.size(), 1u);
}

void TestLanguage::decoders_keep_what_the_encoder_gave() {
    Session session;
    session.open(kFolders / "t5");
    session.wait_idle();
    GenerateRequest request;
    request.settings.text = "Hello, world!";
    request.tokens = 3;
    session.generate(request);
    session.wait_idle();
    QCOMPARE(session.status().error, std::string());
    const auto made = session.generation();
    const auto prompt = static_cast<std::int64_t>(made->prompt.size());
    QCOMPARE(made->cached_tokens, 3);
    QCOMPARE(made->cache.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        const CachedLayer& layer = made->cache[i];
        const bool is_of_encoder = i % 2 == 1;
        QCOMPARE(layer.layer, static_cast<std::int64_t>(i / 2));
        QCOMPARE(layer.is_of_encoder, is_of_encoder);
        QCOMPARE(layer.key, (Shape{1, 4, is_of_encoder ? prompt : 3, 6}));
        QCOMPARE(layer.bytes_a_token, is_of_encoder ? 0 : 2 * 4 * 6 * 4);
        QVERIFY(layer.key_id != 0 && layer.value_id != 0);
    }
    QCOMPARE(made->cache[2].scope, std::string("decoder.block.1.layer.0"));
    // The step is of one token, which attends to those before it and to the text.
    const RunTokensAnswer run = ask(session, RunTokensQuery{});
    QCOMPARE(run.rows.size(), 2u);
    QCOMPARE(static_cast<std::int64_t>(run.rows[0].tokens.size()), prompt);
    QCOMPARE(run.rows[1].held, 2);
    QCOMPARE(run.rows[1].tokens.size(), 3u);
    QCOMPARE(run.scored_row, 1);
    const Attentions found = ask(session, AttentionsQuery{});
    QCOMPARE(found.sites.size(), 4u);
    const AttentionMap own = ask(session, AttentionMapQuery{.event = found.sites[0].event});
    QCOMPARE(own.map.rows, 1);
    QCOMPARE(own.key_tokens.size(), 3u);
    QCOMPARE(own.key_tokens[2].id, made->tokens[1].token.id);
    const AttentionMap crossed = ask(session, AttentionMapQuery{.event = found.sites[1].event});
    QCOMPARE(static_cast<std::int64_t>(crossed.key_tokens.size()), prompt);
    QCOMPARE(crossed.key_tokens[0].id, made->prompt[0].id);
}

void TestLanguage::a_step_is_looked_at_again() {
    Session session;
    session.open(kFolders / "llama");
    session.wait_idle();
    GenerateRequest request;
    request.settings.text = "Hello, world!";
    request.tokens = 6;
    session.generate(request);
    session.wait_idle();
    const auto before = session.generation();
    QCOMPARE(before->tokens.size(), 6u);
    request.look_at = 2;
    session.generate(request);
    session.wait_idle();
    QCOMPARE(session.status().error, std::string());
    const auto made = session.generation();
    QCOMPARE(made->tokens.size(), 6u);
    QCOMPARE(made->shown, 2);
    QVERIFY(made->cache[0].key_id != 0);
    const NextTokens next = ask(session, NextTokensQuery{});
    QCOMPARE(next.odds.size(), 1u);
    QCOMPARE(next.odds[0].top[0].token.id, made->tokens[2].token.id);
    QVERIFY(std::abs(next.odds[0].top[0].probability - made->tokens[2].model_probability) < 1e-6);
    QCOMPARE(next.odds[0].place, static_cast<std::int64_t>(made->prompt.size()) + 1);
    // It goes on from the end.
    request.look_at = -1;
    request.tokens = 1;
    session.generate(request);
    session.wait_idle();
    QCOMPARE(session.generation()->tokens.size(), 7u);
    QCOMPARE(session.generation()->shown, 6);
}

void TestLanguage::other_weights_begin_anew() {
    Session session;
    session.open(kFolders / "llama");
    session.wait_idle();
    GenerateRequest request;
    request.settings.text = "Hello, world!";
    session.generate(request);
    session.wait_idle();
    QVERIFY(ask(session, LoadWeightsQuery{kFolders / "llama/model.safetensors", true}).error.empty());
    request.look_at = 0;
    session.generate(request);
    session.wait_idle();
    QVERIFY2(session.status().error.starts_with("the weights are others"), session.status().error.c_str());
    request.look_at = -1;
    session.generate(request);
    session.wait_idle();
    QCOMPARE(session.generation()->tokens.size(), 1u);
}

void TestLanguage::a_step_parks() {
    Session session;
    session.open(kFolders / "gpt2");
    session.wait_idle();
    GenerateRequest request;
    request.settings.text = "The dog";
    request.pause_at_start = true;
    session.generate(request);
    session.wait_idle();
    QVERIFY(session.status().state == RunState::Paused);
    session.step(StepKind::Into);
    session.wait_idle();
    QVERIFY(session.status().state == RunState::Paused);
    QVERIFY(session.generation() == nullptr || session.generation()->tokens.empty());
    session.resume();
    session.wait_idle();
    QVERIFY(session.status().state == RunState::Finished);
    QCOMPARE(session.generation()->tokens.size(), 1u);
}

void TestLanguage::axes_of_values_are_tokens() {
    const Json& each = insights()[0];
    const std::size_t count = each["ids"].size();
    Session session;
    run_text(session, each);
    const auto recording = session.recording();
    std::size_t labelled = 0;
    for (EventId id = 1; id <= recording->event_count(); ++id) {
        for (const ValueId output : recording->event(id).outputs) {
            const ValueTokens tokens = ask(session, ValueTokensQuery{output});
            QCOMPARE(tokens.error, std::string());
            for (std::size_t i = 0; i < tokens.axes.size(); ++i) {
                if (tokens.axes[i].names.empty()) continue;
                ++labelled;
                QCOMPARE(tokens.axes[i].names.size(), static_cast<std::size_t>(recording->value(output).shape[i]));
                QVERIFY(tokens.axes[i].names.size() % count == 0);
            }
        }
    }
    QVERIFY2(labelled > 100, std::to_string(labelled).c_str());
    // Hidden states [1, n, width] have one, scores [1, heads, n, n] two.
    const auto sites = ask(session, AttentionsQuery{}).sites;
    const ValueTokens scores = ask(session, ValueTokensQuery{recording->event(sites[0].event).outputs[0]});
    QCOMPARE(scores.axes.size(), 4u);
    QVERIFY(scores.axes[0].names.empty() && scores.axes[1].names.empty());
    QCOMPARE(scores.axes[2].names, scores.axes[3].names);
    QCOMPARE(scores.axes[2].names[1], std::string(" The"));
}

// A recording that is opened from its file: tokens, odds and attention are those of the run.
void TestLanguage::recordings_know_their_tokens() {
    const QTemporaryDir folder;
    const fs::path file = fs::path(folder.path().toStdString()) / "run.loupe";
    const Json& each = insights().front();
    RunTokensAnswer tokens;
    NextTokens odds;
    {
        Session session;
        run_text(session, each);
        tokens = ask(session, RunTokensQuery{});
        odds = ask(session, NextTokensQuery{0, 4, 2});
        QCOMPARE(ask(session, SaveRecordingQuery{file}), std::string());
    }
    Session session;
    session.open(file);
    session.wait_idle();
    const RunTokensAnswer again = ask(session, RunTokensQuery{});
    QCOMPARE(again.error, std::string());
    QVERIFY(again.has_tokenizer);
    QCOMPARE(again.rows.size(), tokens.rows.size());
    for (std::size_t i = 0; i < again.rows.front().tokens.size(); ++i)
        QCOMPARE(again.rows.front().tokens[i].text, tokens.rows.front().tokens[i].text);
    const NextTokens found = ask(session, NextTokensQuery{0, 4, 2});
    QCOMPARE(found.error, std::string());
    QCOMPARE(found.odds.size(), odds.odds.size());
    QCOMPARE(found.odds[1].top.front().token.text, odds.odds[1].top.front().token.text);
    QVERIFY(!ask(session, AttentionsQuery{}).sites.empty());
}

void TestLanguage::models_without_a_tokenizer_have_numbers() {
    Session session;
    session.open(kModels + "gpt.pt");
    session.wait_idle();
    session.run({});
    session.wait_idle();
    const RunTokensAnswer run = ask(session, RunTokensQuery{});
    QCOMPARE(run.error, std::string());
    QVERIFY(!run.has_tokenizer && run.rows.size() == 1u && run.logits != 0);
    QVERIFY(!ask(session, AttentionsQuery{}).sites.empty());
    const NextTokens next = ask(session, NextTokensQuery{});
    QCOMPARE(next.odds.size(), run.rows[0].tokens.size());
    SaliencyQuery query;
    for (const TokenInfo& token : run.rows[0].tokens) query.ids.push_back(token.id);
    query.token = 5;
    QCOMPARE(ask(session, query).error, std::string());
    QVERIFY(ask(session, TokenizeQuery{"text", {}}).error.find("takes no text") != std::string::npos);
}

void TestLanguage::refuses_in_one_line() {
    Session session;
    QCOMPARE(ask(session, RunTokensQuery{}).error.substr(0, 20), std::string("nothing was recorded"));
    session.open(kModels + "digits.pt");
    session.wait_idle();
    session.run({});
    session.wait_idle();
    // A model of pictures has neither.
    QVERIFY(ask(session, RunTokensQuery{}).rows.empty());
    QVERIFY(ask(session, AttentionsQuery{}).sites.empty());
    QVERIFY(ask(session, NextTokensQuery{}).error.starts_with("the run gives no scores of tokens"));
    GenerateRequest request;
    request.settings.text = "x";
    session.generate(request);
    session.wait_idle();
    QVERIFY(session.status().error.find("takes no text") != std::string::npos);
    session.open(kFolders / "llama");
    session.wait_idle();
    request.settings.sampling.samples = true;
    request.settings.sampling.temperature = 0;
    session.generate(request);
    session.wait_idle();
    QVERIFY(session.status().error.find("a temperature is above 0") != std::string::npos);
    SaliencyQuery query;
    query.ids = {1, 5, 7};
    query.position = 3;
    QVERIFY(ask(session, query).error.find("no logit [3, 0]") != std::string::npos);
    AttentionMapQuery map;
    map.event = 1;
    QVERIFY(!ask(session, map).error.empty());
}

}  // namespace

QTEST_GUILESS_MAIN(TestLanguage)
#include "test_language.moc"
