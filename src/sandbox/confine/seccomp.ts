/**
 * A system call filter for bubblewrap (`--seccomp`): classic BPF, a deny list. Without capabilities most of
 * the list fails anyway; it matters for calls that need none (kernel keys, new user namespaces, sockets
 * outside network namespaces) and as defence in depth for the rest.
 */

type Numbers = {
  audit: number;
  refused: readonly number[];
  clone: number;
  unshare: number;
  clone3: number;
  ioctl: number;
  socket: number;
  /** The call that 32-bit programs use for all socket calls. */
  socketcall?: number;
  /** Numbers from here on belong to another call table (x32). */
  end?: number;
};

/** The same number on every architecture: open_tree … fspick, io_uring_*, mount_setattr. */
const shared = [425, 426, 427, 428, 429, 430, 431, 432, 433, 442];

const x64: Numbers = {
  audit: 0xc000003e,
  // keyctl, add_key, request_key, bpf, perf_event_open, userfaultfd, kexec_load, kexec_file_load, init_module,
  // finit_module, delete_module, open_by_handle_at, setns, mount, umount2, pivot_root
  refused: [250, 248, 249, 321, 298, 323, 246, 320, 175, 313, 176, 304, 308, 165, 166, 155, ...shared],
  clone: 56,
  unshare: 272,
  clone3: 435,
  ioctl: 16,
  socket: 41,
  end: 0x40000000,
};

const i386: Numbers = {
  audit: 0x40000003,
  // The same, with the older umount and without kexec_file_load, which does not exist there.
  refused: [288, 286, 287, 357, 336, 374, 283, 128, 350, 129, 342, 346, 21, 22, 52, 217, ...shared],
  clone: 120,
  unshare: 310,
  clone3: 435,
  ioctl: 54,
  socket: 359,
  socketcall: 102,
};

const arm64: Numbers = {
  audit: 0xc00000b7,
  refused: [219, 217, 218, 280, 241, 282, 104, 294, 105, 273, 106, 265, 268, 40, 39, 41, ...shared],
  clone: 220,
  unshare: 97,
  clone3: 435,
  ioctl: 29,
  socket: 198,
};

/** The call tables of a processor; calls from any other are refused. */
const processors: Readonly<Record<string, readonly Numbers[]>> = { x64: [x64, i386], arm64: [arm64] };

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const NEW_USER_NAMESPACE = 0x10000000;
/** Requests that inject input into a terminal. */
const TERMINAL_REQUESTS = [0x5412, 0x541c];
/** Unix, IPv4, IPv6, netlink. A virtual machine's socket to its host (vsock) ignores network namespaces. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

const LOAD = 0x20;
const JUMP = 0x05;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOWED = 0x7fff0000;
const ERROR = 0x00050000;

/** Offsets in the data that a filter may inspect. Lower halves: both processors are little-endian. */
const CALL = 0;
const ARCHITECTURE = 4;
const argument = (index: number) => 16 + 8 * index;

type Instruction = [code: number, yes: number, no: number, value: number];

/** Null for a processor whose numbers are not listed. */
export function systemCallFilter(processor: string = process.arch): Buffer | null {
  const sets = processors[processor];
  if (!sets) return null;
  const program: Instruction[] = [[LOAD, 0, 0, ARCHITECTURE]];
  for (const set of sets) {
    const rules = rulesFor(set);
    program.push([IF_EQUAL, 1, 0, set.audit], [JUMP, 0, 0, rules.length], ...rules);
  }
  program.push(refuse(ENOSYS));
  return encode(program);
}

function rulesFor(set: Numbers): Instruction[] {
  const { refused, clone, unshare, clone3, ioctl, socket, socketcall, end } = set;
  const allow: Instruction = [RETURN, 0, 0, ALLOWED];
  const newNamespace: Instruction[] = [
    [LOAD, 0, 0, argument(0)],
    [IF_ANY_BIT, 0, 1, NEW_USER_NAMESPACE],
    refuse(EPERM),
    allow,
  ];
  return [
    [LOAD, 0, 0, CALL],
    ...(end === undefined ? [] : [[IF_AT_LEAST, 0, 1, end] as Instruction, refuse(ENOSYS)]),
    ...refused.flatMap((number) => when(number, [refuse(EPERM)])),
    // Its flags are in memory, which a filter cannot read; C libraries fall back to clone.
    ...when(clone3, [refuse(ENOSYS)]),
    ...when(clone, newNamespace),
    ...when(unshare, newNamespace),
    ...when(ioctl, [
      [LOAD, 0, 0, argument(1)],
      ...TERMINAL_REQUESTS.flatMap((request) => when(request, [refuse(EPERM)])),
      allow,
    ]),
    ...when(socket, [
      [LOAD, 0, 0, argument(0)],
      ...SOCKET_FAMILIES.flatMap((family) => when(family, [allow])),
      refuse(EAFNOSUPPORT),
    ]),
    // Its address family is in memory, too.
    ...(socketcall === undefined
      ? []
      : when(socketcall, [[LOAD, 0, 0, argument(0)], ...when(1, [refuse(EPERM)]), allow])),
    allow,
  ];
}

function when(value: number, then: readonly Instruction[]): Instruction[] {
  return [[IF_EQUAL, 0, then.length, value], ...then];
}

function refuse(error: number): Instruction {
  return [RETURN, 0, 0, ERROR | error];
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [i, [code, yes, no, value]] of program.entries()) {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(yes, i * 8 + 2);
    bytes.writeUInt8(no, i * 8 + 3);
    bytes.writeUInt32LE(value, i * 8 + 4);
  }
  return bytes;
}
