# SPDX-License-Identifier: Apache-2.0
from torch.utils.data import DataLoader, default_collate, default_convert, get_worker_info
