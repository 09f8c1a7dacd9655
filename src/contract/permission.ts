import type { Display } from './display.ts';
import type { SandboxState } from './sandbox.ts';

/**
 * What a call would access. `target` is a path, a command line, a URL, a web search query, a server's tool or a
 * subagent, as written by the model; `unconfined` marks a command to run outside the sandbox, `holdsSecret` one with an
 * inserted value that the model has not seen.
 */
export type Access = {
  kind: 'read' | 'write' | 'execute' | 'fetch' | 'search' | 'delegate';
  target: string;
  unconfined?: true;
  holdsSecret?: true;
  /** For a server's tool, according to the server, and for a subagent: it is read-only. */
  looks?: true;
  /** It is a tool of an MCP server. */
  server?: true;
  /** For a plugin's tool: its author declares that no approval is needed. */
  free?: true;
  /**
   * For a server's tool: what must be shown before use, because the user has not approved its current
   * definition.
   */
  unseen?: string;
  /** For a deletion: a link itself is meant, not its target. */
  itself?: true;
  /** For a web search that is limited to some domains: one of them. */
  domain?: string;
};

/**
 * A real path outside the working directory that a call may access; a folder includes everything in it, or only what
 * commands in the sandbox can read.
 */
export type Opening = { path: string; mode: 'read' | 'write'; onlyShown?: true };

/**
 * The path guard's verdict on a path: open, outside the working directory and closed until the user opens it,
 * or always closed.
 */
export type Reach =
  | { type: 'open'; real: string }
  | { type: 'outside'; real: string; isFolder: boolean; because: string }
  | { type: 'closed'; because: string };

export type Verdict = 'allow' | 'ask' | 'deny';

/** The lists of rules: `trust` is for calls that need no approval even after foreign text was read. */
export type RuleList = Verdict | 'trust';

/** Reasons for a question that its operation already shows. */
export const obviousReasons = {
  read: 'reads require approval',
  write: 'changes a file',
  fetch: 'uses the network',
  search: 'sends the query to a search service',
} as const;

/** What the model reads when the user says no; a comment may follow. */
export const userDenied = 'User denied permission';

/** `because` is shown to the user and, when denied, to the model. */
export type Judgement = { verdict: Verdict; because: string };

/**
 * A built-in rule with the examples that test it. It matches targets of one kind of access; no match means
 * ask. A built-in deny cannot be overridden by the model or by a repository.
 */
export type Rule = {
  kind: Access['kind'];
  match: RegExp;
  verdict: Verdict;
  because: string;
  examples: { hits: string[]; misses: string[] };
};

/** A remembered answer. `pattern` is a tool with an optional specifier, such as `Bash(git log *)`. */
export type Permission = {
  type: Access['kind'];
  pattern: string;
  action: 'allow' | 'deny';
  scope: 'session' | 'always';
  grantedAt: string;
  /** Added as a rule, which covers whatever matches; an answer covers exactly what was shown. */
  rule?: RuleList;
};

export type PermissionMode = 'default' | 'accept-edits' | 'plan' | 'auto' | 'read-only';

/** A range in a text, in UTF-16 units. */
export type TextSpan = { start: number; end: number };

/** One simple command of a command line, as parsed and judged; `span` is its place in the line. */
export type CommandPart = { text: string; verdict: Verdict; because: string; span?: TextSpan };

/** The question shown to the user: exactly what will happen. */
export type PermissionRequest = {
  callId: string;
  tool: string;
  /** The subagent that requests it; absent for the main agent. */
  agent?: string;
  /** One line, for example `Edit src/auth.ts`. */
  operation: string;
  accesses: Access[];
  because: string;
  /** For a command: what the model says that it does. */
  claim?: string;
  preview?: Display;
  /** For a command: its parts, and which of them is risky. */
  parts?: CommandPart[];
  /** Paths that resolve to a different location. */
  leadsTo?: { written: string; real: string }[];
  /** For a command: the sandbox it runs in. */
  sandbox?: SandboxState;
  /** Paths outside the working directory that a yes opens. */
  opens?: Opening[];
  /**
   * The rules a remembered yes would add. Absent where every time is asked again: then only `once` is
   * offered.
   */
  grants?: string[];
  /** In `accept-edits` mode it would run without asking. */
  acceptEdits?: true;
  /** Trusting this folder would let it run without asking, and the user may do so. */
  trust?: true;
  /** Its place among the questions that are waiting; absent if it is the only one. */
  queue?: { position: number; total: number };
};

/** What a hook of the user decided about a call. `allow` replaces a question, never a refusal. */
export type HookDecision = { verdict: 'allow' | 'ask'; because: string };

/**
 * A hook's answer to a question. `allow` has the power of an allow rule: where that is not enough, the user
 * is asked.
 */
export type HookAnswer = { verdict: 'allow' | 'deny'; because: string };

/** A call to judge; the judge completes the question. */
export type JudgedCall = PermissionRequest & {
  input: unknown;
  hook?: HookDecision;
  limits?: CallLimits;
  /** Of the skills and commands in use. */
  rules?: readonly PromptRules[];
};

/**
 * The rules of a skill or custom command that is in use; `by` names it. They have the power of rules in the
 * user's settings, for calls of the agent that uses it.
 */
export type PromptRules = { by: string; allow: readonly string[]; deny: readonly string[] };

/** What a subagent, or the prompt of a command, may not do although the session may. */
export type CallLimits = {
  /** Applies where it is stricter than the mode of the session. */
  mode?: PermissionMode;
  deny?: readonly string[];
  /** Of a tool that a list has rules for, only calls that they cover are allowed. */
  only?: readonly (readonly string[])[];
  /** What would be asked is refused. */
  neverAsks?: true;
};

export type JudgeOptions = {
  signal: AbortSignal;
  /** A hook's answer to the question; null if there is none. */
  answerByHook?(): Promise<HookAnswer | null>;
  /** Completes the question just before it is shown. */
  beforeAsking(request: PermissionRequest): Promise<PermissionRequest>;
  /** How many calls of the same reply were asked about before this one. */
  asked: number;
  /** The calls of the same reply that come after this one. */
  later: readonly JudgedCall[];
  /** As if nobody were there to answer questions. */
  isUnattended?: boolean;
};

/**
 * `session` and `always` also remember the yes; `sandboxed` also frees all commands that the sandbox contains, for
 * this session; `trust` also trusts this folder, where the request offers that. `reason` explains a no to the model. `shown` says how much of
 * the request was visible before the yes: `part` means that its end was not. Such a yes does not count, and
 * the question is asked again.
 */
export type Answer =
  | { choice: 'once' | 'sandboxed' | 'trust' | 'session' | 'always'; shown?: 'all' | 'part' }
  | { choice: 'no'; reason?: string };

/** The user as a function. An answer without `shown` means that the whole request was visible. */
export type Approver = (request: PermissionRequest, signal: AbortSignal) => Promise<Answer>;
