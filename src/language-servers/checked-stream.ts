import { Transform } from 'node:stream';

/** Messages are JSON documents about code: anything larger is a defect of the server. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_HEADER_BYTES = 8 * 1024;
const END = '\r\n\r\n';

/**
 * Passes on what a server writes as long as it follows the protocol's framing, and fails with a sentence at the
 * first byte that does not: the reader behind it would wait forever, or collect without a limit.
 */
export function checkedStream(maxBytes = MAX_MESSAGE_BYTES): Transform {
  let header = '';
  let body = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length; ) {
        if (body > 0) {
          const taken = Math.min(body, chunk.length - at);
          body -= taken;
          at += taken;
          continue;
        }
        header += String.fromCharCode(chunk[at] ?? 0);
        at += 1;
        if (header.endsWith(END)) {
          const length = /^Content-Length: *(\d{1,12}) *$/im.exec(header)?.[1];
          if (length === undefined) return done(garbage(header, chunk.subarray(at)));
          body = Number(length);
          if (body > maxBytes)
            return done(new Error(`sent a message of ${body} bytes; the limit is ${maxBytes}`));
          header = '';
        } else if (header.length > MAX_HEADER_BYTES || !mayBeHeader(header))
          return done(garbage(header, chunk.subarray(at)));
      }
      done(null, chunk);
    },
  });
}

function mayBeHeader(text: string): boolean {
  return /^[A-Za-z-]{0,40}($|:)/.test(text);
}

function garbage(text: string, rest: Buffer): Error {
  const shown = (text + rest.toString('latin1', 0, 80)).replace(/[^\x20-\x7e]+/g, ' ').trim();
  return new Error(notTheProtocol(shown));
}

export function notTheProtocol(shown: string): string {
  return `sent something that is not the language server protocol: ${shown.slice(0, 80)}`;
}
