import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PhotonImage } from '@silvia-odwyer/photon-node';
import { describe, expect, test } from 'vitest';
import { imageOf } from '../../src/lib/images/image-kind.ts';
import { aca, doors } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const photo = (width: number, height: number) =>
  new PhotonImage(new Uint8Array(width * height * 4).fill(180), width, height);

/** A folder with a small PNG and a JPEG that is too wide for Anthropic. */
async function pictures() {
  const space = await workspace();
  await writeFile(path.join(space.root, 'small.png'), photo(30, 20).get_bytes());
  await writeFile(path.join(space.root, 'wide.jpg'), photo(2_400, 300).get_bytes_jpeg(80));
  await writeFile(path.join(space.root, 'notes.txt'), 'hello');
  return space;
}

const SOURCE = /"source":\{"type":"base64","media_type":"([^"]+)","data":"([^"]+)"/g;

async function run(script: Step[], args: string[]) {
  const space = await pictures();
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const outcome = await aca(space, [...args, '--model', model], { env });
  const images = server.requests.map(({ body }) =>
    [...JSON.stringify(body).matchAll(SOURCE)].map(([, type, data]) => {
      const size = imageOf(Buffer.from(data ?? '', 'base64'))?.size;
      return `${type} ${size?.width}x${size?.height}`;
    }),
  );
  return { ...outcome, images, requests: server.requests.length };
}

describe('images for the model', () => {
  test('--image attaches files, scaled down to what the vendor takes, and says so', soak, async () => {
    const args = ['-p', 'What is this?', '--image', 'small.png', '--image', 'wide.jpg'];
    const { code, stderr, stdout, images } = await run([says('Two grey boxes.')], args);
    expect([code, stdout]).toEqual([0, 'Two grey boxes.\n']);
    expect(images).toEqual([['image/png 30x20', 'image/jpeg 2000x250']]);
    expect(stderr).toMatch(/Image scaled down from 2400x300 \(.*\) to 2000x250 \(JPEG, .*\)\./);
  });

  test('Read shows a scaled copy', soak, async () => {
    const { code, images } = await run(
      [calls(['Read', { file_path: 'wide.jpg' }]), says('A grey box.')],
      ['-p', 'Look at wide.jpg'],
    );
    expect([code, images]).toEqual([0, [[], ['image/jpeg 2000x250']]]);
  });

  sweep<[string, string[], RegExp]>([
    ['a missing file', ['--image', 'none.png'], /^The image none\.png does not exist\./],
    ['another kind of file', ['--image', 'notes.txt'], /^notes\.txt is not an image that models take\./],
    ['a folder', ['--image', '.'], /^The image \. cannot be read \(EISDIR\)\./],
  ])('%s ends the run before anything is sent', async (_name, flags, words) => {
    const { code, stderr, requests } = await run([], ['-p', 'go', ...flags]);
    expect([code, requests]).toEqual([2, 0]);
    expect(stderr).toMatch(words);
  });

  test('a model without vision ends the run before anything is sent', soak, async () => {
    const space = await pictures();
    const server = await serve([]);
    const env = { DEEPSEEK_API_KEY: 'sk-test', DEEPSEEK_BASE_URL: server.url };
    const args = ['-p', 'go', '--image', 'small.png', '--model', 'deepseek/deepseek-v4-pro'];
    const { code, stderr } = await aca(space, args, { env });
    expect([code, server.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain('deepseek/deepseek-v4-pro does not support images.');
  });
});
