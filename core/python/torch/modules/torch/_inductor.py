# SPDX-License-Identifier: Apache-2.0
from torch._inductor import config
