/** AWS's event stream, written from its specification: a prelude, typed headers, a payload, two checksums. */
function eventFrame(headers: Record<string, string>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => headerBytes(name, value)));
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const start = Buffer.concat([prelude, checksum(prelude), head, body]);
  return Buffer.concat([start, checksum(start)]);
}

/** An event of the given type. */
export function event(type: string, payload: object): Buffer {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' };
  return eventFrame(headers, JSON.stringify(payload));
}

/** A piece of a reply of Claude: one of Anthropic's own events. */
export function chunk(data: string): Buffer {
  return event('chunk', { bytes: Buffer.from(data).toString('base64'), p: 'abcdefgh' });
}

export function exception(type: string, message: string): Buffer {
  const headers = {
    ':exception-type': type,
    ':content-type': 'application/json',
    ':message-type': 'exception',
  };
  return eventFrame(headers, JSON.stringify({ message }));
}

const STRING = 7;

function headerBytes(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([STRING]),
    length,
    text,
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const result = Buffer.alloc(4);
  result.writeUInt32BE(crc32(bytes));
  return result;
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
