/** The public face: the types plugin authors write against, and the way to embed the assistant. */

export type { Controller, RunEnd } from './agent/controller.ts';
export type { AgentState } from './agent/state.ts';
export { type Assistant, assemble, type Parts } from './assemble/assemble.ts';
export { type Choice, chooseModel } from './assemble/choose-model.ts';
export { type CommandVerdict, type JudgeOptions, judgeCommand, loadJudge } from './assemble/judge-command.ts';
export type { CommandContext, RunOptions, SlashCommand } from './contract/command.ts';
export type { Display } from './contract/display.ts';
export { ProviderError, ToolExecutionError, UserError } from './contract/errors.ts';
export type { AgentEvent, EndReason } from './contract/event.ts';
export type * from './contract/message.ts';
export type * from './contract/permission.ts';
export type { CompletionRequest, ModelInfo, Provider, ProviderEvent } from './contract/provider.ts';
export type { Session } from './contract/session.ts';
export { defineTool, fail, ok, type Tool, type ToolContext, type ToolResult } from './contract/tool.ts';
export { definePlugin, type Plugin, type PluginHooks, type PluginTool } from './plugins/plugin.ts';
