# SPDX-License-Identifier: Apache-2.0
from torch.utils.tensorboard import FileWriter, SummaryWriter
