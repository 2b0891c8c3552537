import os, sys, time
os.environ['PJRT_DEVICE'] = 'CPU'
import torch, torch.nn as nn, torch.nn.functional as F
import torch_xla.core.xla_model as xm, torch_xla.debug.profiler as xp
torch.manual_seed(0)
server = xp.start_server(9033)
device = xm.xla_device()
net = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)).to(device)
opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
def step():
    x, y = torch.randn(1024, 256).to(device), torch.randint(0, 10, (1024,)).to(device)
    with xp.Trace('forward'):
        loss = F.cross_entropy(net(x), y)
    with xp.Trace('backward'):
        opt.zero_grad()
        loss.backward()
    xm.optimizer_step(opt)
for _ in range(3):
    step()
    xm.mark_step()
xm.wait_device_ops()
os.makedirs('log', exist_ok=True)
xp.trace_detached('localhost:9033', 'log', duration_ms=3500)
time.sleep(0.8)
for i in range(4):
    with xp.StepTrace('train', step_num=i):
        step()
xm.wait_device_ops()
time.sleep(4)
