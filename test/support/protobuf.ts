/** The type of a field; a list may occur several times. */
export type Field =
  | 'string'
  | 'hex'
  | 'bool'
  | 'varint'
  | 'double'
  | 'fixed64'
  | 'fixed32'
  | 'doubles'
  | 'fixed64s'
  | { message: () => Schema; list?: true };

/** Fields of a message by their numbers. */
export type Schema = Readonly<Record<number, readonly [name: string, field: Field]>>;

/** Decodes one message. Unknown fields and wrong wire types are errors. */
export function decode(bytes: Buffer, schema: Schema): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('The message ends in the middle of a number.');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('The message ends in the middle of a field.');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, wire] = [tag >> 3, tag & 7];
    const [name, field] = schema[number] ?? [];
    if (name === undefined || field === undefined) throw new Error(`Field ${number} is not known.`);
    if (wire !== wireOf(field)) throw new Error(`Field ${name} has the wire type ${wire}.`);
    if (field === 'varint') found[name] = Number(varint());
    else if (field === 'bool') found[name] = varint() !== 0n;
    else if (wire === 1) found[name] = eight(take(8), field === 'double');
    else if (wire === 5) found[name] = take(4).readUInt32LE();
    else {
      const inner = take(Number(varint()));
      if (field === 'string') found[name] = inner.toString('utf8');
      else if (field === 'hex') found[name] = inner.toString('hex');
      else if (field === 'doubles' || field === 'fixed64s') found[name] = packed(inner, field === 'doubles');
      else if (typeof field === 'object') {
        const message = decode(inner, field.message());
        found[name] = field.list ? [...((found[name] as unknown[] | undefined) ?? []), message] : message;
      }
    }
  }
  return found;
}

function wireOf(field: Field): number {
  if (field === 'varint' || field === 'bool') return 0;
  if (field === 'double' || field === 'fixed64') return 1;
  return field === 'fixed32' ? 5 : 2;
}

/** Times in nanoseconds are too large for a number: they stay strings, as in OTLP's JSON. */
function eight(bytes: Buffer, isDouble: boolean): number | string {
  return isDouble ? bytes.readDoubleLE() : bytes.readBigUInt64LE().toString();
}

function packed(bytes: Buffer, isDouble: boolean): (number | string)[] {
  return Array.from({ length: bytes.length / 8 }, (_, i) =>
    eight(bytes.subarray(i * 8, i * 8 + 8), isDouble),
  );
}
