# SPDX-License-Identifier: Apache-2.0
from lightning.pytorch import Callback, LightningDataModule, LightningModule, Trainer, __version__, seed_everything
from pytorch_lightning import callbacks, core, loggers, utilities
