import { render } from 'ink';
import { App } from './app.tsx';
import { Prompt } from './components/prompt.tsx';
import { loadLayoutEngine } from './layout-engine.ts';
import { PaintedStream } from './painter/painted-stream.ts';
import { Screen, type ScreenOptions } from './screen.ts';
import { RowTokens, RowTokensContext } from './view/row-tokens.ts';

/** More frames a second than words are put together in, so that what is typed appears at once. */
const FRAMES = 60;

/** The screen, painted and listening. */
export async function openScreen(options: ScreenOptions): Promise<Screen> {
  await loadLayoutEngine();
  const screen = new Screen(options);
  const { terminal, store, dialogs, surroundings } = screen;
  const tokens = new RowTokens();
  const stream = new PaintedStream(terminal.painter, tokens);
  screen.open(() => {
    const app = (
      <RowTokensContext.Provider value={tokens}>
        <App
          store={store}
          dialogs={dialogs}
          surroundings={surroundings}
          keys={terminal}
          statusBar={options.settings.statusBar}
          prompt={(room) => <Prompt {...room} model={screen.prompt} />}
        />
      </RowTokensContext.Provider>
    );
    const { unmount, waitUntilExit } = render(app, {
      // Ink asks a stream for no more than the painted one has.
      stdout: stream as unknown as NodeJS.WriteStream,
      stdin: options.stdin,
      exitOnCtrlC: false,
      patchConsole: false,
      isScreenReaderEnabled: false,
      maxFps: FRAMES,
    });
    // A failure while drawing is a bug like any other: the terminal is given back and the program ends.
    waitUntilExit().catch((error: unknown) =>
      setImmediate(() => {
        throw error;
      }),
    );
    return unmount;
  });
  return screen;
}
