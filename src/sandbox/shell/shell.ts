import path from 'node:path';
import type { Shell } from '../../contract/tool.ts';
import { createBackground } from './background.ts';
import { endOf, followCommand } from './follow-command.ts';
import { CommandStarter, type ShellOptions } from './start-command.ts';

/** `close` ends running commands and the processes they left behind. */
export type SessionShell = Shell & {
  /** Does slow work before the first command. */
  prepare(): Promise<void>;
  close(): Promise<void>;
};

/** Runs commands on this machine: in the sandbox from `confine`, or as the user. */
export function createShell(options: ShellOptions): SessionShell {
  const { outputFolder } = options;
  const starter = new CommandStarter(options);
  const background = createBackground();
  return {
    name: starter.program.name,
    sandbox: () => starter.sandbox(),
    prepare: () => starter.prepare(),

    async run(run) {
      run.signal.throwIfAborted();
      const began = performance.now();
      const { child, number, launch, stop } = await starter.start(run, run.signal);
      const outputFile = outputFolder && path.join(outputFolder, `command-${starter.session}-${number}.txt`);
      const { timeoutMs, signal, onOutput, command } = run;
      const outcome = await followCommand(child, {
        timeoutMs,
        signal,
        stop,
        ...(run.continuesInBackground && {
          takeOver: (ended) =>
            background.hasRoom() ? background.add({ child, command, stop, ended }) : null,
        }),
        ...(onOutput && { onOutput }),
        ...(outputFile && { outputFile }),
      });
      await starter.forgetEnded();
      return { ...outcome, durationMs: Math.round(performance.now() - began), sandbox: launch.sandbox };
    },

    async start(run) {
      background.makeRoom();
      const { child, stop } = await starter.start(run);
      const ended = endOf(child);
      await Promise.race([new Promise((resolve) => child.process.once('spawn', resolve)), ended]);
      return background.add({ child, command: run.command, stop, ended });
    },

    check: background.check,
    stop: background.stop,
    background: background.background,
    close: () => starter.close(),
  };
}
