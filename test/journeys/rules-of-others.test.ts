import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import type { HealthCheck } from '../../src/contract/command.ts';
import { aca, doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

vi.setConfig({ testTimeout: 120_000 });

const RULES = `{
  "permissions": {
    "allow": ["Bash(touch:*)", "Edit(/src/**)"],
    "deny": [
      "Bash(git log:*)",
      "Read(~/private)",
      "Edit(/src/keep/**)",
      "Skill(pdf)",
      "TodoWrite"
    ]
  }
}
`;

test(
  'rules in the syntax of Claude Code hold as allow and as deny, and a deny rule that names no tool is an error that says where it stands',
  soak,
  async () => {
    const space = await workspace({ 'src/a.ts': '', 'src/keep/b.ts': '' });
    const file = path.join(space.home, '.ai-assistant/config.json');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, RULES);
    await mkdir(path.join(space.home, 'private'));
    await writeFile(path.join(space.home, 'private/a'), 'x');

    const { url, requests } = await serve([
      calls(
        ['Bash', { command: 'touch made' }, { id: 'a' }],
        ['Write', { file_path: 'src/new.ts', content: 'x' }, { id: 'b' }],
        ['Bash', { command: 'git log -1' }, { id: 'c' }],
        ['Read', { file_path: '~/private/a' }, { id: 'd' }],
        ['Write', { file_path: 'src/keep/new.ts', content: 'x' }, { id: 'e' }],
        ['Todo', { items: [{ text: 'x', status: 'pending' }] }, { id: 'f' }],
      ),
      says('Done.'),
    ]);
    const { model, env } = doors.anthropic(url);
    const { stdout } = await aca(space, ['-p', 'go', '--model', model, '--output-format', 'json'], { env });
    expect(requests).toHaveLength(2);
    const report = JSON.parse(stdout) as Report;
    expect(report.denials.map(({ tool, by }) => [tool, by])).toEqual([
      ['Bash', 'rule deny Bash(git log:*)'],
      ['Read', 'rule deny Read(~/private)'],
      ['Write', 'rule deny Edit(/src/keep/**)'],
      ['Todo', 'rule deny TodoWrite'],
    ]);
    expect(report.filesChanged).toEqual([expect.stringMatching(/src\/new\.ts$/)]);
    expect(report.commands).toEqual([{ command: 'touch made', exitCode: 0 }]);
    await writeFile(file, RULES.replace('"TodoWrite"', '"TodoWrite",\n      "Bsh(rm *)"'));
    const problem = `${file}:10:7: the deny rule Bsh(rm *) names no known tool and denies nothing. Did you mean Bash(rm *)?`;
    const refused = await aca(space, ['-p', 'go', '--model', model], { env });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(problem);
    const doctor = await aca(space, ['doctor', '--json'], { env });
    const { checks } = JSON.parse(doctor.stdout) as { checks: HealthCheck[] };
    expect(checks).toContainEqual(expect.objectContaining({ name: 'settings', state: 'bad', text: problem }));
  },
);
