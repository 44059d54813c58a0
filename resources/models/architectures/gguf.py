# SPDX-License-Identifier: Apache-2.0
"""What llama.cpp calls the settings and the weights of a model, as its config.json and its own names.

An architecture is one entry of ARCHITECTURES: the model_type here, its names, and how its settings are read."""

# Weights that are settings: factors of rotary frequencies.
FREQUENCIES = ("rope_freqs.weight", "rope_factors_short.weight", "rope_factors_long.weight")


class Names:
    """outer: parts by the file's names. layers: the list of layers. inner: parts of a layer."""

    def __init__(self, outer, layers, inner):
        self.outer = outer
        self.layers = layers
        self.inner = inner

    def changed(self, **inner):
        return Names(self.outer, self.layers, {**self.inner, **inner})

    def own(self, name):
        """None for a name that the model has no part for. "{}" stands for the number of an expert."""
        parts = name.split(".")
        if len(parts) == 2 and parts[0] in self.outer:
            return self.outer[parts[0]] + "." + parts[1]
        if parts[0] != "blk" or len(parts) not in (4, 5) or parts[2] not in self.inner:
            return None
        inner = self.inner[parts[2]]
        if len(parts) == 5:  # an expert of its own
            inner = self.inner.get(parts[2] + "_exps", inner).replace("{}", parts[3])
        return f"{self.layers}.{parts[1]}.{inner}.{parts[-1]}"


DECODER = Names(
    {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}, "model.layers",
    {"attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
     "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "attn_qkv": "self_attn.qkv_proj",
     "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm", "ffn_norm": "post_attention_layernorm",
     "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"})
EXPERTS = DECODER.changed(
    ffn_gate_inp="block_sparse_moe.gate", ffn_gate_exps="block_sparse_moe.experts.{}.w1",
    ffn_down_exps="block_sparse_moe.experts.{}.w2", ffn_up_exps="block_sparse_moe.experts.{}.w3")
RESULT_NORMS = DECODER.changed(
    ffn_norm="pre_feedforward_layernorm", post_attention_norm="post_attention_layernorm",
    post_ffw_norm="post_feedforward_layernorm")
GPT2 = Names(
    {"token_embd": "transformer.wte", "position_embd": "transformer.wpe", "output_norm": "transformer.ln_f",
     "output": "lm_head"}, "transformer.h",
    {"attn_norm": "ln_1", "attn_qkv": "attn.c_attn", "attn_output": "attn.c_proj", "ffn_norm": "ln_2",
     "ffn_up": "mlp.c_fc", "ffn_down": "mlp.c_proj"})
NEOX = Names(
    {"token_embd": "gpt_neox.embed_in", "output_norm": "gpt_neox.final_layer_norm", "output": "embed_out"},
    "gpt_neox.layers",
    {"attn_norm": "input_layernorm", "attn_qkv": "attention.query_key_value", "attn_output": "attention.dense",
     "ffn_norm": "post_attention_layernorm", "ffn_up": "mlp.dense_h_to_4h", "ffn_down": "mlp.dense_4h_to_h"})
FALCON = Names(
    {"token_embd": "transformer.word_embeddings", "output_norm": "transformer.ln_f", "output": "lm_head"},
    "transformer.h",
    {"attn_norm": "input_layernorm", "attn_qkv": "self_attention.query_key_value",
     "attn_output": "self_attention.dense", "ffn_up": "mlp.dense_h_to_4h", "ffn_down": "mlp.dense_4h_to_h"})
BERT = Names(
    {"token_embd": "embeddings.word_embeddings", "position_embd": "embeddings.position_embeddings",
     "token_types": "embeddings.token_type_embeddings", "token_embd_norm": "embeddings.LayerNorm"}, "encoder.layer",
    {"attn_q": "attention.self.query", "attn_k": "attention.self.key", "attn_v": "attention.self.value",
     "attn_output": "attention.output.dense", "attn_output_norm": "attention.output.LayerNorm",
     "ffn_up": "intermediate.dense", "ffn_down": "output.dense", "layer_output_norm": "output.LayerNorm"})


class File:
    """metadata: by key. vocabulary: rows of the table of tokens. factors: lists of numbers by their names."""

    def __init__(self, metadata, vocabulary, names, factors):
        self.metadata = metadata
        self.architecture = metadata["general.architecture"]
        self.vocabulary = vocabulary
        self.names = names
        self.factors = factors

    def value(self, key, otherwise=None):
        name = self.architecture + "." + key
        found = self.metadata.get(name, otherwise)
        if found is None and name in self.metadata:  # what JSON has no number for
            raise ValueError(f"{name} is infinite, or NaN")
        return found

    def needed(self, key):
        found = self.value(key)
        if not isinstance(found, int):
            raise ValueError(f"{self.architecture}.{key} is missing or no whole number")
        return found

    def has(self, part):
        return any("." + part + "." in name for name in self.names)

    def head_width(self):
        return self.value("attention.key_length") or self.needed("embedding_length") // self.needed(
            "attention.head_count")


def common_config(file):
    """What all of them have, by the names that most have it by."""
    heads = file.needed("attention.head_count")
    config = {"vocab_size": file.vocabulary, "hidden_size": file.needed("embedding_length"),
              "intermediate_size": file.needed("feed_forward_length"),
              "num_hidden_layers": file.needed("block_count"), "num_attention_heads": heads,
              "num_key_value_heads": file.value("attention.head_count_kv", heads),
              "max_position_embeddings": file.value("context_length", 2048),
              "rope_theta": file.value("rope.freq_base", 10000.0),
              "tie_word_embeddings": "output.weight" not in file.names}
    for key in ("bos_token_id", "eos_token_id"):
        if file.metadata.get("tokenizer.ggml." + key) is not None:
            config[key] = file.metadata["tokenizer.ggml." + key]
    return config


def rope_scaling(file):
    """None where positions are not stretched."""
    short, long = file.factors.get(FREQUENCIES[1]), file.factors.get(FREQUENCIES[2])
    original = file.value("rope.scaling.original_context_length")
    if short is not None or long is not None:
        out = {"rope_type": "longrope", "short_factor": short or long, "long_factor": long or short}
        if file.value("rope.scaling.attn_factor") is not None:
            out["attention_factor"] = file.value("rope.scaling.attn_factor")
    elif file.factors.get(FREQUENCIES[0]) is not None:
        given = file.factors[FREQUENCIES[0]]
        return {"rope_type": "longrope", "short_factor": given, "long_factor": given, "attention_factor": 1.0}
    elif file.value("rope.scaling.type") in ("linear", "yarn"):
        out = {"rope_type": file.value("rope.scaling.type"), "factor": file.value("rope.scaling.factor", 1.0)}
        for key in ("beta_fast", "beta_slow"):
            if file.value("rope.scaling.yarn_" + key) is not None:
                out[key] = file.value("rope.scaling.yarn_" + key)
    else:
        return None
    if original is not None:
        out["original_max_position_embeddings"] = original
    return out


def decoder_config(file):
    config = common_config(file)
    config["rms_norm_eps"] = file.value("attention.layer_norm_rms_epsilon", 1e-6)
    if file.value("attention.key_length") is not None:
        config["head_dim"] = file.value("attention.key_length")
    if file.value("attention.sliding_window") is not None:
        config["sliding_window"] = file.value("attention.sliding_window")
    for key in ("attn_logit_softcapping", "final_logit_softcapping"):
        if file.value(key) is not None:
            config[key] = file.value(key)
    scaling = rope_scaling(file)
    if scaling is not None:
        config["rope_scaling"] = scaling
    return config


def llama_config(file):
    config = decoder_config(file)
    config["attention_bias"] = "blk.0.attn_output.bias" in file.names
    config["mlp_bias"] = "blk.0.ffn_up.bias" in file.names
    if file.value("expert_count"):
        config["model_type"] = "mixtral"
        config["num_local_experts"] = file.needed("expert_count")
        config["num_experts_per_tok"] = file.needed("expert_used_count")
        config["sliding_window"] = None
    return config


def phi3_config(file):
    config = decoder_config(file)
    config["original_max_position_embeddings"] = (file.value("rope.scaling.original_context_length")
                                                  or config["max_position_embeddings"])
    turned = file.value("rope.dimension_count")
    if turned is not None and turned != file.head_width():
        config["partial_rotary_factor"] = turned / file.head_width()
    return config


# Layers of the sizes whose scores are scaled by the width for each head instead of the head's own width.
SCALED_BY_WIDTH = {"gemma2": 46, "gemma3": 62}


def gemma_config(file):
    config = decoder_config(file)
    if file.architecture == "gemma":
        return config
    config["query_pre_attn_scalar"] = file.head_width()
    if config["num_hidden_layers"] == SCALED_BY_WIDTH[file.architecture]:
        config["query_pre_attn_scalar"] = config["hidden_size"] // config["num_attention_heads"]
    if file.value("attention.scale"):
        config["query_pre_attn_scalar"] = file.value("attention.scale") ** -2
    if file.value("rope.freq_base_swa") is not None:
        config["rope_local_base_freq"] = file.value("rope.freq_base_swa")
    pattern = file.value("attention.sliding_window_pattern")
    if isinstance(pattern, list):
        config["layer_types"] = ["sliding_attention" if slides else "full_attention" for slides in pattern]
    elif pattern:
        config["sliding_window_pattern"] = pattern
    return config


def gpt2_config(file):
    common = common_config(file)
    return {"vocab_size": file.vocabulary, "n_embd": common["hidden_size"], "n_head": common["num_attention_heads"],
            "n_layer": common["num_hidden_layers"], "n_positions": common["max_position_embeddings"],
            "n_inner": common["intermediate_size"], "tie_word_embeddings": common["tie_word_embeddings"],
            "layer_norm_epsilon": file.value("attention.layer_norm_epsilon", 1e-5)}


def neox_config(file):
    config = common_config(file)
    config["layer_norm_eps"] = file.value("attention.layer_norm_epsilon", 1e-5)
    config["use_parallel_residual"] = file.value("use_parallel_residual", True)
    config["rotary_pct"] = file.value("rope.dimension_count", file.head_width()) / file.head_width()
    return config


def falcon_config(file):
    config = common_config(file)
    keys = config.pop("num_key_value_heads")
    config.update({"num_kv_heads": keys, "new_decoder_architecture": file.has("attn_norm_2"),
                   "multi_query": keys == 1, "parallel_attn": True, "alibi": False,
                   "bias": "blk.0.attn_qkv.bias" in file.names, "ffn_hidden_size": config.pop("intermediate_size"),
                   "layer_norm_epsilon": file.value("attention.layer_norm_epsilon", 1e-5)})
    return config


def bert_config(file):
    config = common_config(file)
    config["layer_norm_eps"] = file.value("attention.layer_norm_epsilon", 1e-12)
    config["type_vocab_size"] = file.metadata.get("tokenizer.ggml.token_type_count", 2)
    config["add_pooling_layer"] = False
    return config


# What is done with a weight: "", "minus one", "transposed", "experts" (one for each), "pairs N" (rows of N heads back in
# halves) or "groups N K" (queries, keys and values of N heads and K key heads back beside each other).

def paired(file, part, config):
    """Llama's queries and keys, whose rows stand as pairs of one frequency."""
    if part == "attn_q":
        return f"pairs {config['num_attention_heads']}"
    if part == "attn_k":
        return f"pairs {config['num_key_value_heads']}"
    return "experts" if part.endswith("_exps") else ""


def centered(file, part, config):
    return "minus one" if part.endswith("norm") else ""


def transposed(file, part, config):
    return "transposed" if part in ("attn_qkv", "attn_output", "ffn_up", "ffn_down") else ""


def grouped(file, part, config):
    if part != "attn_qkv":
        return ""
    heads = config["num_attention_heads"]
    return f"groups {heads} {config.get('num_kv_heads', heads)}"


def as_it_is(file, part, config):
    return ""


ARCHITECTURES = {
    "llama": ("llama", DECODER, llama_config, paired),
    "qwen2": ("qwen2", DECODER, decoder_config, as_it_is),
    "qwen3": ("qwen3", DECODER, decoder_config, as_it_is),
    "gemma": ("gemma", DECODER, gemma_config, centered),
    "gemma2": ("gemma2", RESULT_NORMS, gemma_config, centered),
    "gemma3": ("gemma3_text", RESULT_NORMS, gemma_config, centered),
    "phi3": ("phi3", DECODER.changed(ffn_up="mlp.gate_up_proj"), phi3_config, as_it_is),
    "gpt2": ("gpt2", GPT2, gpt2_config, transposed),
    "gptneox": ("gpt_neox", NEOX, neox_config, grouped),
    "falcon": ("falcon", FALCON, falcon_config, grouped),
    "bert": ("bert", BERT, bert_config, as_it_is),
}


def plan(metadata, vocabulary, names, factors):
    """The config; of each weight its own name and what has to be done with it. None for an architecture that is not
    known."""
    file = File(metadata, vocabulary, names, factors)
    if file.architecture not in ARCHITECTURES:
        return None, []
    model_type, own_names, config_of, change = ARCHITECTURES[file.architecture]
    # The class that transformers would have saved it from, as far as it says what the model gives.
    saved_from = "BertModel" if model_type == "bert" else "ForCausalLM"
    config = {"model_type": model_type, "architectures": [saved_from], **config_of(file)}
    if config["model_type"] == "mixtral":
        own_names = EXPERTS
    if file.architecture == "falcon" and config["new_decoder_architecture"]:
        own_names = own_names.changed(attn_norm="ln_mlp", attn_norm_2="ln_attn")
    changes = []
    for name in names:
        parts = name.split(".")
        part = parts[2] if parts[0] == "blk" and len(parts) > 3 else parts[0]
        what = "" if name.endswith(".bias") and change is transposed else change(file, part, config)
        changes.append((own_names.own(name) or name, what))
    return config, changes
