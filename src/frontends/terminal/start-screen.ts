import { homedir } from 'node:os';
import path from 'node:path';
import type { Settings } from '../../app/settings.ts';
import { readRegularFile } from '../../lib/files/regular-file.ts';
import { shownPath } from '../../lib/paths/shown-path.ts';
import type { Terminal } from '../shared/terminal.ts';
import { startFacts } from './early/start-facts.ts';
import { namesKeys } from './early/tips.ts';
import { gitBranch } from './git-branch.ts';
import { unknownStatus } from './initial-status.ts';
import type { Note } from './notify/notification.ts';
import type { Screen } from './screen.ts';
import type { ScreenOptions } from './screen-options.ts';

const NOTIFY_MS = 10_000;

export type PaintStage = {
  terminal: Terminal;
  history(): readonly string[];
  commands(): readonly { name: string; description: string }[];
  seesImages(): boolean;
  cycleMode(): void;
  acceptEdits(): void;
  rewind(): void;
  /** Continues the session elsewhere. */
  background(): void;
  shared?: ScreenOptions['shared'];
  /** Of a guest in a session of somebody else; the owner if absent. */
  role?: ScreenOptions['role'];
};

/** Paints the screen with an empty conversation, so that the user can type while the rest is loading. */
export async function paintScreen(settings: Settings, stage: PaintStage): Promise<Screen> {
  const { config } = settings;
  const { Screen } = await import('./screen.ts');
  const {
    terminal,
    history,
    commands,
    seesImages,
    cycleMode,
    acceptEdits,
    rewind,
    background,
    shared,
    role = 'owner',
  } = stage;
  const { stdin, stdout, remote, env, cwd, early } = terminal;
  await early?.breathe();
  const facts = startFacts(cwd);
  const notifyByCommand = async ({ title, message }: Note) => {
    const { command } = config.notifications;
    if (command === undefined || role !== 'owner') return;
    const { runUserCommand } = await import('../../sandbox/shell/user-command.ts');
    const told = { ...env, ACA_TITLE: title, ACA_MESSAGE: message };
    const ended = await runUserCommand({ command, cwd, env: told, timeoutMs: NOTIFY_MS });
    if (ended.type === 'failed') screen.print(`The notification command failed: ${ended.because}.`);
  };
  const screen = new Screen({
    stdin,
    stdout,
    remote,
    env,
    ...(early && { ground: early.ground, takeOver: () => early.takeOver() }),
    title: `aca · ${path.basename(cwd)}`,
    start: { ...facts, tip: Object.keys(config.keys).length > 0 && namesKeys(facts.tip) ? '' : facts.tip },
    shownPath: (file) => shownPath(file, { cwd, home: homedir() }),
    settings: {
      theme: config.theme,
      color: config.colorOutput,
      stream: config.streamOutput,
      keys: config.keys,
      editorMode: config.editorMode,
      statusBar: config.statusBar,
      queue: config.queue,
      notifications: config.notifications,
    },
    ...(shared && { shared }),
    role,
    onNotify: (note) => void notifyByCommand(note),
    status: { ...unknownStatus, mode: config.mode },
    prompt: {
      history,
      commands,
      listFiles: async (signal) =>
        role === 'viewer'
          ? []
          : (await import('../../sandbox/files/project-files.ts')).projectFiles(cwd, signal),
      images: {
        cwd,
        home: homedir(),
        acceptsImages: seesImages,
        readFile: async (file) => readRegularFile(file),
        copied: async () => (await import('../../sandbox/shell/clipboard-image.ts')).clipboardImage(env),
      },
      edit: async (text) => {
        if (remote) return remote.edit(text);
        const { editInProgram, editorOf } = await import('../../sandbox/shell/external-editor.ts');
        return editInProgram(text, editorOf(env));
      },
      dictate: async (options) => {
        const { dictate } = await import('../../app/voice/dictate.ts');
        return dictate(settings, terminal, { ...options, microphone: remote?.record });
      },
    },
    onAction: (action) =>
      ({ rewind, background, 'cycle-mode': cycleMode, 'accept-edits': acceptEdits })[action](),
  });
  screen.open();
  void gitBranch(cwd).then((branch) => screen.store.dispatch({ type: 'start', facts: { branch } }));
  return screen;
}
