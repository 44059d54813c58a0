# SPDX-License-Identifier: Apache-2.0
"""What llama.cpp calls the settings and the weights of a model, as its config.json and its own names.

An architecture is one entry of ARCHITECTURES: the model_type here, its names, and how its settings are read."""

# Weights that are settings: factors of rotary frequencies.
FREQUENCIES = ("rope_freqs.weight", "rope_factors_short.weight", "rope_factors_long.weight")


class Names:
    """outer: parts by the file's names. stacks: by the beginning of their names the list of layers, and its parts; a part
    whose name ends with "!" is the whole name of a weight."""

    def __init__(self, outer, stacks):
        self.outer = outer
        self.stacks = stacks

    def changed(self, **inner):
        return Names(self.outer, {stack: (layers, {**parts, **inner}) for stack, (layers, parts) in self.stacks.items()})

    def own(self, name):
        """None for a name that the model has no part for. "{}" stands for the number of an expert."""
        rest, _, kind = name.rpartition(".")
        if rest in self.outer:
            return self.outer[rest] + "." + kind
        for stack, (layers, inner) in self.stacks.items():
            parts = rest[len(stack) + 1:].split(".")
            if not rest.startswith(stack + ".") or len(parts) not in (2, 3) or parts[1] not in inner:
                continue
            own = inner[parts[1]]
            if len(parts) == 3:  # an expert of its own
                own = inner.get(parts[1] + "_exps", own).replace("{}", parts[2])
            return f"{layers}.{parts[0]}." + (own[:-1] if own.endswith("!") else f"{own}.{kind}")
        return None

    @staticmethod
    def part(name):
        """Of a name what stands behind the layer's number: "attn_q"."""
        parts = name.split(".")
        if parts[0] in ("enc", "dec") and len(parts) > 2:
            parts = parts[1:]
        return parts[2] if parts[0] == "blk" and len(parts) > 3 else parts[0]


def with_blocks(outer, layers, inner):
    return Names(outer, {"blk": (layers, inner)})


DECODER = with_blocks(
    {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}, "model.layers",
    {"attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
     "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "attn_qkv": "self_attn.qkv_proj",
     "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm", "ffn_norm": "post_attention_layernorm",
     "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"})
EXPERTS = DECODER.changed(
    ffn_gate_inp="block_sparse_moe.gate", ffn_gate_exps="block_sparse_moe.experts.{}.w1",
    ffn_down_exps="block_sparse_moe.experts.{}.w2", ffn_up_exps="block_sparse_moe.experts.{}.w3")
SPARSE = DECODER.changed(
    ffn_gate_inp="mlp.gate", ffn_gate_exps="mlp.experts.{}.gate_proj", ffn_up_exps="mlp.experts.{}.up_proj",
    ffn_down_exps="mlp.experts.{}.down_proj", ffn_gate_inp_shexp="mlp.shared_expert_gate",
    ffn_gate_shexp="mlp.shared_expert.gate_proj", ffn_up_shexp="mlp.shared_expert.up_proj",
    ffn_down_shexp="mlp.shared_expert.down_proj")
DEEPSEEK = SPARSE.changed(
    attn_q_a="self_attn.q_a_proj", attn_q_a_norm="self_attn.q_a_layernorm", attn_q_b="self_attn.q_b_proj",
    attn_kv_a_mqa="self_attn.kv_a_proj_with_mqa", attn_kv_a_norm="self_attn.kv_a_layernorm",
    exp_probs_b="mlp.gate.e_score_correction_bias!", attn_kv_b="self_attn.kv_b_proj", attn_k_b="self_attn.k_b_proj.{}", attn_v_b="self_attn.v_b_proj.{}",
    ffn_gate_shexp="mlp.shared_experts.gate_proj", ffn_up_shexp="mlp.shared_experts.up_proj",
    ffn_down_shexp="mlp.shared_experts.down_proj")
RESULT_NORMS = DECODER.changed(
    ffn_norm="pre_feedforward_layernorm", post_attention_norm="post_attention_layernorm",
    post_ffw_norm="post_feedforward_layernorm")
GPT2 = with_blocks(
    {"token_embd": "transformer.wte", "position_embd": "transformer.wpe", "output_norm": "transformer.ln_f",
     "output": "lm_head"}, "transformer.h",
    {"attn_norm": "ln_1", "attn_qkv": "attn.c_attn", "attn_output": "attn.c_proj", "ffn_norm": "ln_2",
     "ffn_up": "mlp.c_fc", "ffn_down": "mlp.c_proj"})
NEOX = with_blocks(
    {"token_embd": "gpt_neox.embed_in", "output_norm": "gpt_neox.final_layer_norm", "output": "embed_out"},
    "gpt_neox.layers",
    {"attn_norm": "input_layernorm", "attn_qkv": "attention.query_key_value", "attn_output": "attention.dense",
     "ffn_norm": "post_attention_layernorm", "ffn_up": "mlp.dense_h_to_4h", "ffn_down": "mlp.dense_4h_to_h"})
FALCON = with_blocks(
    {"token_embd": "transformer.word_embeddings", "output_norm": "transformer.ln_f", "output": "lm_head"},
    "transformer.h",
    {"attn_norm": "input_layernorm", "attn_qkv": "self_attention.query_key_value",
     "attn_output": "self_attention.dense", "ffn_up": "mlp.dense_h_to_4h", "ffn_down": "mlp.dense_4h_to_h"})
BERT = with_blocks(
    {"token_embd": "embeddings.word_embeddings", "position_embd": "embeddings.position_embeddings",
     "token_types": "embeddings.token_type_embeddings", "token_embd_norm": "embeddings.LayerNorm"}, "encoder.layer",
    {"attn_q": "attention.self.query", "attn_k": "attention.self.key", "attn_v": "attention.self.value",
     "attn_output": "attention.output.dense", "attn_output_norm": "attention.output.LayerNorm",
     "ffn_up": "intermediate.dense", "ffn_down": "output.dense", "layer_output_norm": "output.LayerNorm"})



def t5_names(is_gated):
    def own_attention(layer, kind, prefix):
        return {f"{prefix}attn_norm": f"layer.{layer}.layer_norm", f"{prefix}attn_q": f"layer.{layer}.{kind}.q",
                f"{prefix}attn_k": f"layer.{layer}.{kind}.k", f"{prefix}attn_v": f"layer.{layer}.{kind}.v",
                f"{prefix}attn_o": f"layer.{layer}.{kind}.o",
                f"{prefix}attn_rel_b": f"layer.{layer}.{kind}.relative_attention_bias"}

    def dense(layer):
        inner = f"layer.{layer}.DenseReluDense."
        return {"ffn_norm": f"layer.{layer}.layer_norm", "ffn_gate": inner + "wi_0",
                "ffn_up": inner + ("wi_1" if is_gated else "wi"), "ffn_down": inner + "wo"}

    return Names({"token_embd": "shared", "output": "lm_head", "enc.output_norm": "encoder.final_layer_norm",
                  "dec.output_norm": "decoder.final_layer_norm"},
                 {"enc.blk": ("encoder.block", {**own_attention(0, "SelfAttention", ""), **dense(1)}),
                  "dec.blk": ("decoder.block", {**own_attention(0, "SelfAttention", ""),
                                                **own_attention(1, "EncDecAttention", "cross_"), **dense(2)})})


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


def sparse_config(file):
    config = decoder_config(file)
    config.update({"num_experts": file.needed("expert_count"), "num_experts_per_tok": file.needed("expert_used_count"),
                   "norm_topk_prob": file.value("expert_weights_norm", file.architecture == "qwen3moe"),
                   "mlp_only_layers": [i for i in range(config["num_hidden_layers"])
                                       if f"blk.{i}.ffn_gate_inp.weight" not in file.names],
                   "moe_intermediate_size": file.value("expert_feed_forward_length", config["intermediate_size"]),
                   "shared_expert_intermediate_size": file.value("expert_shared_feed_forward_length",
                                                                 config["intermediate_size"])})
    return config


# What `expert_gating_func` says of probabilities of experts.
SOFTMAX, SIGMOID = 1, 2


def deepseek_config(file):
    config = decoder_config(file)
    is_balanced = file.has("exp_probs_b")
    chosen_by = file.value("expert_gating_func", SIGMOID if is_balanced else SOFTMAX)
    if chosen_by != (SIGMOID if is_balanced else SOFTMAX):
        raise ValueError(f"its experts are chosen in a way that is not known: expert_gating_func {chosen_by}, "
                         f"{'with' if is_balanced else 'without'} biases")
    turned = file.needed("rope.dimension_count")
    # Of files whose keys and values are made of the narrow vector last, the sizes of a head are named apart.
    keys = file.value("attention.key_length_mla") or file.needed("attention.key_length")
    config.update({"head_dim": keys, "qk_nope_head_dim": keys - turned, "qk_rope_head_dim": turned,
                   "v_head_dim": file.value("attention.value_length_mla") or file.needed("attention.value_length"),
                   "q_lora_rank": file.value("attention.q_lora_rank"), "kv_lora_rank": file.needed("attention.kv_lora_rank"),
                   "splits_kv_b": file.has("attn_k_b"), "num_key_value_heads": config["num_attention_heads"],
                   "first_k_dense_replace": file.value("leading_dense_block_count", 0),
                   "n_routed_experts": file.needed("expert_count"), "num_experts_per_tok": file.needed("expert_used_count"),
                   "n_shared_experts": file.value("expert_shared_count", 0),
                   "moe_intermediate_size": file.needed("expert_feed_forward_length"),
                   "routed_scaling_factor": file.value("expert_weights_scale", 1.0)})
    if file.value("expert_group_count", 1) > 1:
        config.update({"topk_method": "group_limited_greedy", "n_group": file.value("expert_group_count"),
                       "topk_group": file.needed("expert_group_used_count")})
    if is_balanced:
        config.update({"model_type": "deepseek_v3", "norm_topk_prob": file.value("expert_weights_norm", False),
                       "n_group": file.value("expert_group_count", 1),
                       "topk_group": file.value("expert_group_used_count", 1)})
    multiplier = file.value("rope.scaling.yarn_log_multiplier")
    if multiplier and "rope_scaling" in config:
        # Ten times what the logarithm of the factor is multiplied by.
        config["rope_scaling"].update({"mscale": 10 * multiplier, "mscale_all_dim": 10 * multiplier})
    return config


def t5_config(file):
    layers = file.needed("block_count")
    config = {"vocab_size": file.vocabulary, "d_model": file.needed("embedding_length"),
              "d_ff": file.needed("feed_forward_length"), "num_layers": layers,
              "num_decoder_layers": file.value("decoder_block_count", layers),
              "num_heads": file.needed("attention.head_count"), "d_kv": file.head_width(),
              "layer_norm_epsilon": file.value("attention.layer_norm_rms_epsilon",
                                               file.value("attention.layer_norm_epsilon", 1e-6)),
              "relative_attention_num_buckets": file.value("attention.relative_buckets_count", 32),
              "decoder_start_token_id": file.value("decoder_start_token_id", 0),
              "feed_forward_proj": "gated-gelu" if file.has("ffn_gate") else "relu",
              "tie_word_embeddings": "output.weight" not in file.names}
    for key in ("eos_token_id", "pad_token_id"):
        named = "padding_token_id" if key == "pad_token_id" else key
        if file.metadata.get("tokenizer.ggml." + named) is not None:
            config[key] = file.metadata["tokenizer.ggml." + named]
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


def apart(file, part, config):
    """Tables of matrices: of experts, or of heads."""
    return "experts" if part.endswith("_exps") or part in ("attn_k_b", "attn_v_b") else ""


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
    "qwen2moe": ("qwen2_moe", SPARSE, sparse_config, apart),
    "qwen3moe": ("qwen3_moe", SPARSE, sparse_config, apart),
    "deepseek2": ("deepseek_v2", DEEPSEEK, deepseek_config, apart),
    "t5": ("t5", t5_names(False), t5_config, as_it_is),
    "t5encoder": ("t5", t5_names(False), t5_config, as_it_is),
}


SAVED_FROM = {"bert": "BertModel", "t5": "T5ForConditionalGeneration", "t5encoder": "T5EncoderModel"}


def plan(metadata, vocabulary, names, factors):
    """The config; of each weight its own name and what has to be done with it. None for an architecture that is not
    known."""
    file = File(metadata, vocabulary, names, factors)
    if file.architecture not in ARCHITECTURES:
        return None, []
    model_type, own_names, config_of, change = ARCHITECTURES[file.architecture]
    # The class that transformers would have saved it from, as far as it says what the model gives.
    saved_from = SAVED_FROM.get(file.architecture, "ForCausalLM")
    config = {"model_type": model_type, "architectures": [saved_from], **config_of(file)}
    if config["model_type"] == "mixtral":
        own_names = EXPERTS
    if file.architecture == "falcon" and config["new_decoder_architecture"]:
        own_names = own_names.changed(attn_norm="ln_mlp", attn_norm_2="ln_attn")
    if model_type == "t5":
        own_names = t5_names(file.has("ffn_gate"))
    changes = []
    for name in names:
        part = Names.part(name)
        what = "" if name.endswith(".bias") and change is transposed else change(file, part, config)
        changes.append((own_names.own(name) or name, what))
    return config, changes
