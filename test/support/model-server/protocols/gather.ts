import type { SeenMessage } from '../protocol.ts';

/** Merges runs of tool results and runs of assistant items, and drops empty ones. */
export function gather(messages: SeenMessage[]): SeenMessage[] {
  const gathered: SeenMessage[] = [];
  for (const message of messages) {
    const last = gathered.at(-1);
    if (last?.role === message.role && message.role !== 'user')
      gathered[gathered.length - 1] = join(last, message);
    else gathered.push(message);
  }
  return gathered.map(tidy);
}

function join(a: SeenMessage, b: SeenMessage): SeenMessage {
  return {
    role: a.role,
    text: a.text + b.text,
    calls: [...a.calls, ...b.calls],
    results: [...a.results, ...b.results],
    images: (a.images ?? 0) + (b.images ?? 0),
    signatures: [...(a.signatures ?? []), ...(b.signatures ?? [])],
  };
}

function tidy({ images = 0, signatures = [], ...message }: SeenMessage): SeenMessage {
  return {
    ...message,
    ...(images === 0 ? {} : { images }),
    ...(signatures.length === 0 ? {} : { signatures }),
  };
}
