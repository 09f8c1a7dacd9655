import { expect, test } from 'vitest';
import { ruleCheck } from '../safety/rule-check.ts';
import { checkedRules } from './prompt-rules.ts';

const check = ruleCheck({ mcpServers: {} }, '/srv/app');
const rulesIn = (head: string) =>
  checkedRules({ file: '/s/SKILL.md', text: `---\ndescription: x\n${head}\n---\nB\n` }, 'skill a', check);

const lists: [head: string, allow: string[]][] = [
  ['allowed-tools: Read', ['Read']],
  [
    'allowed-tools: Bash(git add:*), Bash(git commit:*), Read',
    ['Bash(git add:*)', 'Bash(git commit:*)', 'Read'],
  ],
  ['allowed-tools: Bash(git add:*) Read', ['Bash(git add:*)', 'Read']],
  ['allowed-tools: "Bash(git add:*), Read"', ['Bash(git add:*)', 'Read']],
  ['allowed-tools: [Bash(git add:*), "Bash(npm run build)"]', ['Bash(git add:*)', 'Bash(npm run build)']],
  ['allowed-tools:\n  - Bash(git add:*)\n  - mcp__github__list', ['Bash(git add:*)', 'mcp__github__list']],
  ['allowed-tools:\n- "Edit(docs/**)"\n- Read', ['Edit(docs/**)', 'Read']],
  ['Allowed-Tools: Edit({a,b}/**)', ['Edit({a,b}/**)']],
];
test.each(lists)('a list of rules in any notation: %j', (head, allow) => {
  expect(rulesIn(head)).toEqual({ rules: { rules: { by: 'skill a', allow, deny: [] } }, troubles: [] });
});

test('nothing is listed', () => {
  for (const head of ['allowed-tools:', 'allowed-tools: []', 'name: a'])
    expect(rulesIn(head)).toEqual({ rules: {}, troubles: [] });
});

test('a rule that does nothing is reported with its line, as in the settings', () => {
  const { rules, troubles } = rulesIn('allowed-tools:\n  - Read\n  - Bsh(ls)\ndisallowed-tools: Foo');
  expect(rules).toEqual({ rules: { by: 'skill a', allow: ['Read', 'Bsh(ls)'], deny: ['Foo'] } });
  expect(troubles).toEqual([
    '/s/SKILL.md:5: the allow rule Bsh(ls) names no known tool and allows nothing. Did you mean Bash(ls)?',
    expect.stringMatching(/^\/s\/SKILL\.md:6: the deny rule Foo names no known tool and denies nothing\./),
  ]);
});

test('what is not a rule allows nothing; where it was to restrict, the file is not used', () => {
  expect(rulesIn('allowed-tools: Read, 7up')).toEqual({
    rules: { rules: { by: 'skill a', allow: ['Read'], deny: [] } },
    troubles: ['/s/SKILL.md:3: allowed-tools: "7up" is not a permission rule. It allows nothing.'],
  });
  expect(rulesIn('disallowed-tools: 7up')).toEqual({
    rules: null,
    troubles: ['/s/SKILL.md:3: disallowed-tools: "7up" is not a permission rule. The file is not used.'],
  });
});
