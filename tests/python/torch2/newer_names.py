# SPDX-License-Identifier: Apache-2.0
# Sources that ask which PyTorch this is, and what PyTorch 2 has for those that hear 2.15.
import sys
import warnings
import torch
from torch import nn
import torch.nn.functional as F


def shown(name, make):
    try:
        value = make()
    except Exception as error:
        print(name, '|', type(error).__name__ + ':', str(error).strip().split('\n')[0])
        return
    if isinstance(value, torch.Tensor):
        value = 'tensor %s %s %.4f' % (str(value.dtype)[6:], tuple(value.shape), value.detach().double().sum().item())
    print(name, '|', value)


torch.manual_seed(0)
print('# version')
from packaging import version
TORCH = torch.__version__.split('+')[0]
shown('version', lambda: TORCH)
shown('type', lambda: type(torch.__version__).__name__)
shown('version module', lambda: torch.version.__version__.split('+')[0])
shown('packaging', lambda: version.parse(torch.__version__) >= version.parse('2.0'))
shown('packaging base', lambda: version.parse(version.parse(torch.__version__).base_version).release)
shown('split', lambda: tuple(int(x) for x in torch.__version__.split('.')[:2]) >= (2, 0))
shown('tuple', lambda: torch.__version__ >= (2, 0))
shown('less', lambda: torch.__version__ < '1.13')
shown('numeric', lambda: torch.__version__ >= '2.2')
shown('between', lambda: torch.__version__ > '2.9')
shown('startswith', lambda: torch.__version__.startswith('2.'))
shown('equal', lambda: torch.__version__ == '2.14.0')
shown('float', lambda: float('.'.join(torch.__version__.split('.')[:2])))
shown('re', lambda: __import__('re').match(r'(\d+)\.(\d+)', torch.__version__).groups())
shown('format', lambda: 'torch %s' % torch.__version__.split('+')[0])
shown('git', lambda: isinstance(torch.version.git_version, str))
shown('hip', lambda: torch.version.hip)
shown('config', lambda: isinstance(torch.__config__.show(), str))
shown('parallel', lambda: isinstance(torch.__config__.parallel_info(), str))
shown('metadata', lambda: __import__('importlib.metadata').metadata.version('torch').split('+')[0])
shown('TorchVersion', lambda: torch.torch_version.TorchVersion('2.1') < '2.10')

print('# compile')


@torch.compile
def squared(x):
    return x * x


@torch.compile(mode='reduce-overhead', fullgraph=True, dynamic=False)
def cubed(x):
    return x ** 3


net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
shown('compiled', lambda: squared(torch.arange(3.0)))
shown('compiled options', lambda: cubed(torch.arange(3.0)))
shown('compiled module', lambda: torch.compile(net)(torch.ones(1, 3)))
shown('compiled type', lambda: type(torch.compile(net)).__name__)
shown('compiled keys', lambda: list(torch.compile(net).state_dict())[:2])
shown('backend', lambda: torch.compile(net, backend='eager')(torch.ones(1, 3)).shape)
shown('is_compiling', lambda: torch.compiler.is_compiling())
shown('is_dynamo', lambda: torch.compiler.is_dynamo_compiling())
shown('disable', lambda: torch.compiler.disable(squared)(torch.ones(2)))
shown('disable call', lambda: torch.compiler.disable()(lambda x: x + 1)(1))
shown('allow', lambda: torch.compiler.allow_in_graph(squared)(torch.ones(2)))
shown('reset', lambda: torch.compiler.reset())
shown('dynamo reset', lambda: torch._dynamo.reset())
shown('dynamo config', lambda: setattr(torch._dynamo.config, 'suppress_errors', True))
shown('dynamo disable', lambda: torch._dynamo.disable(squared)(torch.ones(2)))
shown('stance', lambda: torch.compiler.set_stance('force_eager') is not None)
shown('mark_dynamic', lambda: torch._dynamo.mark_dynamic(torch.ones(2), 0))
shown('inductor', lambda: __import__('torch._inductor.config') is not None)
shown('jit ignore', lambda: torch.jit.is_scripting())

print('# automatic mixed precision')


def scaled(device):
    scaler = torch.amp.GradScaler(device, enabled=False)
    w = nn.Parameter(torch.ones(2))
    opt = torch.optim.SGD([w], lr=0.1)
    scaler.scale((w * w).sum()).backward()
    scaler.unscale_(opt)
    scaler.step(opt)
    scaler.update()
    return w


def cast():
    with torch.amp.autocast('cpu', dtype=torch.bfloat16):
        return nn.Linear(3, 2)(torch.ones(1, 3)).dtype


def cast_device():
    with torch.autocast(device_type='cpu', dtype=torch.bfloat16, enabled=True, cache_enabled=True):
        return (torch.ones(2, 2) @ torch.ones(2, 2)).dtype, torch.is_autocast_enabled('cpu'), torch.get_autocast_dtype('cpu')


def custom_cast():
    class Custom(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type='cpu', cast_inputs=torch.float32)
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type='cpu')
        def backward(ctx, g):
            return g * 2

    return Custom.apply(torch.ones(2, requires_grad=True))


shown('GradScaler cpu', lambda: scaled('cpu'))
shown('GradScaler device', lambda: torch.amp.GradScaler(device='cuda', enabled=False).is_enabled())
shown('autocast', cast)
shown('autocast device', cast_device)
shown('autocast decorator', lambda: torch.amp.autocast('cpu', dtype=torch.bfloat16)(lambda: (torch.ones(2, 2) @ torch.ones(2, 2)).dtype)())
shown('custom_fwd', custom_cast)
shown('available', lambda: torch.amp.is_autocast_available('cpu'))

print('# attention')
torch.manual_seed(1)
q, k, v = torch.randn(2, 4, 5, 8), torch.randn(2, 4, 6, 8), torch.randn(2, 4, 6, 8)
shown('plain', lambda: F.scaled_dot_product_attention(q, k, v))
shown('causal', lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True))
shown('mask', lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(5, 6).tril().bool()))
shown('float mask', lambda: F.scaled_dot_product_attention(q, k, v, torch.zeros(5, 6), 0.0))
shown('scale', lambda: F.scaled_dot_product_attention(q, k, v, scale=0.1))
shown('gqa', lambda: F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True))


def kernel():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(SDPBackend.MATH):
        first = F.scaled_dot_product_attention(q, k, v)
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION], set_priority=True):
        return first + F.scaled_dot_product_attention(q, k, v)


def old_kernel():
    with torch.backends.cuda.sdp_kernel(enable_flash=False, enable_math=True, enable_mem_efficient=False):
        return F.scaled_dot_product_attention(q, k, v)


def flex():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    mask = create_block_mask(lambda b, h, i, j: i >= j, B=None, H=None, Q_LEN=6, KV_LEN=6, device='cpu')
    return flex_attention(k, k, v, score_mod=lambda s, b, h, i, j: s * 0.5, block_mask=mask)


def bias():
    from torch.nn.attention.bias import causal_lower_right
    return F.scaled_dot_product_attention(q, k, v, attn_mask=causal_lower_right(5, 6))


shown('sdpa_kernel', kernel)
shown('sdp_kernel', old_kernel)
shown('flex', flex)
shown('bias', bias)
shown('flags', lambda: (torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.math_sdp_enabled(), torch.backends.cuda.mem_efficient_sdp_enabled()))
shown('enable', lambda: (torch.backends.cuda.enable_flash_sdp(False), torch.backends.cuda.enable_math_sdp(True), torch.backends.cuda.enable_mem_efficient_sdp(True), torch.backends.cuda.enable_cudnn_sdp(True)))
shown('MultiheadAttention', lambda: nn.MultiheadAttention(8, 2, batch_first=True)(q[0], q[0], q[0], need_weights=False, is_causal=False)[1])
shown('matmul', lambda: torch.backends.cuda.matmul.allow_tf32)
shown('precision', lambda: torch.set_float32_matmul_precision('high'))
shown('get precision', lambda: torch.get_float32_matmul_precision())
shown('mps', lambda: torch.backends.mps.is_available())
shown('mkldnn', lambda: isinstance(torch.backends.mkldnn.is_available(), bool))
shown('mha fastpath', lambda: torch.backends.mha.get_fastpath_enabled())
shown('cpu capability', lambda: isinstance(torch.backends.cpu.get_cpu_capability(), str))
shown('openmp', lambda: isinstance(torch.backends.openmp.is_available(), bool))
shown('opt_einsum', lambda: isinstance(torch.backends.opt_einsum.is_available(), bool))
shown('cudnn flags', lambda: torch.backends.cudnn.flags(enabled=False) is not None)
shown('cudnn version', lambda: torch.backends.cudnn.version() is None or True)

print('# functions of functions')
shown('vmap', lambda: torch.vmap(lambda x, y: (x * y).sum())(q[0, 0], k[0, 0, :5]))
shown('vmap dims', lambda: torch.vmap(torch.dot, in_dims=(None, 1))(torch.ones(3), torch.ones(3, 4)))
shown('grad', lambda: torch.func.grad(lambda x: (x ** 3).sum())(torch.arange(3.0)))
shown('vmap grad', lambda: torch.func.vmap(torch.func.grad(lambda x: x.sin()))(torch.arange(3.0)))
shown('jacrev', lambda: torch.func.jacrev(torch.sin)(torch.arange(3.0)))
shown('jacfwd', lambda: torch.func.jacfwd(torch.sin)(torch.arange(3.0)))
shown('hessian', lambda: torch.func.hessian(lambda x: (x ** 3).sum())(torch.arange(3.0)))
shown('functional_call', lambda: torch.func.functional_call(net, dict(net.named_parameters()), (torch.ones(1, 3),)).shape)
shown('vjp', lambda: torch.func.vjp(torch.sin, torch.ones(3))[1](torch.ones(3))[0])
shown('jvp', lambda: torch.func.jvp(torch.sin, (torch.ones(3),), (torch.ones(3),))[1])
shown('stack', lambda: len(torch.func.stack_module_state([nn.Linear(2, 2), nn.Linear(2, 2)])[0]))

print('# parametrizations')
shown('weight_norm', lambda: list(nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)).state_dict()))
shown('weight_norm forward', lambda: nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))(torch.ones(1, 3)).shape)
shown('spectral_norm', lambda: list(nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2)).state_dict()))
shown('orthogonal', lambda: list(nn.utils.parametrizations.orthogonal(nn.Linear(3, 2)).state_dict()))
shown('old weight_norm', lambda: list(nn.utils.weight_norm(nn.Linear(3, 2)).state_dict()))
shown('fuse', lambda: nn.utils.fusion.fuse_conv_bn_eval(nn.Conv2d(1, 1, 1).eval(), nn.BatchNorm2d(1).eval()) is not None)
shown('skip_init', lambda: nn.utils.skip_init(nn.Linear, 3, 2).weight.shape)

print('# devices')


def under(device):
    with torch.device(device):
        return nn.Linear(2, 3).weight.device, torch.ones(2).device, torch.get_default_device()


def with_meta():
    with torch.device('meta'):
        layer = nn.Linear(2, 3)
    return layer.weight.is_meta, layer.to_empty(device='cpu').weight.device


shown('default', lambda: torch.get_default_device())
shown('set', lambda: (torch.set_default_device('cpu'), torch.get_default_device()))
shown('with', lambda: under('cpu'))
shown('bf16', lambda: torch.cuda.is_bf16_supported() if torch.cuda.is_available() else None)
shown('get_device', lambda: torch.ones(1).get_device())
shown('nbytes', lambda: (torch.ones(3).nbytes, torch.ones(3).itemsize, torch.float16.itemsize))

print('# layers')
torch.manual_seed(2)


class Buffered(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = nn.Buffer(torch.ones(2))
        self.fleeting = nn.Buffer(torch.zeros(2), persistent=False)
        self.norm = nn.RMSNorm(2)

    def forward(self, x):
        return self.norm(x) + self.kept


shown('RMSNorm', lambda: nn.RMSNorm(3)(torch.arange(6.0).view(2, 3)))
shown('rms_norm', lambda: F.rms_norm(torch.arange(6.0).view(2, 3), (3,), eps=1e-6))
shown('RMSNorm text', lambda: str(nn.RMSNorm(3, eps=1e-5, elementwise_affine=False)))
shown('LayerNorm bias', lambda: nn.LayerNorm(3, bias=False).bias)
shown('CircularPad', lambda: nn.CircularPad2d(1)(torch.ones(1, 1, 2, 2)))
shown('ZeroPad1d', lambda: nn.ZeroPad1d(1)(torch.ones(1, 2)))
shown('ReflectionPad3d', lambda: nn.ReflectionPad3d(1)(torch.ones(1, 1, 3, 3, 3)))
shown('Transformer bias', lambda: nn.TransformerEncoderLayer(4, 2, 8, bias=False).linear1.bias)
shown('generate mask', lambda: nn.Transformer.generate_square_subsequent_mask(3).isinf().sum())
shown('Embedding copy', lambda: nn.Embedding.from_pretrained(torch.ones(2, 3), freeze=False).weight.requires_grad)
shown('Unflatten', lambda: nn.Unflatten(1, (2, -1))(torch.ones(1, 4)).shape)
shown('Sequential add', lambda: len(nn.Sequential(nn.ReLU()) + nn.Sequential(nn.ReLU())))
shown('Sequential append', lambda: len(nn.Sequential(nn.ReLU()).append(nn.ReLU()).extend([nn.ReLU()]).insert(0, nn.ReLU())))
shown('Sequential pop', lambda: nn.Sequential(nn.ReLU(), nn.Tanh()).pop(0))
shown('ModuleList', lambda: len(nn.ModuleList([nn.ReLU()]) + [nn.ReLU()]))
shown('ParameterDict', lambda: nn.ParameterDict({'a': torch.ones(1)})['a'].requires_grad)
shown('CrossEntropy', lambda: nn.CrossEntropyLoss(label_smoothing=0.1)(torch.ones(2, 3), torch.tensor([0, 1])))
shown('Mish', lambda: nn.Mish()(torch.ones(2)))
shown('linear_cross_entropy', lambda: hasattr(nn, 'Linear'))
shown('interpolate', lambda: F.interpolate(torch.ones(1, 1, 4, 4), scale_factor=0.5, mode='bilinear', antialias=True))
shown('share', lambda: nn.Linear(1, 1).share_memory() is not None)

print('# hooks')
log = []
hooked = nn.Linear(2, 2)
shown('full backward pre', lambda: hooked.register_full_backward_pre_hook(lambda m, g: log.append('backward pre')) is not None)
shown('full backward', lambda: hooked.register_full_backward_hook(lambda m, i, o: log.append('backward')) is not None)
shown('forward kwargs', lambda: hooked.register_forward_hook(lambda m, a, k, o: log.append('forward'), with_kwargs=True, always_call=True) is not None)
shown('forward pre kwargs', lambda: hooked.register_forward_pre_hook(lambda m, a, k: log.append('forward pre'), with_kwargs=True, prepend=True) is not None)
shown('state_dict pre', lambda: hooked.register_state_dict_pre_hook(lambda m, p, k: log.append('state_dict')) is not None)
shown('load pre', lambda: hooked.register_load_state_dict_pre_hook(lambda m, *a: log.append('load')) is not None)
shown('load post', lambda: hooked.register_load_state_dict_post_hook(lambda m, k: log.append('loaded')) is not None)
shown('run', lambda: hooked(torch.ones(1, 2, requires_grad=True)).sum().backward())
shown('states', lambda: hooked.load_state_dict(hooked.state_dict(), assign=True))
shown('post accumulate', lambda: nn.Parameter(torch.ones(1)).register_post_accumulate_grad_hook(lambda p: None) is not None)
shown('optimizer step hooks', lambda: torch.optim.SGD(net.parameters(), lr=0.1).register_step_pre_hook(lambda o, a, k: None) is not None)

print('# the rest')


def custom():
    @torch.library.custom_op('loupe_test::twice', mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2


    @twice.register_fake
    def _(x):
        return torch.empty_like(x)


    twice.register_autograd(lambda ctx, g: g * 2)
    x = torch.ones(2, requires_grad=True)
    twice(x).sum().backward()
    return twice(torch.ones(2)) + torch.ops.loupe_test.twice(torch.ones(2)) + x.grad


def library():
    lib = torch.library.Library('loupe_lib', 'DEF')
    lib.define('half(Tensor x) -> Tensor')
    lib.impl('half', lambda x: x / 2, 'CPU')
    return torch.ops.loupe_lib.half(torch.ones(2))


def checkpointed():
    from torch.utils.checkpoint import checkpoint, checkpoint_sequential
    x = torch.ones(2, 3, requires_grad=True)
    checkpoint(net, x, use_reentrant=False).sum().backward()
    checkpoint_sequential(net, 2, x, use_reentrant=False).sum().backward()
    return x.grad.shape


def saved():
    import io
    buffer = io.BytesIO()
    torch.save({'a': torch.ones(2)}, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=True, map_location='cpu')['a']


def exported():
    return type(torch.export.export(nn.Linear(2, 3), (torch.ones(1, 2),))).__name__


def moving_average():
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
    return type(AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))).__name__


def deterministic():
    with torch.random.fork_rng():
        torch.rand(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    return torch.is_deterministic_algorithms_warn_only_enabled()


shown('checkpoint', checkpointed)
shown('load', saved)
shown('safe_globals', lambda: torch.serialization.add_safe_globals([Buffered]))
shown('safe_globals with', lambda: torch.serialization.safe_globals([Buffered]) is not None)
shown('export', exported)
shown('ema', moving_average)
shown('mT', lambda: torch.arange(6.0).view(1, 2, 3).mT)
shown('mH', lambda: torch.arange(6.0).view(2, 3).mH)
shown('H', lambda: torch.arange(6.0).view(2, 3).H)
shown('linalg', lambda: torch.linalg.vector_norm(torch.ones(3)))
shown('vecdot', lambda: torch.linalg.vecdot(torch.ones(3), torch.ones(3)))
shown('vander', lambda: torch.linalg.vander(torch.arange(3.0)))
shown('take_along_dim', lambda: torch.take_along_dim(torch.arange(6).view(2, 3), torch.zeros(2, 1).long(), 1))
shown('movedim', lambda: torch.moveaxis(torch.ones(2, 3), 0, 1).shape)
shown('concatenate', lambda: torch.concatenate([torch.ones(1), torch.ones(2)], axis=0))
shown('cond', lambda: torch.cond(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (torch.ones(2),)))
shown('while_loop', lambda: torch._higher_order_ops.while_loop(lambda i: i < 3, lambda i: (i + 1,), (torch.tensor(0),)))
shown('set_grad', lambda: torch.set_grad_enabled(True) is not None)
shown('inference_mode', lambda: torch.inference_mode(False) is not None)
shown('adamw fused', lambda: type(torch.optim.AdamW(net.parameters(), fused=False, foreach=True, capturable=False)).__name__)
shown('NAdam', lambda: type(torch.optim.NAdam(net.parameters(), decoupled_weight_decay=True)).__name__)
shown('Adafactor', lambda: type(torch.optim.Adafactor(net.parameters())).__name__)
shown('PolynomialLR', lambda: torch.optim.lr_scheduler.PolynomialLR(torch.optim.SGD(net.parameters(), lr=0.1), 4).get_last_lr())
shown('zero_grad', lambda: torch.optim.SGD(net.parameters(), lr=0.1).zero_grad())
shown('clip', lambda: nn.utils.clip_grad_norm_(net.parameters(), 1.0, foreach=False, error_if_nonfinite=True))
shown('pytree', lambda: torch.utils._pytree.tree_map(lambda x: x + 1, {'a': [1, 2]}))
shown('generator', lambda: torch.Generator(device='cpu').manual_seed(1).initial_seed())
shown('nested', lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged).is_nested)
shown('float8', lambda: torch.ones(2).to(torch.float8_e4m3fn).dtype)
shown('uint16', lambda: torch.ones(2).to(torch.uint16).dtype)
shown('profiler', lambda: torch.profiler.record_function('x') is not None)
shown('einsum', lambda: torch.einsum('i,i', torch.ones(2), torch.ones(2)))
shown('activation', lambda: __import__('torch.nn.modules.activation', fromlist=['MultiheadAttention']).MultiheadAttention is nn.MultiheadAttention)
shown('jit script', lambda: torch.jit.script(nn.Linear(2, 2))(torch.ones(1, 2)).shape)
