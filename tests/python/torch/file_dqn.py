"""DQN with a target network, prioritised replay, double Q-learning and a dueling head on a small grid world."""
import copy
import math
import random
from collections import deque, namedtuple
from itertools import count
from typing import Deque, List

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward', 'done'))


class GridWorld:
    """Walk to the goal; holes end the episode."""
    ACTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self, rows=4, columns=5, holes=((1, 1), (2, 3)), limit=30):
        self.rows, self.columns, self.holes, self.limit = rows, columns, set(holes), limit
        self.goal = (rows - 1, columns - 1)
        self.rng = random.Random(13)

    def reset(self):
        self.position, self.steps = (0, 0), 0
        return self.observe()

    def observe(self) -> torch.Tensor:
        grid = torch.zeros(2, self.rows, self.columns)
        grid[0][self.position] = 1.0
        for hole in self.holes:
            grid[(1, *hole)] = -1.0
        grid[1, self.goal[0], self.goal[1]] = 1.0
        return grid

    def step(self, action: int):
        if self.rng.random() < 0.1:
            action = self.rng.randrange(len(self.ACTIONS))
        dr, dc = self.ACTIONS[action]
        r, c = self.position
        self.position = (min(max(r + dr, 0), self.rows - 1), min(max(c + dc, 0), self.columns - 1))
        self.steps += 1
        if self.position == self.goal:
            return self.observe(), 1.0, True, {'won': True}
        if self.position in self.holes:
            return self.observe(), -1.0, True, {'won': False}
        return self.observe(), -0.01, self.steps >= self.limit, {}


class ReplayMemory:
    def __init__(self, capacity: int, alpha: float = 0.6):
        self.memory: Deque[Transition] = deque([], maxlen=capacity)
        self.priorities: Deque[float] = deque([], maxlen=capacity)
        self.alpha = alpha

    def push(self, *args):
        self.memory.append(Transition(*args))
        self.priorities.append(max(self.priorities, default=1.0))

    def sample(self, size: int, beta: float):
        weights = torch.tensor(list(self.priorities)) ** self.alpha
        p = weights / weights.sum()
        picked = torch.multinomial(p, size, replacement=True)
        correction = (len(self.memory) * p[picked]) ** -beta
        return [self.memory[i] for i in picked.tolist()], picked, correction / correction.max()

    def update(self, indices, errors):
        for i, e in zip(indices.tolist(), errors.tolist()):
            self.priorities[i] = abs(e) + 1e-3

    def __len__(self):
        return len(self.memory)


class Dueling(nn.Module):
    def __init__(self, actions: int = 4):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(2, 8, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.Flatten())
        self.value = nn.Sequential(nn.Linear(8 * 4 * 5, 16), nn.ReLU(), nn.Linear(16, 1))
        self.advantage = nn.Sequential(nn.Linear(8 * 4 * 5, 16), nn.ReLU(), nn.Linear(16, actions))
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.orthogonal_(m.weight, gain=nn.init.calculate_gain('relu'))
                nn.init.constant_(m.bias, 0.0)

    def forward(self, x):
        h = self.features(x)
        a = self.advantage(h)
        return self.value(h) + a - a.mean(dim=1, keepdim=True)


class Agent:
    def __init__(self, gamma=0.95, tau=0.05, batch=16):
        self.policy = Dueling()
        self.target = copy.deepcopy(self.policy).requires_grad_(False)
        self.target.eval()
        self.optimizer = torch.optim.RMSprop(self.policy.parameters(), lr=2e-3, alpha=0.95, centered=True)
        self.memory = ReplayMemory(200)
        self.gamma, self.tau, self.batch = gamma, tau, batch
        self.steps = 0
        self.rng = random.Random(21)

    @property
    def epsilon(self):
        return 0.05 + 0.85 * math.exp(-self.steps / 60)

    @torch.no_grad()
    def act(self, state, greedy=False):
        self.steps += not greedy
        if not greedy and self.rng.random() < self.epsilon:
            return self.rng.randrange(4)
        return self.policy(state.unsqueeze(0)).max(1)[1].item()

    def learn(self):
        if len(self.memory) < self.batch:
            return None
        transitions, indices, weights = self.memory.sample(self.batch, beta=0.4)
        batch = Transition(*zip(*transitions))
        states, following = torch.stack(batch.state), torch.stack(batch.next_state)
        actions = torch.tensor(batch.action).unsqueeze(1)
        rewards = torch.tensor(batch.reward)
        alive = 1.0 - torch.tensor(batch.done, dtype=torch.float)
        q = self.policy(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            best = self.policy(following).argmax(1, keepdim=True)
            expected = rewards + self.gamma * alive * self.target(following).gather(1, best).squeeze(1)
        errors = q - expected
        loss = (weights * F.smooth_l1_loss(q, expected, reduction='none')).mean()
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(self.policy.parameters(), 1.0)
        self.optimizer.step()
        self.memory.update(indices, errors.detach())
        for ours, theirs in zip(self.target.parameters(), self.policy.parameters()):
            ours.data.lerp_(theirs.data, self.tau)
        return loss.item()


def run():
    torch.manual_seed(4)
    env, agent = GridWorld(), Agent()
    returns: List[float] = []
    losses = []
    for episode in range(8):
        state = env.reset()
        total = 0.0
        for t in count():
            action = agent.act(state)
            following, reward, done, info = env.step(action)
            agent.memory.push(state, action, following, reward, done)
            state = following
            total += reward
            if (loss := agent.learn()) is not None:
                losses.append(loss)
            if done:
                break
        returns.append(total)
        print(f'episode {episode:2d}: steps {t + 1:2d} return {total:+.2f} epsilon {agent.epsilon:.3f} loss {losses[-1] if losses else float("nan"):.5f} {info}')
    print(len(losses), '%.5f' % (sum(losses) / len(losses)), '%.3f' % max(returns), len(agent.memory))
    state = env.reset()
    with torch.no_grad():
        q = agent.policy(state[None])
    print(q, agent.target(state[None]), [agent.act(state, greedy=True) for _ in range(3)])
    drift = {n: round((a - b).abs().max().item(), 4) for (n, a), (_, b) in zip(agent.policy.named_parameters(), agent.target.named_parameters())}
    print(drift)


if __name__ == '__main__':
    run()
