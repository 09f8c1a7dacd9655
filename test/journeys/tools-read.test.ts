import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodePng } from '../../src/tools/reading/png.ts';
import { aca, doors } from '../support/aca.ts';
import type { ProtocolName } from '../support/model-server/protocol.ts';
import { type CallWords, calls, says } from '../support/model-server/script.ts';
import { pdfOf } from '../support/pdf.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { makePipe } from '../support/tool-context.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Runs the program against a model that makes one call; what the model was then told. */
async function told(
  space: Workspace,
  call: CallWords,
  { protocol = 'openai-chat', model }: { protocol?: ProtocolName; model?: string } = {},
) {
  const server = await serve([calls(call), says('done')]);
  const door = doors[protocol](server.url);
  const outcome = await aca(space, ['-p', 'go', '--model', model ?? door.model], { env: door.env });
  expect(outcome).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
  expect(server.refusals).toEqual([]);
  const messages = server.requests[1]?.messages ?? [];
  const answer = messages.findLast(({ role }) => role === 'tool');
  const images = messages.reduce((sum, message) => sum + (message.images ?? 0), 0);
  return { text: answer?.results[0]?.text ?? '', images };
}

describe('Read, through the whole program', () => {
  test.skipIf(process.platform === 'win32')('a pipe nobody writes to does not hang the run', async () => {
    const space = await workspace();
    makePipe(path.join(space.root, 'pipe'));
    const { text } = await told(space, ['Read', { file_path: 'pipe' }]);
    expect(text).toContain('pipe is a pipe, socket or device, not a regular file.');
  });

  test('[N08] a 12 MB file is refused whole and read in part', soak, async () => {
    const line = (i: number) => `${i} ${'x'.repeat(100)}`;
    const space = await workspace({
      'big.log': `${Array.from({ length: 120_000 }, (_, i) => line(i)).join('\n')}\n`,
    });
    expect((await told(space, ['Read', { file_path: 'big.log' }])).text).toMatch(
      /big\.log is 1\d\.\d MB; only files up to 10 MB are read without offset or limit\./,
    );
    const { text } = await told(space, ['Read', { file_path: 'big.log', offset: 119_999, limit: 50 }]);
    expect(text).toBe(`119999\t${line(119_998)}\n120000\t${line(119_999)}`);
  });

  test('[Y39] a page of a long file is whole: the router has nothing to cut', async () => {
    const space = await workspace({ a: 'some words on a line\n'.repeat(3_000) });
    const { text } = await told(space, ['Read', { file_path: 'a' }]);
    expect(text).not.toContain('[truncated]');
    expect(text).toMatch(/\n\[\d+ more lines: continue with offset \d+\]$/);
  });

  test(
    'the pages of a PDF reach a seeing model as text and pictures, a blind one as text',
    soak,
    async () => {
      const space = await workspace();
      await writeFile(path.join(space.root, 'paper.pdf'), pdfOf(['First page', 'Second page']));
      const seen = await told(space, ['Read', { file_path: 'paper.pdf' }], { protocol: 'anthropic' });
      expect(seen.text).toContain('First page');
      expect(seen.text).toContain('Second page');
      expect(seen.images).toBe(2);
      const blind = await told(space, ['Read', { file_path: 'paper.pdf' }], {
        protocol: 'ollama',
        model: 'ollama/llama3',
      });
      expect(blind.text).toContain('Second page');
      expect(blind.images).toBe(0);
    },
  );

  test('a binary file is named as such', async () => {
    const space = await workspace({ bin: 'a\0b' });
    const { text } = await told(space, ['Read', { file_path: 'bin' }]);
    expect(text).toContain('bin is binary, not text (3 bytes). Inspect it with a command.');
  });
});

describe('Read of an image', () => {
  async function withImage(): Promise<Workspace> {
    const space = await workspace();
    const rgba = new Uint8Array(32 * 16 * 4).fill(200);
    await writeFile(path.join(space.root, 'a.png'), await encodePng({ width: 32, height: 16, rgba }));
    return space;
  }

  sweep<ProtocolName>(['anthropic', 'openai-chat', 'openai-responses', 'google'])(
    'reaches a model that sees, over %s',
    async (protocol) => {
      const { text, images } = await told(await withImage(), ['Read', { file_path: 'a.png' }], { protocol });
      expect(text).toContain('a.png is a PNG image, 32x16 pixels');
      expect(images).toBe(1);
    },
  );

  test('is described to a model that does not', async () => {
    const blind = { protocol: 'ollama' } as const;
    const { text, images } = await told(await withImage(), ['Read', { file_path: 'a.png' }], blind);
    expect(text).toContain('a.png is a PNG image, 32x16 pixels');
    expect(text).toContain('The current model does not support images.');
    expect(images).toBe(0);
  });
});
