import type { BackgroundState, Shell } from '../../contract/tool.ts';
import { type Child, type Ending, endOf, followText, letGo } from './follow-command.ts';
import { createRecentOutput, type RecentOutput } from './recent-output.ts';

const MAX_OUTPUT = 1024 * 1024;
const MAX_RUNNING = 32;

type Entry = {
  command: string;
  output: RecentOutput;
  ended: Promise<void>;
  ending: Ending | null;
  stop(): Promise<void>;
};

/** `add` takes over a command that was just spawned; `stop` ends it and all its processes. */
export type Background = Pick<Shell, 'check' | 'stop' | 'background'> & {
  /** Throws while too many run. */
  makeRoom(): void;
  add(child: Child, command: string, stop: () => Promise<void>): Promise<string>;
};

/** Background commands, by the ids given to the model. */
export function createBackground(): Background {
  const entries = new Map<string, Entry>();

  return {
    makeRoom() {
      const running = [...entries.values()].filter(({ ending }) => ending === null).length;
      if (running >= MAX_RUNNING)
        throw new Error(
          `${running} commands are already running in the background; stop one with KillShell first.`,
        );
    },

    async add(child, command, stop) {
      const output = createRecentOutput(MAX_OUTPUT);
      const streams = [child.stdout, child.stderr];
      const followers = streams.map((stream) => followText(stream, output.push));
      const ended = endOf(child).then((ending) => {
        entry.ending = ending;
        for (const follower of followers) follower.end();
        if (ending.note !== undefined) output.push(ending.note);
        for (const stream of streams) letGo(stream);
      });
      const entry: Entry = { command, output, ended, ending: null, stop };
      await Promise.race([new Promise((resolve) => child.process.once('spawn', resolve)), ended]);
      const id = `bg_${entries.size + 1}`;
      entries.set(id, entry);
      return id;
    },

    check(id): BackgroundState | null {
      const entry = entries.get(id);
      if (!entry) return null;
      const { command, ending, output } = entry;
      return {
        id,
        command,
        running: ending === null,
        exitCode: ending?.code ?? null,
        signal: ending?.signal ?? null,
        newOutput: output.take(),
      };
    },

    async stop(id) {
      const entry = entries.get(id);
      if (!entry || entry.ending !== null) return false;
      await entry.stop();
      await entry.ended;
      return true;
    },

    background: () =>
      [...entries].map(([id, { command, ending }]) => ({ id, command, running: ending === null })),
  };
}
