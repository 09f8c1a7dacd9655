import { PassThrough, Writable } from 'node:stream';
import type { RemoteActions, Terminal } from '../../shared/terminal.ts';

export type Size = { columns: number; rows: number };

/** What is known of the terminal of an attached client. */
export type RemotePlace = Size & {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Bytes to show; resolves when the client can take more. */
  send(data: string): Promise<void>;
  actions: RemoteActions;
};

/** A terminal at the other end of a connection, as if it were that of this process. */
export class RemoteTerminal {
  readonly terminal: Terminal;
  readonly #keys = new PassThrough();
  readonly #stdout: NodeJS.WriteStream;

  constructor({ columns, rows, env, cwd, send, actions }: RemotePlace) {
    const output = new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        send(String(chunk)).then(
          () => done(),
          () => done(),
        );
      },
    });
    const stdin = Object.assign(this.#keys, { isTTY: true, setRawMode: () => this.#keys });
    this.#stdout = Object.assign(output, { isTTY: true, columns, rows }) as unknown as NodeJS.WriteStream;
    this.terminal = {
      env,
      cwd,
      stdin: stdin as unknown as NodeJS.ReadStream,
      stdout: this.#stdout,
      stderr: this.#stdout,
      remote: {
        ...actions,
        edit: async (text) => {
          await this.#sent();
          return actions.edit(text);
        },
        suspend: async () => {
          await this.#sent();
          await actions.suspend();
        },
      },
      // Signals are for the server.
      onSignal: () => undefined,
    };
  }

  type(data: string): void {
    if (!this.#keys.writableEnded) this.#keys.write(data);
  }

  resize({ columns, rows }: Size): void {
    Object.assign(this.#stdout, { columns, rows });
    this.#stdout.emit('resize');
  }

  /** The client is gone. */
  end(): void {
    this.#keys.end();
  }

  /** Resolves when the client was sent everything so far: another program gets the terminal as the screen left it. */
  #sent(): Promise<void> {
    return new Promise((resolve) => this.#stdout.write('', () => resolve()));
  }

  /** Resolves when everything was sent, and nothing more will be. */
  flushed(): Promise<void> {
    return new Promise((resolve) => this.#stdout.end(() => resolve()));
  }
}
