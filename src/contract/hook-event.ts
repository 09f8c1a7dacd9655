/** When hooks run, and the field of their input that a matcher is compared with; null: matchers are ignored. */
export const matchedFields = {
  PreToolUse: 'tool_name',
  PermissionRequest: 'tool_name',
  PostToolUse: 'tool_name',
  PostToolUseFailure: 'tool_name',
  UserPromptSubmit: null,
  Notification: 'notification_type',
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
  Stop: null,
  StopFailure: 'error',
  PreCompact: 'trigger',
  PostCompact: 'trigger',
  SessionStart: 'source',
  SessionEnd: 'reason',
} as const;

export type HookEvent = keyof typeof matchedFields;

export const hookEvents = Object.keys(matchedFields) as readonly HookEvent[];
