import { commandsOf } from '../../../app/conversation/command-context.ts';
import type { Opened } from '../../../app/open-assistant.ts';
import { type ClaudeMode, claudeModes } from '../../../config/other-assistants/claude-modes.ts';
import type { RunOptions } from '../../../contract/command.ts';
import { UserError } from '../../../contract/errors.ts';
import type { PermissionMode } from '../../../contract/permission.ts';
import { isObject } from '../../../lib/text/json.ts';
import type { Options } from '../../shared/options.ts';
import type { ControlRequest } from './input-line.ts';

/** What the other side controls: the options of the runs to come, and the current run. */
export type Controls = { options: Pick<RunOptions, 'model'>; interrupt(): void };

const OWN_MODES: readonly PermissionMode[] = ['default', 'accept-edits', 'plan', 'auto', 'read-only'];

/** Carries out a control request; resolves with the response. Throws a `UserError` for what is not supported. */
export async function control(
  request: ControlRequest,
  opened: Opened,
  { options, interrupt }: Controls,
): Promise<Record<string, unknown>> {
  switch (request.subtype) {
    case 'initialize':
      return initialized(opened);
    case 'interrupt':
      interrupt();
      return { still_queued: [] };
    case 'set_permission_mode':
      opened.mode.set(modeOf(String(request.mode)));
      return { mode: request.mode };
    case 'set_model':
      if (typeof request.model === 'string' && request.model !== 'default') options.model = request.model;
      else delete options.model;
      return {};
    case 'mcp_status':
      return {
        mcpServers: opened.mcp?.list().map(({ name, phase }) => ({ name, status: phase })) ?? [],
      };
    default:
      throw new UserError(`The control request ${request.subtype} is not supported.`, 'Leave it out.');
  }
}

function modeOf(name: string): PermissionMode {
  const known = OWN_MODES.find((mode) => mode === name);
  if (known) return known;
  if (Object.hasOwn(claudeModes, name)) return claudeModes[name as ClaudeMode];
  throw new UserError(`There is no permission mode ${name}.`, `Use ${Object.keys(claudeModes).join(', ')}.`);
}

async function initialized(opened: Opened): Promise<Record<string, unknown>> {
  await opened.extensions.plugins();
  const { choice } = opened;
  return {
    commands: commandsOf(opened)
      .filter(({ needs }) => !needs)
      .map(({ name, description }) => ({ name, description, argumentHint: '' })),
    agents: [],
    output_style: 'default',
    available_output_styles: ['default'],
    models: [{ value: 'default', displayName: choice.model, description: choice.preset.label }],
    account: {},
  };
}

/** What would be lost without a word: it restricts, or the caller relies on it. */
const NEEDED = {
  hooks: 'Define hooks in the settings',
  sdkMcpServers: 'Start the server as a program with mcpServers',
  agents: 'Define them in .claude/agents',
  plugins: 'Install them with `aca plugin`',
} as const;

/** The options in an `initialize` request. Throws a `UserError` for what is not supported. */
export function initialOptions(request: ControlRequest): Partial<Options> {
  for (const [key, instead] of Object.entries(NEEDED)) {
    const value = request[key];
    if (value !== undefined && value !== null && Object.keys(value).length > 0)
      throw new UserError(`${key} cannot be passed over the stream.`, `${instead}.`);
  }
  const { systemPrompt, appendSystemPrompt, jsonSchema, mcpServers } = request;
  const replaced = Array.isArray(systemPrompt) ? systemPrompt.join('\n\n') : systemPrompt;
  return {
    ...(typeof replaced === 'string' && replaced !== '' && { systemPrompt: replaced }),
    ...(typeof appendSystemPrompt === 'string' && { appendSystemPrompt }),
    ...(isObject(jsonSchema) && { jsonSchema: JSON.stringify(jsonSchema) }),
    ...(isObject(mcpServers) && { mcpConfig: [JSON.stringify({ mcpServers })] }),
  };
}
