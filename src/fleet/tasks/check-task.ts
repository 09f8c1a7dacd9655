import { UserError } from '../../contract/errors.ts';
import { type PlacedRule, ruleProblem } from '../../permissions/pattern/rule-problem.ts';
import type { Task } from '../task.ts';
import { isRemote } from './complete-task.ts';

/** What only the whole program knows. Each returns what is wrong, or null. */
export type TaskChecks = {
  model(name: string): Promise<string | null>;
  /** `folder`: where the prompt will be sent; null if it is not on this machine. */
  prompt(text: string, folder: string | null): string | null;
};

type Problem = { task: Task; text: string };

/** What would fail only when a task runs: its model, its rules, the slash command in its prompt. */
export async function problemsOf(tasks: readonly Task[], checks: TaskChecks | undefined): Promise<Problem[]> {
  const models = new Map<string, string | null>();
  const rules = new Map<string, string | null>();
  const problems: Problem[] = [];
  for (const task of tasks) {
    const { model, allow, deny, source } = task;
    if (checks && model !== undefined && !models.has(model)) models.set(model, await checks.model(model));
    const place = source.type === 'folder' ? source.folder : source.repository;
    const written = [
      ...allow.map((rule) => ({ verdict: 'allow', rule }) as const),
      ...deny.map((rule) => ({ verdict: 'deny', rule }) as const),
    ];
    for (const one of written) {
      const key = `${one.verdict} ${one.rule}`;
      if (!rules.has(key)) rules.set(key, wrongRule(one));
    }
    const found = [
      models.get(model ?? ''),
      ...written.map(({ verdict, rule }) => rules.get(`${verdict} ${rule}`)),
      checks?.prompt(task.prompt, isRemote(place) ? null : place),
    ];
    problems.push(...found.flatMap((text) => (text ? [{ task, text }] : [])));
  }
  return problems;
}

/** Whether its paths and servers exist is not known before the task runs. */
function wrongRule(rule: Pick<PlacedRule, 'verdict' | 'rule'>): string | null {
  const world = { cwd: '/', servers: [], exists: () => false };
  try {
    return ruleProblem({ ...rule, place: '' }, world)?.text.replace(/^: /, '') ?? null;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `${error.message} ${error.hint}`;
  }
}
