# SPDX-License-Identifier: Apache-2.0
from lightning.pytorch.core import LightningDataModule, LightningModule
from lightning.pytorch.callbacks import Callback
from lightning.pytorch.trainer import Trainer, seed_everything
from lightning.pytorch import callbacks, core, loggers, trainer, utilities

__version__ = '2.5.0'
