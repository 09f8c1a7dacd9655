import { isDeepStrictEqual } from 'node:util';
import { Reply } from '../../agent/accumulate.ts';
import type { Choice } from '../../assembly/models/choose-model.ts';
import { UserError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { type AssistantMessage, toolCallsOf } from '../../contract/message.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { mapValue } from '../../session/bundle/map-texts.ts';
import { nameOf } from '../conversation-plan.ts';
import type { Host } from '../host.ts';
import { connectTo } from '../opening/connect-model.ts';
import { findModel } from '../opening/find-model.ts';
import { userNetwork } from '../opening/user-network.ts';
import type { Settings } from '../settings.ts';
import { titleOf } from './checker.ts';
import type { ReplayReport } from './report.ts';

/** A model that is asked for the turns of a session; its replies are compared, never carried out. */
export type OtherModel = {
  choice: Choice;
  /** The usage of the request. `original` translates paths of the replay back. */
  ask(request: CompletionRequest, reply: AssistantMessage, asking: Asking): Promise<ProviderEvent[]>;
  comparison: NonNullable<ReplayReport['comparison']>;
  close(): Promise<void>;
};

type Asking = { signal: AbortSignal; original(text: string): string };

export async function openOtherModel(
  model: string,
  { settings, host }: { settings: Settings; host: Host },
): Promise<OtherModel> {
  const own = { ...settings, config: { ...settings.config, model } };
  const choice = await findModel(own, host);
  if (!choice) throw new UserError(`There is no model "${model}".`, '`aca models` lists them.');
  const { http } = await userNetwork(own.config, host.env);
  const models = connectTo({ settings: own, host, http, notice: () => undefined });
  const provider = await models.reach(choice);
  const comparison: OtherModel['comparison'] = {
    model: nameOf(choice),
    turns: 0,
    actions: [],
    costUsd: 0,
    stopped: null,
  };
  return {
    choice,
    comparison,
    async ask(request, expected, { signal, original }) {
      if (comparison.stopped !== null) return [];
      comparison.turns += 1;
      const { reply, usage, error } = await replyOf(provider, choice, request, signal);
      if (error !== null) comparison.stopped = error;
      else {
        const calls = [expected, reply].map((one) =>
          toolCallsOf(mapValue(one, { text: original })).map(({ name, input }) => ({ name, input })),
        );
        const [before = [], now = []] = calls;
        if (!isDeepStrictEqual(before, now))
          comparison.actions.push({
            turn: comparison.turns,
            expected: before.map(titleOf),
            actual: now.map(titleOf),
          });
      }
      return usage;
    },
    close: () => models.close(),
  };
}

/** What it says to a request; `usage` is to be counted, whatever became of it. */
async function replyOf(
  provider: Provider,
  { preset, model }: Choice,
  request: CompletionRequest,
  signal: AbortSignal,
) {
  const reply = new Reply({ provider: preset.name, model, earlier: () => undefined });
  let error: string | null = null;
  try {
    for await (const event of provider.stream({ ...request, model }, signal)) reply.push(event);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  const usage: ProviderEvent[] = reply.usage ? [{ type: 'usage', usage: reply.usage }] : [];
  return { reply: reply.finish(''), usage, error };
}

/** Null as soon as the price of a request is unknown. */
export function countCost(event: AgentEvent, comparison: OtherModel['comparison']): void {
  if (event.type === 'usage')
    comparison.costUsd =
      event.costUsd === null || comparison.costUsd === null ? null : comparison.costUsd + event.costUsd;
  if (event.type === 'end' && event.reason === 'budget')
    comparison.stopped = event.error?.message ?? 'a limit was reached';
}
