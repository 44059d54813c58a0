# SPDX-License-Identifier: Apache-2.0
from torch.nn.parallel import parallel_apply
