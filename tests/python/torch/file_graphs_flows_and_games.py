'''Graph layers with scatter, a normalising flow, DQN and REINFORCE on a toy world, a siamese net and a YOLO head.'''
import math
import random
from collections import deque, namedtuple
from functools import reduce, wraps, lru_cache
from itertools import chain, product, islice, count
from operator import mul
from typing import NamedTuple, Dict, List, Sequence
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.distributions import Categorical, Normal, Independent, kl_divergence

torch.manual_seed(7)
random.seed(7)


def scatter_add(src, index, dim_size):
    out = src.new_zeros((dim_size,) + src.shape[1:])
    return out.index_add_(0, index, src)


class GCNConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o, bias=False)
        self.bias = nn.Parameter(torch.zeros(o))
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1. / math.sqrt(self.lin.weight.size(1))
        self.lin.weight.data.uniform_(-stdv, stdv)

    def forward(self, x, edge_index):
        n = x.size(0)
        loops = torch.arange(n).unsqueeze(0).repeat(2, 1)
        edge_index = torch.cat([edge_index, loops], 1)
        row, col = edge_index
        deg = torch.zeros(n).scatter_add_(0, col, torch.ones(col.numel()))
        inv = deg.pow(-0.5)
        inv[torch.isinf(inv)] = 0
        norm = inv[row] * inv[col]
        x = self.lin(x)
        return scatter_add(norm.unsqueeze(-1) * x[row], col, n) + self.bias

    def __repr__(self):
        return f'{self.__class__.__name__}({self.lin.in_features}, {self.lin.out_features})'


class GAT(nn.Module):
    def __init__(self, i, o, heads=2):
        super().__init__()
        self.W = nn.Parameter(torch.empty(i, heads * o))
        self.a = nn.Parameter(torch.empty(1, heads, 2 * o))
        nn.init.xavier_uniform_(self.W, gain=1.414)
        nn.init.xavier_uniform_(self.a)
        self.heads, self.o = heads, o

    def forward(self, x, edge_index):
        h = (x @ self.W).view(-1, self.heads, self.o)
        src, dst = edge_index
        e = F.leaky_relu((torch.cat([h[src], h[dst]], -1) * self.a).sum(-1), 0.2)
        e = (e - e.max()).exp()
        denom = scatter_add(e, dst, x.size(0))
        alpha = e / (denom[dst] + 1e-16)
        return scatter_add(alpha.unsqueeze(-1) * h[src], dst, x.size(0)).flatten(1)


class GraphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([GCNConv(3, 8), GCNConv(8, 8)])
        self.gat = GAT(8, 4)
        self.out = nn.Linear(8, 2)

    def forward(self, x, edge_index, batch):
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        x = F.elu(self.gat(x, edge_index))
        n = int(batch.max()) + 1
        pooled = scatter_add(x, batch, n) / torch.bincount(batch, minlength=n).clamp(min=1).unsqueeze(1)
        best = torch.full((n, x.size(1)), -math.inf).scatter_reduce(0, batch.unsqueeze(1).expand_as(x), x, reduce='amax')
        return self.out(pooled) + best.mean(1, keepdim=True)


edge_index = torch.tensor([[0, 1, 1, 2, 3, 4], [1, 0, 2, 1, 4, 3]])
gnet = GraphNet()
opt = optim.Adam(gnet.parameters(), lr=0.01)
x, batch = torch.randn(5, 3), torch.tensor([0, 0, 0, 1, 1])
for epoch in range(3):
    opt.zero_grad()
    out = gnet(x, edge_index, batch)
    loss = F.cross_entropy(out, torch.tensor([0, 1]))
    loss.backward()
    opt.step()
    print(f'graph {epoch} {loss:.4f}')
print(gnet)


class AffineCoupling(nn.Module):
    def __init__(self, dim, hidden, parity):
        super().__init__()
        self.register_buffer('mask', torch.arange(dim).remainder(2).eq(parity).float())
        self.s, self.t = (nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, dim)) for _ in 'st')

    def forward(self, z):
        zm = z * self.mask
        s, t = self.s(zm) * (1 - self.mask), self.t(zm) * (1 - self.mask)
        return zm + (1 - self.mask) * (z * s.exp() + t), s.sum(-1)

    def inverse(self, x):
        xm = x * self.mask
        s, t = self.s(xm) * (1 - self.mask), self.t(xm) * (1 - self.mask)
        return xm + (1 - self.mask) * (x - t) * (-s).exp(), -s.sum(-1)


class Flow(nn.Module):
    def __init__(self, dim=2, n=4):
        super().__init__()
        self.base = Independent(Normal(torch.zeros(dim), torch.ones(dim)), 1)
        self.layers = nn.ModuleList(AffineCoupling(dim, 8, i % 2) for i in range(n))

    def log_prob(self, x):
        total = 0
        for layer in reversed(self.layers):
            x, logdet = layer.inverse(x)
            total = total + logdet
        return self.base.log_prob(x) + total

    @torch.no_grad()
    def sample(self, n):
        z = self.base.sample((n,))
        for layer in self.layers:
            z, _ = layer(z)
        return z


flow = Flow()
opt = optim.Adam(flow.parameters(), lr=5e-3)
data = torch.randn(32, 2) @ torch.tensor([[1., .5], [0., .3]]) + 1
for i in range(3):
    loss = -flow.log_prob(data).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    print('flow %d %.4f' % (i, loss))
z, ld = flow.layers[0](data[:3]); back, ild = flow.layers[0].inverse(z)
print(torch.allclose(back, data[:3], atol=1e-5), torch.allclose(ld, -ild, atol=1e-5), flow.sample(2).shape)

Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward'))


class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        """Save a transition"""
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class Corridor:
    class Step(NamedTuple):
        state: torch.Tensor
        reward: float
        done: bool = False

    def __init__(self, n=5):
        self.n = n

    def reset(self):
        self.at, self.t = 0, 0
        return F.one_hot(torch.tensor(self.at), self.n).float()

    def step(self, a):
        self.at = max(0, min(self.n - 1, self.at + (1 if a == 1 else -1)))
        self.t += 1
        done = self.at == self.n - 1 or self.t >= 12
        return self.Step(F.one_hot(torch.tensor(self.at), self.n).float(), float(self.at == self.n - 1), done)


env = Corridor()
policy_net, target_net = nn.Linear(5, 2), nn.Linear(5, 2)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.RMSprop(policy_net.parameters(), lr=1e-2)
memory = ReplayMemory(100)
steps_done = 0


def select_action(state):
    global steps_done
    sample = random.random()
    eps = 0.05 + (0.9 - 0.05) * math.exp(-1. * steps_done / 20)
    steps_done += 1
    if sample > eps:
        with torch.no_grad():
            return policy_net(state).max(0)[1].view(1, 1)
    return torch.tensor([[random.randrange(2)]], dtype=torch.long)


def optimize_model(batch_size=8, gamma=0.9):
    if len(memory) < batch_size:
        return
    batch = Transition(*zip(*memory.sample(batch_size)))
    non_final_mask = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
    non_final_next_states = torch.stack([s for s in batch.next_state if s is not None])
    state_batch = torch.stack(batch.state)
    action_batch = torch.cat(batch.action)
    reward_batch = torch.tensor(batch.reward)
    state_action_values = policy_net(state_batch).gather(1, action_batch)
    next_state_values = torch.zeros(batch_size)
    next_state_values[non_final_mask] = target_net(non_final_next_states).max(1)[0].detach()
    expected = (next_state_values * gamma) + reward_batch
    loss = nn.SmoothL1Loss()(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    for param in policy_net.parameters():
        param.grad.data.clamp_(-1, 1)
    optimizer.step()
    return loss.item()


durations = []
for i_episode in range(6):
    state = env.reset()
    for t in count():
        action = select_action(state)
        next_state, reward, done = env.step(action.item())
        memory.push(state, action, None if done else next_state, reward)
        state = next_state
        loss = optimize_model()
        if done:
            durations.append(t + 1)
            break
    if i_episode % 2 == 0:
        target_net.load_state_dict(policy_net.state_dict())
print('dqn', durations, loss is not None and round(loss, 4), len(memory))


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(5, 16)
        self.dropout = nn.Dropout(p=0.6)
        self.affine2 = nn.Linear(16, 2)
        self.saved_log_probs: List[torch.Tensor] = []
        self.rewards: List[float] = []

    def forward(self, x):
        x = F.relu(self.dropout(self.affine1(x)))
        return F.softmax(self.affine2(x), dim=-1)


policy = Policy()
popt = optim.Adam(policy.parameters(), lr=1e-2)
eps = torch.finfo(torch.float32).eps
for episode in range(3):
    state, ep_reward, done = env.reset(), 0, False
    while not done:
        m = Categorical(policy(state))
        a = m.sample()
        policy.saved_log_probs.append(m.log_prob(a))
        state, reward, done = env.step(a.item())
        policy.rewards.append(reward)
        ep_reward += reward
    R, returns = 0, deque()
    for r in policy.rewards[::-1]:
        R = r + 0.99 * R
        returns.appendleft(R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    policy_loss = [-lp * R for lp, R in zip(policy.saved_log_probs, returns)]
    popt.zero_grad()
    loss = torch.stack(policy_loss).sum()
    loss.backward()
    popt.step()
    print(f'reinforce {episode} {len(policy.rewards)} {loss.item():+.4f}')
    del policy.rewards[:]
    del policy.saved_log_probs[:]


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = margin

    def forward(self, a, b, label):
        d = F.pairwise_distance(a, b, keepdim=True)
        return torch.mean((1 - label) * torch.pow(d, 2) + label * torch.pow(torch.clamp(self.margin - d, min=0.0), 2))


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn1 = nn.Sequential(*chain.from_iterable(
            (nn.ReflectionPad2d(1), nn.Conv2d(i, o, 3), nn.ReLU(inplace=True), nn.BatchNorm2d(o)) for i, o in [(1, 4), (4, 4)]))
        self.fc1 = nn.Sequential(nn.Linear(reduce(mul, (4, 6, 6)), 10), nn.ReLU(True), nn.Linear(10, 3))

    def forward_once(self, x):
        return self.fc1(self.cnn1(x).view(x.size()[0], -1))

    def forward(self, a, b):
        return self.forward_once(a), self.forward_once(b)


sia = Siamese()
a, b = sia(torch.randn(4, 1, 6, 6), torch.randn(4, 1, 6, 6))
loss = ContrastiveLoss()(a, b, torch.tensor([[0.], [1.], [1.], [0.]]))
loss.backward()
print('siamese %.4f' % loss, sia.cnn1[1].weight.grad.abs().sum())


class YOLOHead(nn.Module):
    anchors = ((1.25, 1.625), (2.0, 3.75))

    def __init__(self, c, nc=3, stride=8):
        super().__init__()
        self.nc, self.no, self.na, self.stride = nc, nc + 5, len(self.anchors), stride
        self.register_buffer('anchor', torch.tensor(self.anchors).float().view(1, self.na, 1, 1, 2))
        self.m = nn.Conv2d(c, self.no * self.na, 1)
        self.grid = torch.zeros(1)

    @staticmethod
    @lru_cache(maxsize=None)
    def _make_grid(nx, ny):
        yv, xv = torch.meshgrid([torch.arange(ny), torch.arange(nx)], indexing='ij')
        return torch.stack((xv, yv), 2).view((1, 1, ny, nx, 2)).float()

    def forward(self, x):
        x = self.m(x)
        bs, _, ny, nx = x.shape
        x = x.view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
        if self.training:
            return x
        if self.grid.shape[2:4] != x.shape[2:4]:
            self.grid = self._make_grid(nx, ny).to(x.device)
        y = x.sigmoid()
        y[..., 0:2] = (y[..., 0:2] * 2. - 0.5 + self.grid) * self.stride
        y[..., 2:4] = (y[..., 2:4] * 2) ** 2 * self.anchor
        return y.view(bs, -1, self.no)


def box_iou(a, b):
    area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])
    inter = (torch.min(a[:, None, 2:], b[:, 2:]) - torch.max(a[:, None, :2], b[:, :2])).clamp(0).prod(2)
    return inter / (area(a)[:, None] + area(b) - inter + 1e-9)


def xywh2xyxy(x):
    y = x.clone()
    y[..., :2], y[..., 2:] = x[..., :2] - x[..., 2:] / 2, x[..., :2] + x[..., 2:] / 2
    return y


def nms(boxes, scores, thr):
    order, keep = scores.argsort(descending=True), []
    while order.numel():
        i = order[0].item()
        keep.append(i)
        if order.numel() == 1:
            break
        iou = box_iou(boxes[i:i + 1], boxes[order[1:]])[0]
        order = order[1:][iou <= thr]
    return torch.tensor(keep)


head = YOLOHead(4).eval()
with torch.inference_mode():
    pred = head(torch.randn(1, 4, 3, 4))[0]
boxes, obj = xywh2xyxy(pred[:, :4]), pred[:, 4] * pred[:, 5:].max(1).values
keep = nms(boxes, obj, 0.3)
print('yolo', pred.shape, len(keep), keep[:5].tolist(), boxes[keep[0]])
print([f'{i}{j}' for i, j in product('ab', range(2))], list(islice(count(3), 3)))
