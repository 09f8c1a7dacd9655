import { homedir } from 'node:os';
import path from 'node:path';
import { readRegularFile } from '../lib/regular-file.ts';
import type { Screen } from '../tui/screen.ts';
import type { Settings } from './open.ts';
import { nothingKnown } from './screen-standing.ts';
import type { Terminal } from './terminal.ts';

export type PaintStage = {
  terminal: Terminal;
  history(): readonly string[];
  commands(): readonly { name: string; description: string }[];
  seesImages(): boolean;
  cycleMode(): void;
  rewind(): void;
};

/** The screen with an empty conversation, so that one can type while the rest is loaded. */
export async function paintScreen({ config }: Settings, stage: PaintStage): Promise<Screen> {
  const { openScreen } = await import('../tui/run.tsx');
  const { terminal, history, commands, seesImages, cycleMode, rewind } = stage;
  const { stdin, stdout, env, cwd, early } = terminal;
  await early?.breathe();
  return openScreen({
    stdin,
    stdout,
    env,
    ...(early && { ground: early.ground, takeOver: () => early.takeOver() }),
    title: `aca · ${path.basename(cwd)}`,
    settings: {
      theme: config.theme,
      color: config.colorOutput,
      stream: config.streamOutput,
      keys: config.keys,
      editorMode: config.editorMode,
      statusBar: config.statusBar,
    },
    status: { ...nothingKnown, mode: config.mode },
    prompt: {
      history,
      commands,
      listFiles: async (signal) => (await import('../sandbox/project-files.ts')).projectFiles(cwd, signal),
      images: {
        cwd,
        home: homedir(),
        acceptsImages: seesImages,
        readFile: async (file) => readRegularFile(file),
        copied: async () => (await import('../sandbox/clipboard-image.ts')).clipboardImage(env),
      },
      edit: async (text) => {
        const { editInProgram } = await import('../sandbox/external-editor.ts');
        return editInProgram(text, env.VISUAL || env.EDITOR || 'vi');
      },
    },
    onAction: (action) => (action === 'rewind' ? rewind() : cycleMode()),
  });
}
