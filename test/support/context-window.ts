import type { ContextWindow } from '../../src/contract/command.ts';

/** A context window that only stores pins, and what was requested. */
export function plainWindow(): ContextWindow & { asked: string[] } {
  const asked: string[] = [];
  let pins: string[] = [];
  return {
    asked,
    use: async () => ({
      model: 'm',
      window: 1000,
      total: 250,
      compactAt: 800,
      parts: [
        { name: 'system prompt', tokens: 50 },
        { name: 'summary', tokens: 0 },
        { name: 'messages', tokens: 200 },
      ],
      biggest: [{ name: 'prompt: fix it', tokens: 150 }],
    }),
    compact: async (focus) => {
      asked.push(`compact ${focus}`);
      return focus === 'nothing' ? null : { before: 12_000, after: 3000, by: 'extract' };
    },
    uncompact: async () => {
      asked.push('uncompact');
      return asked.length > 1 ? null : { before: 3000, after: 12_000, by: 'extract' };
    },
    refresh: async () => {
      asked.push('refresh');
      return { prefix: 1500, tokens: 12_000 };
    },
    pins: () => pins,
    pin: async (text) => {
      if (text.length > 100) return 'Too long.';
      pins = [...pins, text];
      return null;
    },
    unpin: async (text) => {
      pins = pins.filter((pin) => pin !== text);
    },
  };
}
