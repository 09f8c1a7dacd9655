import { connect, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import type { Env } from '../environment.ts';

/**
 * Checks over D-Bus whether the Linux secret service can be used. The native keyring library blocks the whole
 * process, sometimes forever, when the bus does not answer, the service hangs or a prompt is shown; so it is
 * only called once this reports that it will not block.
 *
 * Resolves to null when ready, else to the reason.
 */
export async function secretServiceProblem(env: Env, limitMs: number): Promise<string | null> {
  const address = busAddress(env);
  if (address === null) return 'there is no D-Bus session';
  const socket = connect(address);
  const timer = setTimeout(() => socket.destroy(new Error('the secret service is not responding')), limitMs);
  try {
    return await askService(socket);
  } catch (error) {
    return `could not reach the secret service: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** The path of the session bus's socket; only Unix sockets are supported. */
export function busAddress(env: Env): string | null {
  for (const one of (env.DBUS_SESSION_BUS_ADDRESS ?? '').split(';')) {
    const [, kind, value] = /^unix:(?:.*,)?(path|abstract)=([^,]*)/.exec(one) ?? [];
    if (value) return (kind === 'abstract' ? '\0' : '') + decodeURIComponent(value);
  }
  return env.DBUS_SESSION_BUS_ADDRESS || !env.XDG_RUNTIME_DIR ? null : `${env.XDG_RUNTIME_DIR}/bus`;
}

const SERVICE = 'org.freedesktop.secrets';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

async function askService(socket: Socket): Promise<string | null> {
  const bus = busReader(socket);
  const uid = Buffer.from(String(userInfo().uid)).toString('hex');
  socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
  if (!(await bus.line()).startsWith('OK')) return 'the D-Bus session rejected this user';
  socket.write('BEGIN\r\n');

  const call = async (message: Omit<MethodCall, 'serial'>) => {
    socket.write(encodeCall({ ...message, serial: ++serial }));
    return bus.reply();
  };
  let serial = 0;
  const dbus = 'org.freedesktop.DBus';
  await call({ to: dbus, path: '/org/freedesktop/DBus', interface: dbus, member: 'Hello', strings: [] });

  const collection = await call({
    to: SERVICE,
    path: '/org/freedesktop/secrets',
    interface: 'org.freedesktop.Secret.Service',
    member: 'ReadAlias',
    strings: ['default'],
  });
  const path = readString(collection);
  if (path === '/') return 'there is no default keyring';
  const locked = await call({
    to: SERVICE,
    path,
    interface: PROPERTIES,
    member: 'Get',
    strings: ['org.freedesktop.Secret.Collection', 'Locked'],
  });
  // A variant that holds a boolean: its signature takes the first four bytes.
  return readUint(locked, 4) === 0 ? null : 'the keyring is locked';
}

type MethodCall = {
  serial: number;
  to: string;
  path: string;
  interface: string;
  member: string;
  strings: string[];
};

/** A method call with string arguments, in D-Bus's little-endian format. */
function encodeCall(call: MethodCall): Buffer {
  const body = call.strings.reduce((bytes, text) => Buffer.concat([aligned(bytes, 4), string(text)]), empty);
  const fields = [
    field(1, 'o', string(call.path)),
    field(2, 's', string(call.interface)),
    field(3, 's', string(call.member)),
    field(6, 's', string(call.to)),
    ...(call.strings.length > 0 ? [field(8, 'g', signature('s'.repeat(call.strings.length)))] : []),
  ].reduce((bytes, one) => Buffer.concat([aligned(bytes, 8), one]), empty);
  const head = Buffer.from([0x6c, 1, 0, 1]);
  const header = Buffer.concat([head, uint(body.length), uint(call.serial), uint(fields.length), fields]);
  return Buffer.concat([aligned(header, 8), body]);
}

const empty = Buffer.alloc(0);

function aligned(bytes: Buffer, to: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((to - (bytes.length % to)) % to)]);
}

function uint(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([uint(bytes.length), bytes, Buffer.alloc(1)]);
}

function signature(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text), Buffer.alloc(1)]);
}

function field(code: number, type: string, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([code]), signature(type), value]);
}

type Body = { bytes: Buffer; littleEndian: boolean };

function readUint({ bytes, littleEndian }: Body, offset: number): number {
  return littleEndian ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset);
}

function readString(body: Body): string {
  return body.bytes.toString('utf8', 4, 4 + readUint(body, 0));
}

const HEADER_BYTES = 16;
const METHOD_RETURN = 2;
const METHOD_ERROR = 3;

/** Calls are sequential, so the next return or error answers the last call; signals are skipped. */
function busReader(socket: Socket) {
  let pending: Buffer = empty;
  const chunks = socket[Symbol.asyncIterator]();
  const atLeast = async (length: number) => {
    while (pending.length < length) {
      const { done, value } = await chunks.next();
      if (done) throw new Error('the connection was closed');
      pending = Buffer.concat([pending, value as Buffer]);
    }
  };
  const take = (length: number) => {
    const taken = pending.subarray(0, length);
    pending = pending.subarray(length);
    return taken;
  };

  return {
    async line(): Promise<string> {
      while (!pending.includes('\r\n')) await atLeast(pending.length + 1);
      return take(pending.indexOf('\r\n') + 2).toString('latin1');
    },
    async reply(): Promise<Body> {
      for (;;) {
        await atLeast(HEADER_BYTES);
        const head: Body = { bytes: pending, littleEndian: pending[0] === 0x6c };
        const bodyLength = readUint(head, 4);
        const headLength = Math.ceil((HEADER_BYTES + readUint(head, 12)) / 8) * 8;
        await atLeast(headLength + bodyLength);
        const bytes = take(headLength + bodyLength).subarray(headLength);
        if (head.bytes[1] === METHOD_RETURN) return { ...head, bytes };
        if (head.bytes[1] === METHOD_ERROR) throw new Error(errorText({ ...head, bytes }));
      }
    },
  };
}

function errorText(body: Body): string {
  return body.bytes.length > 4 ? readString(body) : 'the request was refused';
}
