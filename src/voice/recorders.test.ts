import { expect, test } from 'vitest';
import { installHint, recordersOf } from './recorders.ts';

const SYSTEMS = ['linux', 'darwin', 'win32', 'freebsd'] as const;

test.each([
  ['linux', ['pw-record', 'parecord', 'arecord', 'sox', 'ffmpeg']],
  ['freebsd', ['parecord', 'sox', 'ffmpeg']],
  ['darwin', ['sox', 'ffmpeg']],
  ['win32', ['sox', 'ffmpeg']],
  ['aix', []],
] as const)('%s has its recorders, in order', (platform, names) => {
  expect(recordersOf(platform).map(({ name }) => name)).toEqual(names);
});

test('each gets the rate and the device, and the device is a word of its own or after its option', () => {
  for (const platform of SYSTEMS)
    for (const { name, args } of recordersOf(platform)) {
      const words = args('My Mic; $(x)') ?? [];
      expect(words.filter((word) => /^(--device=|audio=|:)?My Mic; \$\(x\)$/.test(word))).toHaveLength(1);
      expect(words.join(' '), name).toContain('16000');
    }
});

test('without a device, the default one is used; only DirectShow has none', () => {
  const without = SYSTEMS.flatMap((platform) =>
    recordersOf(platform).flatMap(({ name, args }) => (args(undefined) ? [] : [`${platform} ${name}`])),
  );
  expect(without).toEqual(['win32 ffmpeg']);
  const [, , arecord, sox] = recordersOf('linux');
  expect(arecord?.args(undefined)?.join(' ')).toBe('-q -t raw -f S16_LE -r 16000 -c 1 -');
  expect(sox?.args(undefined)?.join(' ')).toBe(
    '-q -t alsa default -t raw -r 16000 -c 1 -b 16 -e signed-integer -L -',
  );
});

test('the hint names packages, not programs', () => {
  expect(installHint('linux')).toBe(
    'Install pipewire-bin, pulseaudio-utils, alsa-utils, sox, or ffmpeg, or set voice.recordCommand to a command that records.',
  );
  expect(installHint('aix')).toBe('Set voice.recordCommand to a command that records.');
});
