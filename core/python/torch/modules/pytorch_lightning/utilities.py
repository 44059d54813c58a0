# SPDX-License-Identifier: Apache-2.0
from lightning.pytorch.utilities import AttributeDict, rank_zero_info, rank_zero_only, rank_zero_warn
