import type { Choice } from '../assembly/models/choose-model.ts';
import type { OpenSession } from '../session/store.ts';
import type { Host } from './host.ts';
import type { Opened } from './open-assistant.ts';
import { findModel } from './opening/find-model.ts';
import type { SessionOptions } from './options.ts';
import { loadSettings, type Settings, sessionStore } from './settings.ts';

/** What a conversation continues with: model, settings, and session unless a new one. */
export type Plan = { settings: Settings; options: SessionOptions; choice: Choice; session?: OpenSession };

/** What the user changed about a conversation that continues: its model, its account, or a folder for it. */
export type PlanChange = { model: string } | { account: string } | { folder: string };

/** The same conversation after a change; with the previous model if the new one is not found. */
export async function changePlan(
  change: PlanChange,
  { plan, opened }: { plan: Plan; opened: Opened },
  host: Host,
): Promise<Plan> {
  const { resume: _resume, continue: _continue, fork: _fork, ...others } = plan.options;
  const changed =
    'folder' in change
      ? { addDir: [...others.addDir, change.folder] }
      : { model: nameOf(plan.choice), ...change };
  const options = { ...others, ...changed, mode: opened.mode.get(), effort: opened.effort.get() };
  const settings = loadSettings(options, host);
  const found = 'folder' in change ? null : await findModel(settings, host);
  const choice = found ?? plan.choice;
  const { id, messages } = opened.controller.session;
  const isKept = messages.length > 0 && settings.config.saveHistory;
  const session = isKept ? await sessionStore(settings).resume(id) : null;
  return { settings, options, choice, ...(session && { session }) };
}

/** The model, and the account unless it is the default one. */
export function withAccountName(choice: Choice): string {
  return choice.key?.account === undefined
    ? nameOf(choice)
    : `${nameOf(choice)} (account ${choice.key.account})`;
}

/** As in the settings: `provider/model`. */
export function nameOf({ preset, model }: Choice): string {
  return `${preset.name}/${model}`;
}
