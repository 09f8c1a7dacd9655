import type { Display } from './display.ts';
import type { SandboxState } from './sandbox.ts';

/**
 * What a call would touch. `target` is a path, a command line, a URL, the tool of a server or a subagent, as written by the
 * model; `unconfined` marks a command that is to run outside the sandbox, `holdsSecret` one with a value the model has
 * not seen put in.
 */
export type Access = {
  kind: 'read' | 'write' | 'execute' | 'fetch' | 'delegate';
  target: string;
  unconfined?: true;
  holdsSecret?: true;
  /** Of a server's tool, as the server says, and of a subagent: that it only looks. */
  looks?: true;
  /** Of a plugin's tool: its author says that nobody need be asked. */
  free?: true;
  /** Of a server's tool: what must be shown before it is used, because nobody has agreed to it as it is now. */
  unseen?: string;
  /** Of a deletion: a link is meant itself, not what it leads to. */
  itself?: true;
};

/** A real path outside the working directory that a call may touch; a folder includes everything in it. */
export type Opening = { path: string; mode: 'read' | 'write' };

/**
 * What the path guard says of a path: open, outside the working directory and closed until the user opens it, or closed
 * whatever the user says.
 */
export type Reach =
  | { type: 'open'; real: string }
  | { type: 'outside'; real: string; isFolder: boolean; because: string }
  | { type: 'closed'; because: string };

export type Verdict = 'allow' | 'ask' | 'deny';

/** Reasons for a question that its operation already shows. */
export const obviousReasons = {
  read: 'reads require approval',
  write: 'changes a file',
  fetch: 'uses the network',
} as const;

/** `because` is shown to the user and, when denied, to the model. */
export type Judgement = { verdict: Verdict; because: string };

/**
 * A built-in rule, with the examples that test it. It matches targets of one kind of access; no match means ask.
 * A built-in deny cannot be granted away by the model or by a repository.
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
};

export type PermissionMode = 'default' | 'accept-edits' | 'plan' | 'auto' | 'read-only';

/** One simple command of a command line, as the judge read it. */
export type CommandPart = { text: string; verdict: Verdict; because: string };

/** The question put to a person: exactly what will happen. */
export type PermissionRequest = {
  callId: string;
  tool: string;
  /** The subagent that wants it; absent where it is the main agent. */
  agent?: string;
  /** One line, for example `Edit src/auth.ts`. */
  operation: string;
  accesses: Access[];
  because: string;
  preview?: Display;
  /** Of a command: what it consists of, and which part is the risky one. */
  parts?: CommandPart[];
  /** Paths that lead elsewhere than they say. */
  leadsTo?: { written: string; real: string }[];
  /** Of a command: what stands between it and the machine. */
  sandbox?: SandboxState;
  /** Places outside the working directory that a yes opens. */
  opens?: Opening[];
  /** The rules a remembered yes would add. Absent where every time is asked anew: then only `once` is offered. */
  grants?: string[];
};

/**
 * `session` and `always` also remember the yes; `reason` tells the model why not. `shown` says how much of the request was in
 * sight before the yes: `part` means that its end was not. Such a yes does not count, and the question is put again.
 */
export type Answer =
  | { choice: 'once' | 'session' | 'always'; shown?: 'all' | 'part' }
  | { choice: 'no'; reason?: string };

/** A person as a function. One that leaves `shown` out had the whole request. */
export type Approver = (request: PermissionRequest, signal: AbortSignal) => Promise<Answer>;
