/** The public face: the assistant as a part of another program, and the types plugin authors write against. */

export { type AgentTool, defineAgentTool } from './api/agent-tool.ts';
export { createAgent } from './api/create-agent.ts';
export type { Agent, AgentOptions, AgentPermissions, AgentRun, RunResult } from './api/types.ts';
export {
  type CommandVerdict,
  type JudgeOptions,
  judgeCommand,
  loadJudge,
} from './assembly/safety/judge-command.ts';
export type { CommandContext, RunOptions, SlashCommand } from './contract/command.ts';
export type { Display } from './contract/display.ts';
export { UserError } from './contract/errors.ts';
export type { AgentEvent, EndReason } from './contract/event.ts';
export type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ThinkingPart,
  ToolCall,
  ToolCallPart,
  ToolMessage,
  Usage,
  UserMessage,
} from './contract/message.ts';
export type {
  Access,
  Answer,
  Permission,
  PermissionMode,
  PermissionRequest,
} from './contract/permission.ts';
export type { SandboxState } from './contract/sandbox.ts';
export type { Session } from './contract/session.ts';
export {
  defineTool,
  fail,
  ok,
  type Tool,
  type ToolContext,
  type ToolResult,
  type UserQuestion,
} from './contract/tool.ts';
export { definePlugin, type Plugin, type PluginHooks, type PluginTool } from './plugins/plugin.ts';
