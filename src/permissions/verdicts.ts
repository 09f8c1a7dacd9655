import type { Pattern } from './pattern.ts';
import type { Evaluation } from './policy.ts';
import type { Classified } from './shell/classify.ts';

export const NO_SANDBOX = 'no sandbox is available';

export function allow(because: string, by: string): Evaluation {
  return { verdict: 'allow', because, by };
}

export function ask(because: string): Evaluation {
  return { verdict: 'ask', because, by: 'default' };
}

export function askBare(because: string): Evaluation {
  return { ...ask(`${NO_SANDBOX}, and ${because}`), withoutSandbox: true };
}

export function denyBy({ source }: Pattern): Evaluation {
  return deny(`denied by the rule ${source}`, `rule deny ${source}`);
}

export function askBy({ source }: Pattern): Evaluation {
  return { ...ask(`the rule ${source} requires approval`), by: `rule ask ${source}` };
}

export function deny(because: string, by: string): Evaluation {
  return { verdict: 'deny', because, by };
}

export function pick({ verdict, because, by, onlyReads }: Classified): Evaluation {
  return { verdict, because, by, ...(onlyReads && { onlyReads }) };
}
