import type { RouterDeps } from '../router-deps.ts';
import type { Run } from '../run.ts';
import { watchRepetition } from '../stuck/stuck.ts';
import { runTools } from '../tool-router.ts';
import { repairCall } from './repair-call.ts';

/** How a run reads and answers the calls of its model, and notices that they get nowhere. */
export function answerCalls(
  router: RouterDeps,
  limits: { alike: number },
): Pick<Run, 'act' | 'repair' | 'watch' | 'halted'> {
  const isReading = (name: string) => router.find(name)?.explores !== undefined;
  return {
    act: (calls, signal) => runTools(calls, router, signal),
    repair: (sent) => repairCall(sent, router),
    watch: (history) => watchRepetition(history, { ...limits, isReading }),
    ...(router.halted && { halted: router.halted }),
  };
}
