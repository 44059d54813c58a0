# SPDX-License-Identifier: Apache-2.0
# Lightning's modules as torch.nn.Module: hooks that its Trainer would call are there, and do nothing by themselves.
from lightning.pytorch import (
    Callback, LightningDataModule, LightningModule, Trainer, callbacks, loggers, seed_everything)
from lightning import pytorch

__version__ = '2.5.0'
