# SPDX-License-Identifier: Apache-2.0
from torch.cuda.amp import GradScaler
