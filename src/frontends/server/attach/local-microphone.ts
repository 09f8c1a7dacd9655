import { loadSettings } from '../../../app/settings.ts';
import { UserError } from '../../../contract/errors.ts';
import type { Microphone } from '../../../voice/record.ts';
import type { Terminal } from '../../shared/terminal.ts';
import type { StartedRecording, TerminalAudio } from '../server-methods.ts';

type Sound = Omit<TerminalAudio, 'terminalId'>;

/** The microphone where the user sits, for a screen of the server. */
export class LocalMicrophone {
  readonly #terminal: Terminal;
  #open: Microphone | null = null;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Starts to send what is recorded. */
  async start(send: (sound: Sound) => Promise<void>): Promise<StartedRecording> {
    try {
      await this.end();
      const { openMicrophone } = await import('../../../app/voice/open-microphone.ts');
      const microphone = openMicrophone(loadSettings({}, this.#terminal).config, this.#terminal);
      this.#open = microphone;
      // After the answer, and until the connection is lost.
      setImmediate(() => void forward(microphone, send).catch(() => this.end()));
      return { name: microphone.name };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { refused: { message: error.message, hint: error.hint } };
    }
  }

  async end(): Promise<void> {
    const microphone = this.#open;
    this.#open = null;
    await microphone?.end();
  }
}

async function forward({ audio, ended }: Microphone, send: (sound: Sound) => Promise<void>): Promise<void> {
  try {
    for await (const chunk of audio) await send({ data: Buffer.from(chunk).toString('base64') });
  } finally {
    await send({ data: '', ended: await ended });
  }
}
