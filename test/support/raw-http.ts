import { connect } from 'node:net';

/** `status` is 0 if the server closed the connection without an answer. */
export type RawResponse = { status: number; headers: Record<string, string>; body: string; text: string };

/** Sends bytes as they are, and reads until the server closes the connection or `isDone`. */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  isDone: (text: string) => boolean = isComplete,
): Promise<RawResponse> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = () => {
      socket.destroy();
      resolve(parse(text));
    };
    socket.on('connect', () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      if (isDone(text)) finish();
    });
    socket.on('close', finish).on('error', finish);
  });
}

/** A request with these headers, in this order. */
export function rawRequest(line: string, headers: readonly string[], body = ''): string {
  return [line, ...headers, '', body].join('\r\n');
}

function isComplete(text: string): boolean {
  const { status, headers, body } = parse(text);
  if (status === 0 || !text.includes('\r\n\r\n')) return false;
  if (status === 101 || status === 204 || status === 304) return true;
  return headers['content-length'] === undefined
    ? body.endsWith('0\r\n\r\n')
    : body.length >= Number(headers['content-length']);
}

function parse(text: string): RawResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((one) => [
      one.slice(0, one.indexOf(':')).toLowerCase(),
      one.slice(one.indexOf(':') + 1).trim(),
    ]),
  );
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? 0);
  return { status, headers, body: rest.join('\r\n\r\n'), text };
}
