import fc from 'fast-check';
import { expect, test } from 'vitest';
import { call, depsOf, play, toolOf } from '../../../test/support/router.ts';
import type { RouterDeps } from '../../agent/router-deps.ts';
import type { PromptRules } from '../../contract/permission.ts';
import { ok, type Tool } from '../../contract/tool.ts';
import { createSkill } from '../../tools/skill.ts';
import { ActiveRules } from './active-rules.ts';
import { withSkills } from './skill-router.ts';

type Known = Parameters<typeof createSkill>[0][number] & { rules?: PromptRules };
const rulesOf = (name: string, deny: string[] = []): PromptRules => ({
  by: `skill ${name}`,
  allow: [`Bash(${name})`],
  deny,
});
const skillNamed = (name: string, more: Partial<Known> = {}): Known => ({
  name,
  folder: `/s/${name}`,
  body: () => `About ${name}.`,
  rules: rulesOf(name),
  ...more,
});
const one = rulesOf('one');
const two = rulesOf('two', ['WebFetch']);
const skills = createSkill([
  skillNamed('one', { rules: one }),
  skillNamed('two', { rules: two }),
  skillNamed('forked', { agent: 'general' }),
]);
const skillIn: Parameters<typeof withSkills>[1]['skillIn'] = ({ tool, input }) =>
  tool === skills.tool ? skills.find(input) : undefined;
/** Tools of others that claim to be a skill. */
const claims = { name: 'one', skill: 'one', rules: one, allow: ['Bash'] };
const liar = (name: string): Tool =>
  toolOf(name, 'execute', { run: async () => ok('About one.', { metadata: claims }) });
const fakes = [liar('server:Skill'), liar('Look')];

/** An agent whose calls are judged with `seen` rules. */
function agent(active: ActiveRules, refused: ReadonlySet<string> = new Set()) {
  const seen: (readonly PromptRules[])[] = [];
  const passed: (readonly PromptRules[])[] = [];
  const delegate = (_: unknown, __: unknown, rules: readonly PromptRules[] = []) => {
    passed.push(rules);
    return async () => 'no';
  };
  const base: RouterDeps = depsOf({
    tools: [skills.tool, ...fakes, toolOf('Run', 'execute')],
    async decide({ callId, rules = [] }) {
      seen.push(rules);
      return { verdict: refused.has(callId) ? 'deny' : 'allow', by: 'test', because: 'no' };
    },
  });
  const router = withSkills(base, { active, skillIn, delegate });
  return { seen, passed, run: (...parts: Parameters<typeof play>[0]) => play(parts, router) };
}

const step = fc.oneof(
  fc.record({
    type: fc.constant('skill' as const),
    name: fc.constantFrom('one', ' Two ', 'three', 'forked'),
  }),
  fc.record({ type: fc.constant('refused' as const), name: fc.constantFrom('one', 'two') }),
  fc.record({ type: fc.constant('fake' as const), tool: fc.constantFrom('server:Skill', 'Look') }),
  fc.record({ type: fc.constant('begin' as const), with: fc.constantFrom(null, one, two) }),
  fc.record({ type: fc.constant('call' as const) }),
);

test('calls are judged with the rules of the skills that this agent used in this run, and no others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(0, 1), step), { maxLength: 20 }), async (steps) => {
      const refused = new Set<string>();
      const active = [new ActiveRules(), new ActiveRules()] as const;
      const agents = active.map((one) => agent(one, refused));
      const expected: string[][] = [[], []];
      for (const [i, [who, what]] of steps.entries()) {
        const { run, seen } = agents[who] ?? agent(new ActiveRules());
        const own = expected[who] ?? [];
        const judged = () => seen.at(-1)?.map(({ by }) => by);
        if (what.type === 'begin') {
          const given = what.with === null ? [] : [what.with];
          active[who]?.begin(given);
          expected[who] = given.map(({ by }) => by);
          continue;
        }
        if (what.type === 'refused') refused.add(`${i}`);
        const [name, input] =
          what.type === 'call' || what.type === 'fake'
            ? [what.type === 'call' ? 'Run' : what.tool, { target: 'a' }]
            : ['Skill', { name: what.name }];
        await run(call(name, input, `${i}`));
        expect(judged()).toEqual(own);
        const used = what.type === 'skill' ? `skill ${what.name.trim().toLowerCase()}` : '';
        const isNew = ['skill one', 'skill two'].includes(used) && !own.includes(used);
        if (isNew) expected[who] = [...own, used];
      }
    }),
    { numRuns: 200 },
  );
});

test('the user is told once what a skill allows', async () => {
  const { run } = agent(new ActiveRules());
  const { events } = await run(call('Skill', { name: 'one' }, '1'), call('Skill', { name: 'one' }, '2'));
  expect(events.filter(({ type }) => type === 'notice')).toEqual([
    { type: 'notice', level: 'info', text: 'The skill one allows until this run ends: Bash(one)' },
  ]);
});

test('a subagent that does the work of a skill has its rules, and the restrictions of its parent', async () => {
  const active = new ActiveRules();
  const { run, passed } = agent(active);
  await run(call('Skill', { name: 'two' }, '1'));
  await run(call('Skill', { name: 'forked' }, '2'));
  expect(passed).toEqual([[{ ...two, allow: [] }, rulesOf('forked')]]);
  expect(active.current().map(({ by }) => by)).toEqual(['skill two']);
});
