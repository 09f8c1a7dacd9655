import type { ModelOffer } from '../../../app/first-run/model-offers.ts';
import { pickerDialog } from '../components/picker.ts';
import { rowsOf } from '../dialogs/look.ts';
import type { PickItem } from '../dialogs/picker.ts';
import type { ShowDialog } from '../view/dialog.ts';

/** What was found on the first run. */
export type Findings = {
  /** Vendors with a key: where the key is, and the default model. */
  keys: { label: string; source: string; model: string }[];
  /** Servers on this machine; models as `provider/model`. */
  servers: { label: string; baseUrl: string; models: string[] }[];
  /** Model files on this disk, which run in this program. */
  files: { model: string; detail: string }[];
  /** For display: everything that was searched. */
  missingModelText: string;
};

export type WelcomeWay =
  | { type: 'model'; name: string }
  | { type: 'setup' }
  | { type: 'key' }
  | { type: 'again' }
  | { type: 'demo' }
  | { type: 'quit' };

/** A server may have very many models. */
const MODELS_OF_A_SERVER = 5;

const WAYS: readonly (PickItem & { id: Exclude<WelcomeWay['type'], 'model'> })[] = [
  { id: 'setup', label: 'Download a model', detail: 'runs on this machine, works offline' },
  { id: 'key', label: 'Paste an API key', detail: 'stored on this machine, never shown' },
  { id: 'again', label: 'Search for local servers again', detail: 'Ollama, LM Studio, llama-server, vLLM' },
  { id: 'demo', label: 'Watch a demo', detail: 'scripted model, no key needed' },
  { id: 'quit', label: 'Quit' },
];

/** Whatever is available comes first, so that Enter alone leads to a first answer. */
function welcomeItems({ keys, servers, files }: Findings): PickItem[] {
  return [
    ...keys.map(({ label, source, model }) => ({
      id: `model ${model}`,
      label: model,
      detail: `${label}, key in ${source}`,
    })),
    ...servers.flatMap(({ label, baseUrl, models }) =>
      models.slice(0, MODELS_OF_A_SERVER).map((model) => ({
        id: `model ${model}`,
        label: model,
        detail: `${label} on this machine (${baseUrl})`,
      })),
    ),
    ...files.map(({ model, detail }) => ({ id: `model ${model}`, label: model, detail })),
    ...WAYS,
  ];
}

/** The first run: one choice leads to a first answer. Closing it quits. */
export async function welcome(findings: Findings, show: ShowDialog): Promise<WelcomeWay> {
  const items = welcomeItems(findings);
  const ready = items.length > WAYS.length;
  const picked = await show(
    pickerDialog({
      title: ready ? 'Welcome! Select a model to get started.' : 'Welcome! Connect a model to get started.',
      none: '',
      takes: 'select',
      leaves: 'quit',
      items,
      search: 'none',
      preview: (_, { columns, look }) => rowsOf(`\n${findings.missingModelText}`, columns, look.quiet),
    }),
  );
  const way = WAYS.find(({ id }) => id === picked?.id);
  if (way) return { type: way.id };
  return picked ? { type: 'model', name: picked.id.slice('model '.length) } : { type: 'quit' };
}

/** Which model to download; null to go back. */
export async function pickOffer(
  offers: readonly ModelOffer[],
  show: ShowDialog,
): Promise<ModelOffer | undefined> {
  const picked = await show(
    pickerDialog({
      title: 'Select a model to download. It runs on this machine and works offline.',
      none: '',
      takes: 'select',
      leaves: 'back',
      items: offers.map(({ model, why }) => ({ id: model.name, label: model.name, detail: why })),
      search: 'none',
      preview: (id, { columns, look }) => {
        const offer = offers.find(({ model }) => model.name === id);
        return rowsOf(offer ? `\n${offer.about}\nGood for ${offer.model.good}` : '', columns, look.quiet);
      },
    }),
  );
  return offers.find(({ model }) => model.name === picked?.id);
}
