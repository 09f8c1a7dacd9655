import { commandsOf } from '../../../app/conversation/command-context.ts';
import type { Opened } from '../../../app/open-assistant.ts';
import type { PermissionMode } from '../../../contract/permission.ts';
import { version } from '../../../lib/version.ts';
import { exitCodes } from '../../shared/exit-codes.ts';
import type { Options } from '../../shared/options.ts';
import { type Output, printLine } from '../output.ts';
import { ClaudeMessages, isFailure } from './messages.ts';
import type { SessionFacts } from './types.ts';

/** The output of Claude Code: its messages one per line, or its result alone. */
export async function claudeOutput(
  opened: Opened,
  { outputFormat, includePartialMessages = false, replayUserMessages = false }: Options,
  stdout: NodeJS.WriteStream,
): Promise<Output> {
  const skills = (await opened.extensions.skills()).map(({ name }) => name);
  const plugins = (await opened.extensions.plugins()).map(({ name, place }) => ({ name, path: place }));
  const messages = new ClaudeMessages({
    sessionId: opened.controller.session.id,
    facts: () => factsOf(opened, { skills, plugins }),
    toolName: toolNames(opened),
    partial: includePartialMessages && outputFormat === 'stream-json',
    replay: replayUserMessages,
  });
  return {
    take(event) {
      for (const message of messages.take(event))
        if (outputFormat === 'stream-json') printLine(stdout, message);
    },
    async result(report) {
      const result = messages.result(report);
      if (outputFormat === 'text') stdout.write(`${report.result}\n`);
      else printLine(stdout, result);
    },
    // A refused call is not a failure there.
    exitCode: (report) => (isFailure(report) ? exitCodes.error.code : exitCodes.done.code),
  };
}

/** Tools of MCP servers are `mcp__server__tool` there. */
export function toolNames({ mcp }: Pick<Opened, 'mcp'>): (tool: string) => string {
  return (tool) => {
    const [, server, name] = /^(.+?)(?:__|:)(.+)$/s.exec(tool) ?? [];
    const isServer = mcp?.list().some((one) => one.name === server) ?? false;
    return isServer ? `mcp__${server}__${name}` : tool;
  };
}

const STATUS = {
  ready: 'connected',
  connecting: 'pending',
  failed: 'failed',
  login: 'needs-auth',
  off: 'disabled',
};

function factsOf(opened: Opened, known: Pick<SessionFacts, 'skills' | 'plugins'>): SessionFacts {
  const { controller, choice, config, mode, mcp } = opened;
  return {
    cwd: controller.session.workingDirectory,
    model: choice.model,
    permissionMode: config.neverAsk ? 'dontAsk' : claudeModeFor(mode.get()),
    tools: opened.toolNames().map(toolNames(opened)),
    mcp_servers: mcp?.list().map((server) => ({ name: server.name, status: STATUS[server.phase] })) ?? [],
    slash_commands: commandsOf(opened).flatMap(({ name, needs }) => (needs ? [] : [name])),
    apiKeySource: 'none',
    claude_code_version: version,
    output_style: 'default',
    ...known,
  };
}

/** The closest of theirs. */
function claudeModeFor(mode: PermissionMode): SessionFacts['permissionMode'] {
  if (mode === 'auto') return 'bypassPermissions';
  if (mode === 'read-only') return 'plan';
  return mode === 'accept-edits' ? 'acceptEdits' : mode;
}
