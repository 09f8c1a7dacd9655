import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seatbeltProfile } from './seatbelt.ts';
import type { Walls } from './walls.ts';

const walls: Walls = {
  roots: ['/Users/u/app'],
  writable: true,
  pinned: ['/Users/u/app/.git'],
  readOnly: ['/Users/u/app/.git/hooks'],
  hidden: [
    { path: '/Users/u', type: 'folder' },
    { path: '/Users/u/app/.env', type: 'file' },
    { path: '/private/etc/master.passwd', type: 'file' },
  ],
  shown: ['/Users/u/.ai-assistant/outputs', '/Users/u/.cargo/bin'],
  sockets: [],
  unsearched: [],
  crowded: [],
};

/** The rules about files and the network, in order. */
function rules(profile: string): string[] {
  return profile.split('\n').filter((line) => /file-|network/.test(line) && !line.includes('/dev/null'));
}

// Only the text of the profile is tested: sandbox-exec exists on macOS only.
describe('the seatbelt profile', () => {
  test('standard: the working directory is writable, hooks are not, secrets and the home folder are not even readable', () => {
    expect(rules(seatbeltProfile(walls, { network: 'none', scratch: '/private/tmp/s' }))).toEqual([
      '(deny file-write*)',
      '(deny file-read* (subpath "/Users/u"))',
      '(allow file-read* (subpath "/Users/u/app") (subpath "/Users/u/.ai-assistant/outputs") (subpath "/Users/u/.cargo/bin"))',
      ...['/Users/u', '/Users', '/', '/Users/u/.ai-assistant', '/Users/u/.cargo'].map(
        (folder) => `(allow file-read-metadata (literal "${folder}"))`,
      ),
      '(allow file-write* (subpath "/private/tmp/s") (subpath "/Users/u/app"))',
      '(deny file-write-unlink (literal "/Users/u/app/.git"))',
      '(deny file-write* (subpath "/Users/u/app/.git/hooks"))',
      '(deny file-read* file-write* (subpath "/Users/u/app/.env") (subpath "/private/etc/master.passwd"))',
      '(deny network*)',
    ]);
  });

  test('strict writes only temporary files; permissive has the network', () => {
    const strict = seatbeltProfile(
      { ...walls, writable: false, pinned: [] },
      { network: 'none', scratch: '/s' },
    );
    expect(rules(strict)).toContain('(allow file-write* (subpath "/s"))');
    expect(seatbeltProfile(walls, { network: 'open', scratch: '/s' })).not.toContain('(deny network*)');
  });

  test('property: a path cannot escape its quotes', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const profile = seatbeltProfile(
          { ...walls, roots: [`/${name}`] },
          { network: 'none', scratch: '/s' },
        );
        const rule = profile.slice(profile.indexOf('(allow file-write* (subpath "/s")'));
        const quoted = /^\(allow file-write\* \(subpath "\/s"\) \(subpath "((?:[^"\\]|\\["\\])*)"\)\)\n/.exec(
          rule,
        )?.[1];
        expect(quoted?.replaceAll(/\\(["\\])/g, '$1')).toBe(`/${name}`);
      }),
    );
  });
});
