import type { Readable, Writable } from 'node:stream';
import { Screen } from '../../src/frontends/terminal/screen.ts';

type Streams = { stdin: Readable; stdout: Writable; size: { columns: number; rows: number } };

/** A screen on streams in place of a terminal; nothing it does reaches a model. */
export function screenOn({ stdin, stdout, size }: Streams): Screen {
  return new Screen({
    // Streams with what the screen uses of a terminal.
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: Object.assign(stdout, size) as unknown as NodeJS.WriteStream,
    env: {},
    title: 'test',
    shownPath: String,
    settings: {
      theme: 'dark',
      color: false,
      stream: true,
      keys: {},
      editorMode: 'emacs',
      statusBar: ['model'],
      queue: 'steer',
      notifications: { when: 'never', afterSeconds: 10, bell: true, desktop: 'auto' },
    },
    onNotify: () => undefined,
    status: {
      model: 'sonnet',
      mode: 'default',
      sandboxed: true,
      context: null,
      costUsd: null,
      cacheHit: null,
      branch: null,
      shells: 0,
      elapsedMs: null,
    },
    prompt: {
      history: () => [],
      commands: () => [],
      listFiles: async () => [],
      images: {
        cwd: '/',
        home: '/',
        acceptsImages: () => false,
        readFile: async () => Buffer.from(''),
        copied: async () => ({ type: 'none' as const }),
      },
      edit: async () => null,
      dictate: async () => '',
    },
    onAction: () => undefined,
  });
}
