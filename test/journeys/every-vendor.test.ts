import { describe, expect } from 'vitest';
import { baseUrlVariables, type Preset } from '../../src/providers/presets.ts';
import { aca } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { startModelServer } from '../support/model-server/server.ts';
import { sweepFor } from '../support/soak.ts';
import { vendors } from '../support/vendors.ts';
import { workspace } from '../support/workspace.ts';

/** Vendors whose API takes no reasoning back in a field of its own. */
const FORGETFUL: ReadonlySet<string> = new Set(['cerebras']);
/** Several vendors use one protocol in several ways; these are sent in every test run. */
const ALWAYS: ReadonlySet<string> = new Set(['zai', 'meta']);

type Row = { preset: Preset; variable: string };

const rows: Row[] = vendors
  .filter(({ name }) => name !== 'local')
  .flatMap((preset) => baseUrlVariables(preset).map((variable) => ({ preset, variable })));

/** As the vendor's own address ends. */
function addressAt(url: string, { protocol }: Preset): string {
  return protocol.startsWith('openai') ? `${url}/v1` : url;
}

describe('[V05] a conversation with every vendor, at an address from the environment', () => {
  sweepFor(
    rows,
    ({ preset, variable }) => ALWAYS.has(preset.name) && variable === baseUrlVariables(preset)[0],
  )(
    '$preset.name at $variable: thinks, calls tools, is resumed, and the vendor objects to nothing',
    async ({ preset, variable }, { onTestFinished }) => {
      const space = await workspace({ 'a.txt': 'alpha\n' }, onTestFinished);
      const server = await startModelServer(
        [
          calls(['Read', { file_path: 'a.txt' }]),
          says('First.'),
          calls(['Glob', { pattern: '*' }]),
          says('Second.'),
        ],
        { thinks: true, ...(FORGETFUL.has(preset.name) && { degrades: 'it takes no reasoning back' }) },
      );
      onTestFinished(() => server.close());
      const [key] = preset.keyEnv;
      const env = { [variable]: addressAt(server.url, preset), ...(key && { [key]: 'sk-test-of-a-user' }) };
      const args = ['--model', `${preset.name}/${preset.defaultModel ?? 'qwen3:8b'}`];
      for (const [prompt, more, said] of [
        ['one', [], 'First.\n'],
        ['two', ['--continue'], 'Second.\n'],
      ] as const) {
        const outcome = await aca(space, ['-p', prompt, ...args, ...more], { env });
        expect({ ...outcome, refused: server.requests.flatMap(({ refused = [] }) => refused) }).toMatchObject(
          {
            code: 0,
            stdout: said,
            refused: [],
          },
        );
      }
      expect(server.requests).toHaveLength(4);
    },
  );
});
