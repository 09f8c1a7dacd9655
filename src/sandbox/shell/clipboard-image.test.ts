import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshFolder } from '../../../test/support/workspace.ts';
import { clipboardImage } from './clipboard-image.ts';

const png = Buffer.from('89504e470d0a1a0a', 'hex');

/** A folder of programs that print a given text and record how they were called. */
async function programs(scripts: Readonly<Record<string, string>>): Promise<string> {
  const folder = await freshFolder('aca-programs-');
  for (const [name, script] of Object.entries(scripts)) {
    const file = path.join(folder, name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
  }
  return folder;
}

const prints = String.raw`printf '\211PNG\r\n\032\n'`;

describe.skipIf(process.platform === 'win32')('the image in the clipboard', () => {
  test('comes from the program for the current display', async () => {
    const wayland = await programs({
      'wl-paste': `test "$*" = '--type image/png' && ${prints}`,
      xclip: 'exit 1',
    });
    expect(await clipboardImage({ PATH: wayland, WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toEqual({
      type: 'image',
      bytes: png,
    });
    const x11 = await programs({
      xclip: `test "$*" = '-selection clipboard -target image/png -out' && ${prints}`,
    });
    expect(await clipboardImage({ PATH: x11, DISPLAY: ':0' }, 'linux')).toEqual({
      type: 'image',
      bytes: png,
    });
  });

  test("is parsed from each system's output", async () => {
    const mac = await programs({ osascript: "printf '«data PNGf89504E470D0A1A0A»\\n'" });
    expect(await clipboardImage({ PATH: mac }, 'darwin')).toEqual({ type: 'image', bytes: png });
    const base64 = `printf '${png.toString('base64')}\\r\\n'`;
    const windows = await programs({ powershell: base64, 'powershell.exe': base64 });
    expect(await clipboardImage({ PATH: windows }, 'win32')).toEqual({ type: 'image', bytes: png });
    expect(await clipboardImage({ PATH: windows, WSL_DISTRO_NAME: 'Debian' }, 'linux')).toEqual({
      type: 'image',
      bytes: png,
    });
  });

  test('is absent if the program finds none, and the next one is tried', async () => {
    const folder = await programs({ 'wl-paste': 'exit 1', xclip: prints });
    expect(await clipboardImage({ PATH: folder, WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toEqual({
      type: 'image',
      bytes: png,
    });
    const empty = await programs({ 'wl-paste': 'exit 1', xclip: 'echo "no target" >&2; exit 1' });
    expect(await clipboardImage({ PATH: empty, WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toEqual({
      type: 'none',
    });
  });

  test('names the programs that could provide it', async () => {
    const folder = await programs({});
    expect(await clipboardImage({ PATH: folder, WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toEqual({
      type: 'unreachable',
      programs: ['wl-paste', 'xclip'],
    });
  });
});
