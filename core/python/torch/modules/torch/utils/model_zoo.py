# SPDX-License-Identifier: Apache-2.0
from torch.hub import load_state_dict_from_url as load_url
from torch.hub import tqdm
