import type { RouterDeps } from '../router-deps.ts';
import type { Run } from '../run.ts';
import { runTools } from '../tool-router.ts';
import { repairCall } from './repair-call.ts';

/** How a run reads and answers the calls of its model. */
export function answerCalls(router: RouterDeps): Pick<Run, 'act' | 'repair' | 'halted'> {
  return {
    act: (calls, signal) => runTools(calls, router, signal),
    repair: (sent) => repairCall(sent, router),
    ...(router.halted && { halted: router.halted }),
  };
}
