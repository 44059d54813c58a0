# SPDX-License-Identifier: Apache-2.0
from torch.distributions import broadcast_all, clamp_probs, logits_to_probs, probs_to_logits
