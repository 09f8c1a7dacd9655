import { baseUrlOf } from '../../assembly/models/base-url.ts';
import { presetsOf } from '../../assembly/models/choose-model.ts';
import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { listeningTime } from '../../lib/async/listening-time.ts';
import type { HttpClient } from '../../lib/network/http-client.ts';
import { isNearby } from '../../lib/network/nearby-address.ts';
import { userAgent } from '../../providers/http/user-agent.ts';
import { discover } from '../../providers/local/discover.ts';
import type { Preset } from '../../providers/presets.ts';
import { runUserCommand } from '../../sandbox/shell/user-command.ts';
import { hostOf, type SpeechEndpoint, transcribe, wordsOf } from '../../voice/transcribe.ts';
import {
  isSpeechModel,
  speechServers,
  speechVendors,
  USUAL_MODEL,
  whisperCpp,
} from '../../voice/transcription-servers.ts';
import type { Host } from '../host.ts';
import { keyOf } from '../opening/find-model.ts';
import { userNetwork } from '../opening/user-network.ts';
import type { Settings } from '../settings.ts';
import { voiceProvider } from './voice-provider.ts';

export type Transcriber = {
  /** Where the audio goes: a host, or a command of the user's. */
  destination: string;
  /** Throws a `UserError` that says what to do. */
  transcribe(wav: Buffer, signal: AbortSignal): Promise<string>;
};

type Place = { settings: Pick<Settings, 'config' | 'root'>; host: Pick<Host, 'env'>; http: HttpClient };

const COMMAND_MS = 120_000;
const PROBE_MS = 300;

/** The user's command or server; or else one on this machine; or else a provider with a key. */
export async function findTranscriber(
  settings: Pick<Settings, 'config' | 'root'>,
  host: Pick<Host, 'env' | 'cwd'>,
): Promise<Transcriber> {
  const { config } = settings;
  const { command, language } = config.voice;
  if (command !== undefined) return byCommand(command, host);
  const { http } = await userNetwork(config, host.env);
  const endpoint = await findEndpoint({ settings, host, http });
  return {
    destination: hostOf(endpoint.url),
    transcribe: (wav, signal) => transcribe(wav, endpoint, { http, language, signal }),
  };
}

function byCommand(command: string, { env, cwd }: Pick<Host, 'env' | 'cwd'>): Transcriber {
  return {
    destination: 'voice.command',
    async transcribe(wav, signal) {
      const ended = await runUserCommand({ command, cwd, env, input: wav, timeoutMs: COMMAND_MS, signal });
      signal.throwIfAborted();
      if (ended.type === 'printed') return wordsOf(ended.text);
      throw new UserError(
        `voice.command failed: ${ended.because}.`,
        'Try it in a shell with a WAV file as input.',
      );
    },
  };
}

/** Throws a `UserError` if there is nothing to transcribe with. */
async function findEndpoint(place: Place): Promise<SpeechEndpoint> {
  const { config } = place.settings;
  const { baseUrl } = config.voice;
  const known = presetsOf(config);
  const wanted = voiceProvider(config);
  if (wanted) return ofProvider(wanted, place);
  if (baseUrl !== undefined) {
    // A key goes only to the host it belongs to.
    const preset = known.find((one) => isSameHost(addressOf(one, place), baseUrl));
    return preset ? ofProvider(preset, place) : checked(endpointAt(baseUrl, undefined, config), config);
  }
  return (await onThisMachine(place)) ?? (await ofAnyVendor(known, place)) ?? nothingFound(config);
}

async function ofProvider(preset: Preset, place: Place): Promise<SpeechEndpoint> {
  const { config, root } = place.settings;
  const key = await keyOf(preset, { config, root, env: place.host.env });
  if (!key && !preset.local)
    throw new UserError(`No API key for ${preset.name}.`, `Store one with \`aca keys set ${preset.name}\`.`);
  const usual = speechVendors.find(({ provider }) => provider === preset.name)?.model;
  return checked(
    {
      ...endpointAt(config.voice.baseUrl ?? addressOf(preset, place), usual, config),
      key: key?.key,
      provider: preset.name,
      headers: { 'user-agent': userAgent(), ...config.providers[preset.name]?.headers },
    },
    config,
  );
}

function checked(endpoint: SpeechEndpoint, { offline }: Config): SpeechEndpoint {
  if (!offline || isNearby(endpoint.url)) return endpoint;
  throw new UserError(
    `Offline mode: your voice is not sent to ${hostOf(endpoint.url)}.`,
    'Start a server that transcribes on this machine, or set voice.command.',
  );
}

function endpointAt(baseUrl: string, model: string | undefined, { voice }: Config): SpeechEndpoint {
  return {
    url: `${baseUrl.replace(/\/+$/, '')}/audio/transcriptions`,
    model: voice.model ?? model ?? USUAL_MODEL,
    headers: { 'user-agent': userAgent() },
  };
}

/** A server that lists a model for speech: where such servers usually listen, and the user's local providers. */
async function onThisMachine(place: Place): Promise<SpeechEndpoint | null> {
  const { http } = place;
  const { config } = place.settings;
  const own = presetsOf(config)
    .filter(({ local, protocol }) => local && protocol === 'openai-chat')
    .map((preset) => addressOf(preset, place))
    .filter((baseUrl) => baseUrl !== '' && (!config.offline || isNearby(baseUrl)));
  const candidates = [...new Set([...own, ...speechServers])];
  const [servers, page] = await Promise.all([
    discover(
      candidates.map((baseUrl) => ({ provider: baseUrl, baseUrl, kind: 'openai' })),
      { http },
    ),
    http({ url: whisperCpp.page, signal: listeningTime(PROBE_MS) })
      .then((answer) => answer.text())
      .catch(() => ''),
  ]);
  for (const { baseUrl, models } of servers) {
    const model = models.find(({ name }) => isSpeechModel(name));
    if (model) return endpointAt(baseUrl, model.name, config);
  }
  if (!whisperCpp.mark.test(page)) return null;
  return {
    ...endpointAt(whisperCpp.page, undefined, config),
    url: new URL(whisperCpp.path, whisperCpp.page).href,
  };
}

async function ofAnyVendor(known: readonly Preset[], place: Place): Promise<SpeechEndpoint | null> {
  const { config, root } = place.settings;
  if (config.offline) return null;
  for (const { provider } of speechVendors) {
    const preset = known.find(({ name }) => name === provider);
    const key = preset && (await keyOf(preset, { config, root, env: place.host.env }));
    // A key that is not tied to a vendor may belong to another one.
    if (key && !key.general) return ofProvider(preset, place);
  }
  return null;
}

function nothingFound({ offline }: Config): never {
  throw new UserError(
    'There is nothing to transcribe with.',
    `Start a Whisper server on this machine, ${offline ? '' : 'store a key with `aca keys set openai`, '}or set voice.command.`,
  );
}

function addressOf(preset: Preset, { settings, host }: Place): string {
  return baseUrlOf(preset, { config: settings.config, env: host.env });
}

function isSameHost(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}
