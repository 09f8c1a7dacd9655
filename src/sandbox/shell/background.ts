import type { BackgroundState, Shell } from '../../contract/tool.ts';
import { type Child, type Ending, followText, letGo } from './follow-command.ts';
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

export type StartedCommand = {
  child: Child;
  command: string;
  /** Ends it and all its processes. */
  stop(): Promise<void>;
  ended: Promise<Ending>;
};

export type Background = Pick<Shell, 'check' | 'stop' | 'background'> & {
  /** Throws while too many run. */
  makeRoom(): void;
  hasRoom(): boolean;
  /** Takes over a command and returns its id. Only what it prints from now on is kept. */
  add(started: StartedCommand): string;
};

/** Background commands, by the ids given to the model. */
export function createBackground(): Background {
  const entries = new Map<string, Entry>();

  const running = () => [...entries.values()].filter(({ ending }) => ending === null).length;

  return {
    hasRoom: () => running() < MAX_RUNNING,
    makeRoom() {
      if (running() >= MAX_RUNNING)
        throw new Error(
          `${running()} commands are already running in the background; stop one with KillShell first.`,
        );
    },

    add({ child, command, stop, ended: theEnd }) {
      const output = createRecentOutput(MAX_OUTPUT);
      const streams = [child.stdout, child.stderr];
      const followers = streams.map((stream) => followText(stream, output.push));
      const ended = theEnd.then((ending) => {
        entry.ending = ending;
        for (const follower of followers) follower.end();
        if (ending.note !== undefined) output.push(ending.note);
        for (const stream of streams) letGo(stream);
      });
      const entry: Entry = { command, output, ended, ending: null, stop };
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
