# SPDX-License-Identifier: Apache-2.0
"""What llama.cpp calls the settings and the weights of a model, as its config.json and its own names."""

# general.architecture: the model_type here.
MODEL_TYPES = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "gemma": "gemma", "gemma2": "gemma2",
               "gemma3": "gemma3_text", "phi3": "phi3"}
# Norms whose weight the file has plus one.
CENTERED = ("gemma", "gemma2", "gemma3")
# Queries and keys whose rows stand as pairs of one frequency.
PAIRED = ("llama",)

OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
INNER = {"attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
         "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "attn_qkv": "self_attn.qkv_proj",
         "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm", "ffn_norm": "post_attention_layernorm",
         "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
RESULT_NORMS = {"ffn_norm": "pre_feedforward_layernorm", "post_attention_norm": "post_attention_layernorm",
                "post_ffw_norm": "post_feedforward_layernorm"}


def own_name(name, architecture):
    parts = name.split(".")
    if len(parts) == 2 and parts[0] in OUTER:
        return OUTER[parts[0]] + "." + parts[1]
    if len(parts) != 4 or parts[0] != "blk":
        return name
    inner = dict(INNER)
    if architecture in ("gemma2", "gemma3"):
        inner.update(RESULT_NORMS)
    if architecture == "phi3":
        inner["ffn_up"] = "mlp.gate_up_proj"
    part = inner.get(parts[2])
    return name if part is None else f"model.layers.{parts[1]}.{part}.{parts[3]}"


def config_of(metadata, vocabulary, names, frequencies):
    """metadata: by key. vocabulary: rows of the table of tokens. frequencies: of rope_freqs.weight, or None."""
    architecture = metadata["general.architecture"]

    def value(key, otherwise=None):
        return metadata.get(architecture + "." + key, otherwise)

    def needed(key):
        found = value(key)
        if not isinstance(found, int):
            raise ValueError(f"{architecture}.{key} is missing or no whole number")
        return found

    heads = needed("attention.head_count")
    config = {"model_type": MODEL_TYPES[architecture], "vocab_size": vocabulary,
              "hidden_size": needed("embedding_length"), "intermediate_size": needed("feed_forward_length"),
              "num_hidden_layers": needed("block_count"), "num_attention_heads": heads,
              "num_key_value_heads": value("attention.head_count_kv", heads),
              "rms_norm_eps": value("attention.layer_norm_rms_epsilon", 1e-6),
              "max_position_embeddings": value("context_length", 2048),
              "rope_theta": value("rope.freq_base", 10000.0),
              "tie_word_embeddings": "output.weight" not in names}
    if value("attention.key_length") is not None:
        config["head_dim"] = value("attention.key_length")
    if value("attention.sliding_window") is not None:
        config["sliding_window"] = value("attention.sliding_window")
    for key, name in (("attn_logit_softcapping", "attn_logit_softcapping"),
                      ("final_logit_softcapping", "final_logit_softcapping")):
        if value(key) is not None:
            config[name] = value(key)
    if architecture in ("gemma2", "gemma3"):
        config["query_pre_attn_scalar"] = config.get("head_dim", config["hidden_size"] // heads)
    kind = value("rope.scaling.type")
    if kind in ("linear", "yarn"):
        config["rope_scaling"] = {"rope_type": kind, "factor": value("rope.scaling.factor", 1.0)}
        original = value("rope.scaling.original_context_length")
        if original is not None:
            config["rope_scaling"]["original_max_position_embeddings"] = original
    if frequencies is not None:
        config["rope_scaling"] = {"rope_type": "longrope", "short_factor": frequencies, "long_factor": frequencies,
                                  "attention_factor": 1.0}
    for key in ("bos_token_id", "eos_token_id"):
        if metadata.get("tokenizer.ggml." + key) is not None:
            config[key] = metadata["tokenizer.ggml." + key]
    return config


def plan(metadata, vocabulary, names, frequencies):
    """The config; of each weight its own name and what has to be done with it: "", "pairs N" (rows of N heads back in
    halves) or "minus one"."""
    architecture = metadata["general.architecture"]
    if architecture not in MODEL_TYPES or metadata.get(architecture + ".expert_count"):
        return None, []
    config = config_of(metadata, vocabulary, names, frequencies)
    changes = []
    for name in names:
        own = own_name(name, architecture)
        what = ""
        if architecture in CENTERED and own.endswith("norm.weight"):
            what = "minus one"
        if architecture in PAIRED and (".q_proj." in own or ".k_proj." in own):
            what = f"pairs {config['num_attention_heads' if '.q_proj.' in own else 'num_key_value_heads']}"
        changes.append((own, what))
    return config, changes
