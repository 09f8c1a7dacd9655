import type { ClientCapabilities, ToolCallContent } from '@agentclientprotocol/sdk';

/** For clients that show the output of commands which the agent runs itself, in a terminal of theirs. */
export function showsTerminals({ _meta }: ClientCapabilities): boolean {
  return _meta?.terminal_output === true;
}

/** A command's output as a terminal that the client only displays. Its id is that of the call. */
export class LiveTerminal {
  readonly #id: string;
  readonly #cwd: string;
  #hasOutput = false;

  constructor(callId: string, cwd: string) {
    this.#id = callId;
    this.#cwd = cwd;
  }

  /** Part of the first message about the call. */
  get announced() {
    return { _meta: { terminal_info: { terminal_id: this.#id, cwd: this.#cwd } } };
  }

  printed(data: string) {
    const content = this.#hasOutput ? {} : { content: this.#content };
    this.#hasOutput = true;
    return { ...content, _meta: { terminal_output: { terminal_id: this.#id, data } } };
  }

  /** `output` is all of it, for a command whose output was not seen while it ran. */
  ended({ output, exitCode }: { output: string; exitCode: number | null }) {
    const exit = { terminal_exit: { terminal_id: this.#id, exit_code: exitCode, signal: null } };
    if (this.#hasOutput || output === '') return { content: this.#content, _meta: exit };
    const { content, _meta } = this.printed(output);
    return { ...(content && { content }), _meta: { ..._meta, ...exit } };
  }

  get #content(): ToolCallContent[] {
    return [{ type: 'terminal', terminalId: this.#id }];
  }
}
