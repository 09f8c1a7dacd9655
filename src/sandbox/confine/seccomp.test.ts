import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { noBubblewrap, sandboxedShell } from '../../../test/support/sandboxed.ts';
import { systemCallFilter } from './seccomp.ts';

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const NO_FAMILY = 0x00050061;

const machines = {
  x64: { audit: 0xc000003e, processor: 'x64' },
  i386: { audit: 0x40000003, processor: 'x64' },
  arm64: { audit: 0xc00000b7, processor: 'arm64' },
  arm: { audit: 0x40000028, processor: 'arm64' },
};

/** What the kernel would do with the filter. */
function verdict(machine: keyof typeof machines, call: number, args: number[] = []): number {
  const { audit, processor } = machines[machine];
  const program = systemCallFilter(processor);
  if (!program) throw new Error('no filter');
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(audit, 4);
  for (const [i, value] of args.entries()) data.writeUInt32LE(value, 16 + 8 * i);
  let loaded = 0;
  for (let at = 0; ; at++) {
    const code = program.readUInt16LE(at * 8);
    const [yes, no] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else if (code === 0x05) at += value;
    else {
      const holds =
        code === 0x15 ? loaded === value : code === 0x35 ? loaded >= value : (loaded & value) !== 0;
      at += holds ? yes : no;
    }
  }
}

describe('the system call filter', () => {
  test.each([
    ['x64', { keyctl: 250, add_key: 248, bpf: 321, userfaultfd: 323, mount: 165, io_uring_setup: 425 }],
    ['i386', { keyctl: 288, add_key: 286, bpf: 357, userfaultfd: 374, mount: 21, io_uring_setup: 425 }],
    ['arm64', { keyctl: 219, add_key: 217, bpf: 280, userfaultfd: 282, mount: 40, io_uring_setup: 425 }],
  ] as const)('refuses kernel keys, BPF and mounts on %s', (machine, calls) => {
    for (const call of Object.values(calls)) expect(verdict(machine, call)).toBe(EPERM);
  });

  test.each([
    ['x64', { read: 0, clone: 56, unshare: 272, ioctl: 16, socket: 41 }],
    ['i386', { read: 3, clone: 120, unshare: 310, ioctl: 54, socket: 359 }],
    ['arm64', { read: 63, clone: 220, unshare: 97, ioctl: 29, socket: 198 }],
  ] as const)('allows ordinary programs on %s', (machine, { read, clone, unshare, ioctl, socket }) => {
    expect(verdict(machine, read)).toBe(ALLOW);
    expect(verdict(machine, clone, [0x11])).toBe(ALLOW);
    expect(verdict(machine, clone, [0x3d0f00])).toBe(ALLOW);
    expect([clone, unshare].map((call) => verdict(machine, call, [0x10000011]))).toEqual([EPERM, EPERM]);
    expect(verdict(machine, 435)).toBe(ENOSYS);
    expect([0x5401, 0x5413].map((request) => verdict(machine, ioctl, [0, request]))).toEqual([ALLOW, ALLOW]);
    expect([0x5412, 0x541c].map((request) => verdict(machine, ioctl, [0, request]))).toEqual([EPERM, EPERM]);
    expect([1, 2, 10, 16].map((family) => verdict(machine, socket, [family]))).toEqual(
      [1, 2, 10, 16].map(() => ALLOW),
    );
    // Packet, crypto and vsock families, and future ones.
    expect([17, 38, 40, 99].map((family) => verdict(machine, socket, [family]))).toEqual(
      [17, 38, 40, 99].map(() => NO_FAMILY),
    );
  });

  test('refuses calls from other call tables', () => {
    expect(verdict('x64', 0x40000000 + 250)).toBe(ENOSYS);
    expect(verdict('arm', 3)).toBe(ENOSYS);
    expect([verdict('i386', 102, [1]), verdict('i386', 102, [3])]).toEqual([EPERM, ALLOW]);
    expect(systemCallFilter('riscv64')).toBeNull();
  });

  test('works in the sandbox: no user namespace, no socket to the host of a virtual machine', async ({
    skip,
  }) => {
    if (noBubblewrap !== null) skip(noBubblewrap);
    try {
      execFileSync('python3', ['-c', ''], { stdio: 'ignore' });
    } catch {
      skip('python3 is missing');
    }
    const { run } = await sandboxedShell();
    const attempt = `import ctypes, errno, os, socket
c = ctypes.CDLL(None, use_errno=True)
print(c.unshare(0x10000000), errno.errorcode[ctypes.get_errno()])
for family in (40, 38):
    try: socket.socket(family, socket.SOCK_STREAM); print('open')
    except OSError as e: print(errno.errorcode[e.errno])
a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))
print(os.waitpid(os.fork() or os._exit(3), 0)[1] >> 8)`;
    const { stdout } = await run(`python3 -c "${attempt.replaceAll('"', '\\"')}"`);
    expect(stdout).toBe("-1 EPERM\nEAFNOSUPPORT\nEAFNOSUPPORT\nb'x'\n3\n");
  });
});
