# SPDX-License-Identifier: Apache-2.0
from torch._higher_order_ops import cond
