import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededBytes } from '../../test/support/seeded-bytes.ts';
import { sweep } from '../../test/support/soak.ts';
import { createFirewall } from './firewall.ts';
import { createStreamHider } from './hide-stream.ts';

const bytes = seededBytes('stream');

const token = `ghp_${bytes(18).toString('hex')}`;
const password = bytes(12).toString('hex');
const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const body = pem.split('\n')[1] ?? '';

sweep([40, 200])(
  'however a text is split, no secret in it is shown, and every line is (%i runs)',
  (numRuns) => {
    const text = `one\ntoken ${token} two\nDB_PASSWORD=${password}\n${pem}three\nno end of line`;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (places) => {
        const cuts = [0, ...[...places].sort((a, b) => a - b), text.length];
        const firewall = createFirewall({ secrets: [], key: () => 'k' });
        const hider = createStreamHider((part) => firewall.hide(part));
        const shown = cuts.slice(1).map((end, i) => hider.push(text.slice(cuts[i], end)));
        const whole = [...shown, hider.end()].join('');
        for (const secret of [token, password, body]) expect(whole).not.toContain(secret);
        expect(whole).toBe(firewall.hide(text));
      }),
      { numRuns },
    );
  },
);

test('a long stream is not buffered, and late secrets are hidden, too', () => {
  const firewall = createFirewall({ secrets: [], key: () => 'k' });
  const hider = createStreamHider((part) => firewall.hide(part));
  const shown = Array.from({ length: 600 }, (_, i) =>
    hider.push(`line ${i} of many, some forty characters\n`),
  );
  expect(shown.join('').split('\n').length).toBe(601);
  expect(hider.push(`x ${token}\n`)).toMatch(/^x \[secret:github-token:\w+\]\n$/);
});
