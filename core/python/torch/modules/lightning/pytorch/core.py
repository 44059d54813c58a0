# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn
from _native import caller_locals
from lightning.pytorch.utilities.parsing import AttributeDict
from lightning.pytorch.trainer import report_value


class HyperparametersMixin:
    @property
    def hparams(self):
        if '_hparams' not in self.__dict__:
            object.__setattr__(self, '_hparams', AttributeDict())
        return self._hparams

    @property
    def hparams_initial(self):
        return AttributeDict(self.hparams)

    def save_hyperparameters(self, *args, ignore=None, frame=None, logger=True):
        """The arguments of the __init__ that calls this; those named, or those of a dict or namespace that is given."""
        ignored = {ignore} if isinstance(ignore, str) else set(ignore or ())
        given = caller_locals('__init__')
        if args and not isinstance(args[0], str):
            found = args[0] if isinstance(args[0], dict) else vars(args[0])
        else:
            found = {name: given[name] for name in args if name in given} if args else given
        for name, value in found.items():
            if name not in ignored and name != 'self' and not name.startswith('__'):
                self.hparams[name] = value


class LightningModule(HyperparametersMixin, nn.Module):
    CHECKPOINT_HYPER_PARAMS_KEY = 'hyper_parameters'
    automatic_optimization = True
    example_input_array = None
    trainer = None
    current_epoch = 0
    global_step = 0
    global_rank = 0
    local_rank = 0
    logger = None
    loggers = ()
    fabric = None
    strict_loading = True

    def __init__(self, *args, **kwargs):
        super().__init__()

    @property
    def device(self):
        for each in self.parameters():
            return each.device
        return torch.device('cpu')

    @property
    def dtype(self):
        for each in self.parameters():
            return each.dtype
        return torch.get_default_dtype()

    @property
    def on_gpu(self):
        return self.device.type == 'cuda'

    def log(self, name, value, *args, **kwargs):
        report_value(name, value)

    def log_dict(self, dictionary, *args, **kwargs):
        for name, value in dictionary.items():
            report_value(name, value)

    def print(self, *args, **kwargs):
        print(*args, **kwargs)

    def forward(self, *args, **kwargs):
        return super().forward(*args, **kwargs)

    def training_step(self, *args, **kwargs):
        raise NotImplementedError('`training_step` must be implemented to be used with the Lightning Trainer')

    def configure_optimizers(self):
        raise NotImplementedError('`configure_optimizers` must be implemented to be used with the Lightning Trainer')

    def predict_step(self, batch, *args, **kwargs):
        return self(batch)

    def _nothing(self, *args, **kwargs):
        return None

    validation_step = test_step = configure_callbacks = configure_model = setup = teardown = prepare_data = _nothing
    on_fit_start = on_fit_end = on_train_start = on_train_end = on_train_epoch_start = on_train_epoch_end = _nothing
    on_train_batch_start = on_train_batch_end = on_validation_start = on_validation_end = _nothing
    on_validation_epoch_start = on_validation_epoch_end = on_validation_batch_start = on_validation_batch_end = _nothing
    on_test_start = on_test_end = on_test_epoch_start = on_test_epoch_end = on_test_batch_start = on_test_batch_end = _nothing
    on_before_backward = on_after_backward = on_before_optimizer_step = on_before_zero_grad = _nothing
    on_save_checkpoint = on_load_checkpoint = _nothing
    train_dataloader = val_dataloader = test_dataloader = predict_dataloader = _nothing

    def backward(self, loss, *args, **kwargs):
        loss.backward(*args, **kwargs)

    manual_backward = backward

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure=None):
        optimizer.step(closure=optimizer_closure)

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        optimizer.zero_grad()

    def lr_scheduler_step(self, scheduler, metric):
        scheduler.step() if metric is None else scheduler.step(metric)

    def clip_gradients(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        parameters = [each for group in optimizer.param_groups for each in group['params']]
        if gradient_clip_val and gradient_clip_algorithm == 'value':
            nn.utils.clip_grad_value_(parameters, gradient_clip_val)
        elif gradient_clip_val:
            nn.utils.clip_grad_norm_(parameters, gradient_clip_val)

    def freeze(self):
        for each in self.parameters():
            each.requires_grad = False
        self.eval()

    def unfreeze(self):
        for each in self.parameters():
            each.requires_grad = True
        self.train()

    def all_gather(self, data, group=None, sync_grads=False):
        return data

    def optimizers(self, use_pl_optimizer=True):
        made = self.trainer.optimizers if self.trainer is not None else []
        return made[0] if len(made) == 1 else made

    def lr_schedulers(self):
        made = self.trainer.schedulers if self.trainer is not None else []
        return None if not made else made[0] if len(made) == 1 else made

    def toggle_optimizer(self, optimizer):
        held = {id(each) for group in optimizer.param_groups for each in group['params']}
        for each in self.parameters():
            each.requires_grad = id(each) in held

    def untoggle_optimizer(self, optimizer):
        for each in self.parameters():
            each.requires_grad = True

    @classmethod
    def load_from_checkpoint(cls, checkpoint_path, map_location=None, hparams_file=None, strict=True, **kwargs):
        checkpoint = torch.load(checkpoint_path, map_location=map_location, weights_only=False)
        given = dict(checkpoint.get(cls.CHECKPOINT_HYPER_PARAMS_KEY, {}))
        given.update(kwargs)
        model = cls(**given)
        model.load_state_dict(checkpoint['state_dict'], strict=strict)
        return model


class LightningDataModule(HyperparametersMixin):
    trainer = None

    def __init__(self, *args, **kwargs):
        pass

    def prepare_data(self):
        pass

    def setup(self, stage=None):
        pass

    def teardown(self, stage=None):
        pass
