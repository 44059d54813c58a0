import torch

for make in (lambda p: torch.optim.Adafactor(p, lr=0.1), lambda p: torch.optim.Adafactor(p, weight_decay=0.1, maximize=True),
             lambda p: torch.optim.Muon(p, lr=0.1), lambda p: torch.optim.Muon(p, adjust_lr_fn='match_rms_adamw', nesterov=False)):
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 3, bias=False)
    optimizer = make(model.parameters())
    x, y = torch.rand(8, 4), torch.rand(8, 3)
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    print(type(optimizer).__name__, round(loss.item(), 4), [round(v, 3) for v in model.weight.flatten().tolist()[:4]])
    print(sorted(optimizer.state_dict()['state'][0]))
for bad in (lambda: torch.optim.Muon([torch.zeros(3, requires_grad=True)]), lambda: torch.optim.Adafactor([torch.zeros(1)], lr=-1.0)):
    try:
        bad()
    except ValueError as e:
        print(e)
