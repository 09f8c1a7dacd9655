import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Reporter } from '../../../app/conversation/run-report.ts';
import { type Opened, openAssistant } from '../../../app/open-assistant.ts';
import { findModel } from '../../../app/opening/find-model.ts';
import { type StartedTelemetry, startTelemetry } from '../../../app/opening/start-telemetry.ts';
import { loadSettings, type Settings } from '../../../app/settings.ts';
import type { Choice } from '../../../assembly/models/choose-model.ts';
import { UserError } from '../../../contract/errors.ts';
import type { AgentEvent } from '../../../contract/event.ts';
import { type ToolMessage, textOf } from '../../../contract/message.ts';
import { createStreamHider } from '../../../firewall/hide-stream.ts';
import type { Options } from '../../../frontends/shared/options.ts';
import { shutdownSignal } from '../../../frontends/shared/signals.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { updateFile } from '../../../lib/files/file-update.ts';
import { readTextIfAny } from '../../../lib/files/read-text.ts';
import { version } from '../../../lib/version.ts';
import { mcpFolder } from '../../../mcp/hub.ts';
import type { Served, ServedAnswer, ServedOptions } from '../../../mcp/serve/serve.ts';
import { infoOf } from '../../../providers/models/models.ts';

export type ServeOptions = Pick<
  Options,
  'model' | 'mode' | 'allow' | 'deny' | 'addDir' | 'trust' | 'metricsPort'
> & {
  http?: string | true;
};

/** Tools that need a user, and there is none here. */
const LEFT_OUT = new Set(['AskUser', 'PresentPlan', 'Todo']);
const READ_ONLY = new Set(['Read', 'Glob', 'Grep', 'Search', 'List', 'BashOutput', 'Recall']);

/** Runs until the client disconnects, or, over HTTP, until it is stopped. */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<void> {
  const { stdin, stdout, stderr } = terminal;
  const loaded = loadSettings(options, terminal);
  // Servers that we use are not ours to offer, and a server that is this program itself would recurse
  // forever.
  const settings = { ...loaded, config: { ...loaded.config, mcpServers: {} } };
  for (const notice of settings.notices) stderr.write(`${notice}\n`);
  const choice = await findModel(settings, terminal);
  const telemetry = await startTelemetry(settings, options, terminal);
  for (const notice of telemetry?.notices.splice(0) ?? []) stderr.write(`${notice}\n`);
  const hands = await openAssistant(choice ?? nobody, {
    settings: { ...settings, config: { ...settings.config, saveHistory: false } },
    options: {},
    host: terminal,
    telemetry,
  });
  hands.controller.listen((event) => {
    if (event.type === 'notice') stderr.write(`${event.text}\n`);
  });
  const leaving = shutdownSignal(terminal);
  const atWork = new Set<Promise<unknown>>();
  /** Aborted with its client, or with the program, which waits for it. */
  const during = <T>(how: ServedOptions, work: (how: ServedOptions) => Promise<T>): Promise<T> => {
    const running = work({ ...how, signal: AbortSignal.any([how.signal, leaving]) });
    const over = running.catch(() => undefined).finally(() => atWork.delete(over));
    atWork.add(over);
    return running;
  };
  const served: Served = {
    version,
    tools: () => hands.toolbox.definitions().filter(({ name }) => !LEFT_OUT.has(name)),
    readOnly: READ_ONLY,
    call: (name, input, how) => during(how, (until) => callTool(hands, { name, input }, until)),
    runTask: (task, how) =>
      during(how, (until) => runTask(task, { choice, settings, terminal, telemetry }, until)),
  };
  const stopped = new Promise<void>((resolve) => {
    leaving.addEventListener('abort', () => resolve());
  });
  try {
    if (options.http === undefined) {
      const { serveLines } = await import('../../../mcp/serve/serve.ts');
      await Promise.race([serveLines(served, { stdin, stdout }), stopped]);
      return;
    }
    const { serveHttp } = await import('../../../mcp/serve/serve-http.ts');
    const { token, where } = await tokenOf(terminal, settings);
    const server = await serveHttp(served, { port: portOf(options.http), token });
    stderr.write(`MCP server at ${server.url}\nToken: ${where}\n`);
    await stopped;
    await server.close();
  } finally {
    await Promise.all(atWork);
    await hands.close();
    await telemetry?.telemetry.close();
  }
}

async function callTool(
  { toolbox, controller, privacy }: Opened,
  { name, input }: { name: string; input: Record<string, unknown> },
  { signal, progress }: ServedOptions,
): Promise<ServedAnswer> {
  let answer: ToolMessage | undefined;
  // The output usually goes to a model.
  const stream = createStreamHider((text) => privacy.outgoing(text));
  const tellLines = (text: string) => {
    if (text !== '') progress(text);
  };
  const call = { id: `mcp_${randomBytes(9).toString('hex')}`, name, input };
  for await (const event of toolbox.run(call, signal)) {
    // For the audit log and other observers.
    controller.mention(event);
    if (event.type === 'tool_progress') tellLines(stream.push(event.text));
    if (event.type === 'tool_end') tellLines(stream.end());
    if (event.type === 'message' && event.message.role === 'tool') answer = event.message;
  }
  if (!answer) return { success: false, text: 'The call was interrupted.' };
  const images = answer.content.filter((part) => part.type === 'image');
  return { success: answer.success, text: privacy.outgoing(textOf(answer)), images };
}

/** Runs in a separate conversation, saved like any other. */
async function runTask(
  task: string,
  {
    choice,
    settings,
    terminal,
    telemetry,
  }: {
    choice: Choice | null;
    settings: Settings;
    terminal: Terminal;
    telemetry: StartedTelemetry | undefined;
  },
  { signal, progress }: ServedOptions,
): Promise<ServedAnswer> {
  if (!choice)
    return {
      success: false,
      text: 'No model is configured. Add a key with `aca keys set`, or pass --model.',
    };
  const opened = await openAssistant(choice, { settings, options: {}, host: terminal, telemetry });
  const reporter = new Reporter();
  const { controller, privacy } = opened;
  controller.listen((event) => reporter.take(event));
  controller.listen((event) => tell(event, (text) => progress(privacy.outgoing(text))));
  const stop = () => controller.interrupt();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await controller.submit([{ type: 'text', text: task }]);
    const { result, stopReason, denials, error } = reporter.report;
    const refused = denials.map(({ tool, because }) => `Refused: ${tool}: ${because}`);
    const trouble = stopReason === 'done' ? [] : [error?.message ?? `The task stopped early: ${stopReason}.`];
    return {
      success: stopReason === 'done',
      text: privacy.outgoing([result, ...trouble, ...refused].filter(Boolean).join('\n')),
    };
  } finally {
    signal.removeEventListener('abort', stop);
    await opened.close();
  }
}

function tell(event: AgentEvent, progress: (text: string) => void): void {
  if (event.type === 'tool_start') progress(event.title);
  if (event.type === 'notice') progress(event.text);
}

/** The same at every start, so that a client's configuration stays valid; readable only by its owner. */
async function tokenOf({ env }: Terminal, { root }: Settings): Promise<{ token: string; where: string }> {
  const name = 'AI_ASSISTANT_MCP_TOKEN';
  const given = env[name];
  if (given) return { token: given, where: `the value of ${name}` };
  const file = path.join(mcpFolder(root), 'serve-token');
  const token = await updateFile(file, async (write) => {
    const kept = ((await readTextIfAny(file)) ?? '').trim();
    if (kept !== '') return kept;
    const made = randomBytes(32).toString('base64url');
    await write(`${made}\n`);
    return made;
  });
  return { token, where: `in ${file}` };
}

function portOf(http: string | true): number {
  const port = http === true ? 0 : Number(http);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UserError(
      `${String(http)} is not a port.`,
      'Use a number up to 65535, or omit it for any free port.',
    );
  return port;
}

/** Used when no model is configured: the tools need none. */
const nobody: Choice = {
  preset: {
    name: 'none',
    label: 'none',
    protocol: 'openai-chat',
    baseUrl: 'http://none.invalid',
    keyEnv: [],
  },
  baseUrl: 'http://none.invalid',
  model: 'none',
  info: infoOf('none', 'none'),
  key: null,
};
