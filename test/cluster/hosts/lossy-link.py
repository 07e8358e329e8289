"""
A link that loses and delays packets, for kernels without `tc netem`: two TAP devices and this process between them.

    lossy-link.py NEAR FAR LOSS DELAY_MS SEED

Every Ethernet frame that leaves NEAR appears at FAR after DELAY_MS, and the other way round at once; of both, the share
LOSS is dropped. The caller attaches the devices. Ends with SIGTERM or SIGKILL, and the devices vanish with it.
"""

import fcntl
import heapq
import os
import random
import select
import struct
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TAP = 0x0002
IFF_NO_PI = 0x1000


def tap(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))
    return device


def main():
    near_name, far_name, loss, delay_ms, seed = sys.argv[1:]
    chance = random.Random(int(seed))
    near, far = tap(near_name), tap(far_name)
    print("ready", flush=True)
    other = {near: far, far: near}
    delay = {near: float(delay_ms) / 1000, far: 0.0}
    due = []
    count = 0
    while True:
        wait = max(0.0, due[0][0] - time.monotonic()) if due else None
        for source in select.select([near, far], [], [], wait)[0]:
            while True:
                try:
                    frame = os.read(source, 65535)
                except OSError:
                    break
                if chance.random() < float(loss):
                    continue
                count += 1
                heapq.heappush(due, (time.monotonic() + delay[source], count, other[source], frame))
        while due and due[0][0] <= time.monotonic():
            _, _, to, frame = heapq.heappop(due)
            try:
                os.write(to, frame)
            except OSError:
                pass  # The device is down, or its queue is full: one packet more is lost.


main()
