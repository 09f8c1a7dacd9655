import { UserError } from '../../../contract/errors.ts';
import { Channel } from '../../../lib/async/channel.ts';
import type { Microphone } from '../../../voice/record.ts';
import type { StartedRecording, TerminalAudio } from '../server-methods.ts';

type Client = { start(): Promise<StartedRecording>; end(): Promise<void> };
type Sound = Pick<TerminalAudio, 'data' | 'ended'>;

/** The microphone of an attached client. */
export class RemoteMicrophone {
  readonly #client: Client;
  #receive: (sound: Sound) => void = () => undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  readonly open = async (): Promise<Microphone> => {
    const audio = new Channel<Uint8Array>();
    const ended = new Promise<string>((resolve) => {
      this.#receive = ({ data, ended: because }) => {
        if (data !== '') void audio.push(Buffer.from(data, 'base64'));
        if (because === undefined) return;
        audio.close();
        resolve(because);
      };
    });
    const started = await this.#client.start();
    if ('refused' in started) throw new UserError(started.refused.message, started.refused.hint);
    return { name: started.name, audio, ended, end: () => this.#end() };
  };

  receive(sound: Sound): void {
    this.#receive(sound);
  }

  async #end(): Promise<void> {
    this.#receive = () => undefined;
    // A client that is gone records no more.
    await this.#client.end().catch(() => undefined);
  }
}
