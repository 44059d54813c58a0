# Which dtypes an operator takes, what dtype it gives, and in which words it refuses the others.
import re
import torch
import torch.nn.functional as F

DT = ['float32','float64','float16','bfloat16','int64','int32','uint8','int8','bool','complex64','int16']


def T(dt, *shape):
    n = 1
    for s in shape: n *= s
    x = (torch.arange(n, dtype=torch.float64) % 5 + 1).reshape(shape)
    return x.to(getattr(torch, dt))


cases = []


def case(name, f):
    cases.append((name, f))


# pooling
for nd, sh in ((1,(1,2,6)),(2,(1,2,6,6)),(3,(1,2,4,4,4))):
    for p in ('max_pool','avg_pool','adaptive_avg_pool','adaptive_max_pool','lp_pool'):
        nm = '%s%dd' % (p, nd)
        if nm in ('avg_pool3d', 'lp_pool3d'):
            continue  # taken of halves here
        f = getattr(F, nm)
        if p == 'lp_pool': case(nm, lambda dt, f=f, sh=sh: f(T(dt,*sh), 2.0, 2))
        else: case(nm, lambda dt, f=f, sh=sh: f(T(dt,*sh), 2))
case('fractional_max_pool2d', lambda dt: F.fractional_max_pool2d(T(dt,1,2,6,6), 2, output_size=3, _random_samples=torch.full((1,2,2),0.5,dtype=getattr(torch,dt))))
case('max_unpool2d', lambda dt: F.max_unpool2d(T(dt,1,1,2,2), torch.tensor([[[[0,3],[8,11]]]]), 2))
# losses
case('mse_loss', lambda dt: F.mse_loss(T(dt,4), T(dt,4)))
case('l1_loss', lambda dt: F.l1_loss(T(dt,4), T(dt,4)))
case('smooth_l1_loss', lambda dt: F.smooth_l1_loss(T(dt,4), T(dt,4)))
case('huber_loss', lambda dt: F.huber_loss(T(dt,4), T(dt,4)))
case('bce', lambda dt: F.binary_cross_entropy(T(dt,4)/5, T(dt,4)/5))
case('bce_int', lambda dt: F.binary_cross_entropy(T(dt,4)*0, T(dt,4)*0))
case('bce_logits', lambda dt: F.binary_cross_entropy_with_logits(T(dt,4), T(dt,4)))
case('nll', lambda dt: F.nll_loss(T(dt,3,5), torch.tensor([0,1,2])))
case('nll_target', lambda dt: F.nll_loss(T('float32',3,5), (T(dt,3)*0)))
case('ce', lambda dt: F.cross_entropy(T(dt,3,5), torch.tensor([0,1,2])))
case('ce_target', lambda dt: F.cross_entropy(T('float32',3,5), T(dt,3)*0))
case('ce_probs', lambda dt: F.cross_entropy(T(dt,3,5), T(dt,3,5)))
case('kl_div', lambda dt: F.kl_div(T(dt,4), T(dt,4), reduction='sum'))
case('poisson_nll', lambda dt: F.poisson_nll_loss(T(dt,4), T(dt,4)))
case('hinge', lambda dt: F.hinge_embedding_loss(T(dt,4), T(dt,4)))
case('margin_ranking', lambda dt: F.margin_ranking_loss(T(dt,4), T(dt,4), T(dt,4)))
case('soft_margin', lambda dt: F.soft_margin_loss(T(dt,4), T(dt,4)))
case('multi_margin', lambda dt: F.multi_margin_loss(T(dt,3,5), torch.tensor([0,1,2])))
case('multilabel_margin', lambda dt: F.multilabel_margin_loss(T(dt,3,5), torch.zeros(3,5,dtype=torch.int64)))
case('multilabel_soft', lambda dt: F.multilabel_soft_margin_loss(T(dt,3,5), T(dt,3,5)))
case('cosine_embedding', lambda dt: F.cosine_embedding_loss(T(dt,3,5), T(dt,3,5), torch.ones(3)))
case('triplet', lambda dt: F.triplet_margin_loss(T(dt,3,5), T(dt,3,5), T(dt,3,5)))
case('ctc', lambda dt: F.ctc_loss(T(dt,5,1,4), torch.tensor([[1,2]]), (5,), (2,)))
# scalars
for s, v in (('2',2),('2.5',2.5),('300',300),('-1',-1),('1e300',1e300),('True',True),('nan',float("nan"))):
    case('where %s' % s, lambda dt, v=v: torch.where(T(dt,3) > 2 if dt != 'complex64' else torch.tensor([True,False,True]), T(dt,3), v))
    case('clamp %s' % s, lambda dt, v=v: torch.clamp(T(dt,3), max=v))
    case('clamp_min %s' % s, lambda dt, v=v: torch.clamp_min(T(dt,3), v))
    case('pow %s' % s, lambda dt, v=v: torch.pow(T(dt,3), v))
    case('rpow %s' % s, lambda dt, v=v: torch.pow(v, T(dt,3)))
    case('threshold %s' % s, lambda dt, v=v: F.threshold(T(dt,3), v, 1))
    case('threshold value %s' % s, lambda dt, v=v: F.threshold(T(dt,3), 2, v))
    case('masked_fill %s' % s, lambda dt, v=v: T(dt,3).masked_fill(torch.tensor([True,False,True]), v))
    case('fill %s' % s, lambda dt, v=v: T(dt,3).fill_(v))
    case('full %s' % s, lambda dt, v=v: torch.full((2,), v, dtype=getattr(torch,dt)))
    case('add %s' % s, lambda dt, v=v: T(dt,3) + v)
    case('mul_ %s' % s, lambda dt, v=v: T(dt,3).mul_(v))
    case('index_fill %s' % s, lambda dt, v=v: T(dt,3).index_fill(0, torch.tensor([0]), v))
    case('leaky_relu %s' % s, lambda dt, v=v: F.leaky_relu(T(dt,3), v))
    case('hardtanh %s' % s, lambda dt, v=v: F.hardtanh(T(dt,3), -1, v))
    case('eq %s' % s, lambda dt, v=v: T(dt,3) == v)
    case('lt %s' % s, lambda dt, v=v: T(dt,3) < v)
    case('floor_divide %s' % s, lambda dt, v=v: T(dt,3) // v)
    case('remainder %s' % s, lambda dt, v=v: T(dt,3) % v)
    case('fmod %s' % s, lambda dt, v=v: torch.fmod(T(dt,3), v))
    case('pad %s' % s, lambda dt, v=v: F.pad(T(dt,3), (1,1), value=v))
case('clamp none', lambda dt: torch.clamp(T(dt,3)))
case('clamp tensors', lambda dt: torch.clamp(T(dt,3), T('int64',3), T('float32',3)))
# norm, softmax, cum
for p in (2, 1, 0, float('inf'), 'fro', 'nuc', 3.5, -1):
    case('norm %s' % p, lambda dt, p=p: torch.norm(T(dt,2,3), p))
    case('norm dim %s' % p, lambda dt, p=p: torch.norm(T(dt,2,3), p, dim=-1) if not isinstance(p, str) else torch.norm(T(dt,2,3), p, dim=(0,1)))
    if not isinstance(p, str):
        case('vector_norm %s' % p, lambda dt, p=p: torch.linalg.vector_norm(T(dt,2,3), p))
    if p not in (0, 3.5): case('matrix_norm %s' % p, lambda dt, p=p: torch.linalg.matrix_norm(T(dt,2,3), p))
for f in ('softmax','log_softmax','cumsum','cumprod','cummax','cummin','logcumsumexp','logsumexp','sum','prod','mean','median','std','var','amax','argmax','max','min','mode','nanmedian','nansum','nanmean','aminmax','all','any','sort','argsort','count_nonzero','diff','flip','topk','kthvalue','nonzero'):
    def g(dt, f=f):
        x = T(dt,2,3)
        if f == 'nonzero': return torch.nonzero(x)
        if f == 'topk': return torch.topk(x, 2)
        if f == 'kthvalue': return torch.kthvalue(x, 2)
        if f == 'aminmax': return torch.aminmax(x, dim=1)
        if f == 'flip': return torch.flip(x, (1,))
        return getattr(torch, f)(x, dim=1)
    case(f, g)
    if f in ('sum','prod','mean','median','std','var','max','min','nansum','all','any','argmax'):
        case(f + ' all', lambda dt, f=f: getattr(torch,f)(T(dt,2,3)))
case('normalize', lambda dt: F.normalize(T(dt,2,3)))
case('cosine_similarity', lambda dt: F.cosine_similarity(T(dt,2,3), T(dt,2,3)))
case('pairwise_distance', lambda dt: F.pairwise_distance(T(dt,2,3), T(dt,2,3)))
case('cdist', lambda dt: torch.cdist(T(dt,2,3), T(dt,2,3)))
case('layer_norm', lambda dt: F.layer_norm(T(dt,2,3), (3,)))
case('batch_norm', lambda dt: F.batch_norm(T(dt,2,3), T(dt,3), T(dt,3)))
case('group_norm', lambda dt: F.group_norm(T(dt,2,4), 2))
case('instance_norm', lambda dt: F.instance_norm(T(dt,2,3,4)))
case('local_response_norm', lambda dt: F.local_response_norm(T(dt,2,3,4), 2))
case('rms_norm', lambda dt: F.rms_norm(T(dt,2,3), (3,)))
# linalg
A = lambda dt: (T(dt,3,3) + torch.eye(3, dtype=torch.float32).to(getattr(torch,dt)) * 4) if dt != 'bool' else T(dt,3,3)
for f in ('det','slogdet','inv','cholesky','qr','eig','eigvals','eigh','eigvalsh','svd','svdvals','lu','lu_factor','matrix_rank','pinv','cond','matrix_exp','ldl_factor'):
    case('linalg.' + f, lambda dt, f=f: getattr(torch.linalg, f)(A(dt)))
case('linalg.solve', lambda dt: torch.linalg.solve(A(dt), T(dt,3,1)))
case('linalg.lstsq', lambda dt: torch.linalg.lstsq(A(dt), T(dt,3,1)).solution)
case('linalg.matrix_power', lambda dt: torch.linalg.matrix_power(A(dt), 2))
case('linalg.multi_dot', lambda dt: torch.linalg.multi_dot([A(dt), A(dt), A(dt)]))
case('linalg.cross', lambda dt: torch.linalg.cross(T(dt,2,3), T(dt,2,3)))
case('mm', lambda dt: torch.mm(A(dt), A(dt)))
case('matmul vec', lambda dt: torch.matmul(T(dt,3), T(dt,3)))
case('bmm', lambda dt: torch.bmm(T(dt,2,3,3), T(dt,2,3,3)))
case('addmm', lambda dt: torch.addmm(A(dt), A(dt), A(dt)))
case('addmm alpha', lambda dt: torch.addmm(A(dt), A(dt), A(dt), alpha=0.5))
case('addmv', lambda dt: torch.addmv(T(dt,3), A(dt), T(dt,3)))
case('outer', lambda dt: torch.outer(T(dt,3), T(dt,3)))
case('trace', lambda dt: torch.trace(A(dt)))
case('tril', lambda dt: torch.tril(A(dt)))
case('kron', lambda dt: torch.kron(T(dt,2), T(dt,2)))
case('linear', lambda dt: F.linear(A(dt), A(dt), T(dt,3)))
case('bilinear', lambda dt: F.bilinear(T(dt,2,3), T(dt,2,3), T(dt,2,3,3)))
case('conv1d', lambda dt: F.conv1d(T(dt,1,2,5), T(dt,3,2,2)))
case('conv2d', lambda dt: F.conv2d(T(dt,1,2,5,5), T(dt,3,2,2,2)))
case('conv_transpose2d', lambda dt: F.conv_transpose2d(T(dt,1,2,3,3), T(dt,2,2,2,2)))
case('embedding', lambda dt: F.embedding(T(dt,3)*0, T('float32',4,2)))
case('embedding weight', lambda dt: F.embedding(torch.tensor([0,1]), T(dt,4,2)))
case('one_hot', lambda dt: F.one_hot(T(dt,3)))
case('interpolate', lambda dt: F.interpolate(T(dt,1,1,2,2), scale_factor=2))
case('interpolate bilinear', lambda dt: F.interpolate(T(dt,1,1,2,2), scale_factor=2, mode='bilinear'))
case('grid_sample', lambda dt: F.grid_sample(T(dt,1,1,2,2), T(dt,1,2,2,2), align_corners=False))
case('unfold', lambda dt: F.unfold(T(dt,1,1,3,3), 2))
case('pixel_shuffle', lambda dt: F.pixel_shuffle(T(dt,1,4,2,2), 2))
case('dropout', lambda dt: F.dropout(T(dt,3), 0.0))
case('bincount', lambda dt: torch.bincount(T(dt,3)))
case('quantile', lambda dt: torch.quantile(T(dt,3), 0.5))
case('bucketize', lambda dt: torch.bucketize(T(dt,3), T(dt,3).sort()[0]))
case('lerp', lambda dt: torch.lerp(T(dt,3), T(dt,3), 0.5))
case('addcmul', lambda dt: torch.addcmul(T(dt,3), T(dt,3), T(dt,3), value=2))
case('addcdiv', lambda dt: torch.addcdiv(T(dt,3), T(dt,3), T(dt,3)))
case('multinomial', lambda dt: torch.multinomial(T(dt,3), 1).shape)
case('bernoulli', lambda dt: torch.bernoulli(T(dt,3)*0))
case('normal_', lambda dt: T(dt,3).normal_().shape)
case('uniform_', lambda dt: T(dt,3).uniform_().shape)
case('random_', lambda dt: T(dt,3).random_().shape)
for f in ('exp','log','sqrt','rsqrt','sin','tanh','sigmoid','erf','abs','neg','ceil','floor','round','trunc','frac','sign','sgn','reciprocal','square','isnan','isinf','isfinite','logical_not','bitwise_not','expm1','log1p','digamma','lgamma','angle','real','imag','conj','relu','positive','signbit','i0','sinc','nan_to_num','deg2rad','erfinv'):
    case(f, lambda dt, f=f: getattr(torch, f)(T(dt,3)))
for f in ('gelu','silu','elu','selu','celu','mish','softplus','hardswish','hardsigmoid','hardtanh','relu6','logsigmoid','softsign','tanhshrink','hardshrink','softshrink','glu','rrelu','prelu'):
    case('F.' + f, lambda dt, f=f: getattr(F, f)(T(dt,4)) if f != 'prelu' else F.prelu(T(dt,4), T(dt,1)))
for f in ('atan2','fmod','remainder','floor_divide','maximum','minimum','fmax','bitwise_and','bitwise_left_shift','logical_xor','hypot','copysign','gcd','lcm','xlogy','ldexp','nextafter','logaddexp','heaviside','true_divide','sub','div','pow','float_power','eq','lt','isclose'):
    case(f + ' tensors', lambda dt, f=f: getattr(torch, f)(T(dt,3), T(dt,3)))
# gradients of integers
for f in ('mse_loss','smooth_l1_loss','l1_loss'):
    def g(dt, f=f):
        x = torch.tensor([1.5, 2.5], requires_grad=True)
        y = getattr(F, f)(x, T(dt,2)); y.backward(); return x.grad
    case('grad ' + f, g)


NAMES = re.compile(r"\b(Long|Int|Byte|Char|Bool|Short|Half|BFloat16|Float|Double|ComplexFloat)\b")
C_NAMES = re.compile(r"\b(int64_t|uint8_t|int8_t|int16_t|long int|unsigned char|signed char|short int|int|bool)\b")


def dtypes_of(result):
    if isinstance(result, torch.Tensor):
        return str(result.dtype)[6:]
    if isinstance(result, tuple) and not isinstance(result, torch.Size):
        return '(' + ', '.join(dtypes_of(each) for each in result) + ')'
    return str(result)


for name, f in cases:
    groups = {}
    for dt in DT:
        torch.manual_seed(0)
        try:
            outcome = 'gives ' + dtypes_of(f(dt)).replace(dt, 'T')
        except Exception as error:
            text = NAMES.sub('T', str(error).split('\n')[0])
            outcome = type(error).__name__ + ' ' + C_NAMES.sub('t', text)
        groups.setdefault(outcome, []).append(dt)
    for outcome, taken in groups.items():
        print(name, '|', ' '.join(taken), '|', outcome)
