// The public API of ai-code-assistant, generated from the source by `npm run docs`. See docs/api.md.

import type { z } from 'zod';

type AgentTool<Input> = {
    /** Letters, digits, `.`, `_` and `-`. */
    name: string;
    /** For the model: what the tool does and when to use it. */
    description: string;
    /** A zod object schema; describe each field for the model. */
    input: z.ZodType<Input>;
    /** Whether a call needs approval. Default: always. The user's own rules take precedence. */
    requiresApproval?: boolean | ((input: Input) => boolean);
    /** Whether it has no side effects, so that plan and read-only mode allow it. Default: false. */
    readOnly?: boolean;
    /** A returned string counts as success. Thrown errors are reported to the model. */
    execute(input: Input, context: ToolContext): Promise<ToolResult | string> | ToolResult | string;
};

/** A tool has no hands but these. */
type ToolContext = {
    cwd: string;
    files: Files;
    shell: Shell;
    search: Search;
    web: Web;
    /** Null when nobody is there to answer. */
    ask(question: UserQuestion, signal: AbortSignal): Promise<string | null>;
    /** The task list the user sees; the model keeps it. */
    todos: {
        list(): readonly Todo[];
        replace(items: readonly Todo[]): void;
    };
    /** What the model in use can take in. */
    accepts: {
        images: boolean;
    };
    signal: AbortSignal;
    /** What the session knows of files it has read: the SHA-256 by real path. */
    seen: Map<string, string>;
    progress(text: string): void;
    /** Whether a command outside the sandbox could be allowed; false where it is refused whatever is asked. */
    mayLeaveSandbox?(): boolean;
    /** Hands work on to a subagent; a sentence when that cannot be. Absent where the agent may not. */
    delegate?(work: Delegation): Promise<Delegated | string>;
};

/** The way to the disk. Paths may be relative to the working directory; each is guarded again when opened. */
type Files = {
    /** Whole; refuses what is larger than 10 MB. */
    read(path: string): Promise<FileContent>;
    /** A part of a file of any size, read as a stream: memory does not grow with the file. */
    readLines(path: string, window: {
        offset: number;
        limit: number;
    }): Promise<LineWindow>;
    /** Null when nothing is there. `itself`: of a link, not of what it leads to; its type is `other`. */
    stat(path: string, meant?: {
        itself: true;
    }): Promise<FileStat | null>;
    list(path: string): Promise<FileStat[]>;
    /**
     * Creates parent folders; keeps mode, owner, attributes and other names. Atomic where the system lets a file be
     * replaced. The old content is kept for undo. `was` is what was read there, null for nothing: if something else
     * stands there by now, nothing is written.
     */
    write(path: string, bytes: Uint8Array, was?: Pick<FileContent, 'sha256'> | null): Promise<void>;
    /** All of them or none; one step of undo. */
    writeAll(changes: readonly FileWrite[]): Promise<void>;
    /** The old content is kept for undo. */
    remove(path: string): Promise<void>;
};

/** What stands at a path, read whole. `sha256` is of the bytes on disk. */
type FileContent = {
    path: string;
    bytes: Uint8Array;
    sha256: string;
    /** As in `FileStat`, from just before it was read: what was changed since has another one. */
    version?: string;
};

/** Some lines of a text file. `more` tells whether the file goes on; `sha256` is null unless all of it was read. */
type LineWindow = {
    path: string;
    lines: string[];
    more: boolean;
    sha256: string | null;
};

type FileStat = {
    path: string;
    type: 'file' | 'directory' | 'other';
    size: number;
    modifiedMs: number;
    /** Of a regular file that was looked at by its own name: another word after any change. Absent where none is sure. */
    version?: string;
};

type FileWrite = {
    path: string;
    bytes: Uint8Array;
    was?: Pick<FileContent, 'sha256'> | null;
};

/** The way to other programs. */
type Shell = {
    name: string;
    /** What commands run in now. Looked for once, when first asked. */
    sandbox(): Promise<SandboxState>;
    run(run: CommandRun): Promise<CommandOutcome>;
    /** Ends with the session at the latest. Resolves with its id. */
    start(run: Pick<CommandRun, 'command' | 'cwd' | 'unconfined' | 'env' | 'readable'>): Promise<string>;
    /** Null when there is no such id. */
    check(id: string): BackgroundState | null;
    /** Resolves when it has ended; false when there is no such id or it had already ended. */
    stop(id: string): Promise<boolean>;
    background(): {
        id: string;
        command: string;
        running: boolean;
    }[];
};

/** What stands between a command and the machine; `host` is nothing. `fallback` says why it is not what was wanted. */
type SandboxState = {
    kind: SandboxKind;
    level: SandboxLevel;
    network: 'none' | 'listed' | 'open';
    fallback?: string;
};

type SandboxKind = 'bubblewrap' | 'seatbelt' | 'docker' | 'podman' | 'host';

/** strict: no file writes, no network. standard: writes in the working directory. permissive: the network, too. */
type SandboxLevel = 'strict' | 'standard' | 'permissive';

type CommandRun = {
    command: string;
    cwd?: string;
    timeoutMs: number;
    signal: AbortSignal;
    /** Outside the sandbox: a person has agreed to it. */
    unconfined?: true;
    /** Real paths outside the working directory that were opened to it: the sandbox shows them. */
    readable?: readonly string[];
    /** On top of the environment commands have anyway; undefined takes a variable out. */
    env?: Readonly<Record<string, string | undefined>>;
    /** What it finds on standard input; without it, nothing. */
    input?: string;
    onOutput?: (text: string) => void;
};

/**
 * `exitCode` is null when a signal ended the command. Text beyond the buffer limit is cut from the middle;
 * `fullOutput` is then a file that holds all of it, one that Read can page.
 */
type CommandOutcome = {
    stdout: string;
    stderr: string;
    fullOutput?: string;
    exitCode: number | null;
    signal: string | null;
    timedOut: boolean;
    durationMs: number;
    sandbox: SandboxState;
};

/** A command that goes on while the conversation does. `newOutput` is what came since it was last asked for. */
type BackgroundState = {
    id: string;
    command: string;
    running: boolean;
    exitCode: number | null;
    signal: string | null;
    newOutput: string;
};

/** The way to look things up in a tree; ignore files are honoured. `total` counts what the limit left out, too. */
type Search = {
    files(pattern: string, under: string | undefined, options: SearchOptions): Promise<{
        paths: string[];
        total: number;
    }>;
    grep(query: GrepQuery, options: SearchOptions): Promise<{
        lines: string[];
        total: number;
    }>;
};

type SearchOptions = {
    limit: number;
    signal: AbortSignal;
    everything?: boolean;
};

type GrepQuery = {
    pattern: string;
    path?: string;
    glob?: string;
    /** A kind of file ripgrep knows, such as ts or py. */
    type?: string;
    ignoreCase?: boolean;
    multiline?: boolean;
    /** Also hidden files and those ignore files leave out. */
    everything?: boolean;
    contextLines?: number;
    /** In lines, a NUL in place of the mark after the path, so that any path can be told from the rest. */
    null?: boolean;
    mode: 'content' | 'files' | 'count';
};

/** The way to the web: public addresses only, bounded in size and time. */
type Web = {
    get(url: string, signal: AbortSignal): Promise<WebPage>;
};

/** What came back from the web. `url` is where it ended; `movedTo` is a redirect to another host, not followed. */
type WebPage = {
    url: string;
    status: number;
    mediaType: string;
    text: string;
    movedTo?: string;
};

/** A question of the model to the user. An empty list of choices asks for free words. */
type UserQuestion = {
    question: string;
    choices: string[];
};

type Todo = {
    text: string;
    status: 'pending' | 'in_progress' | 'done';
};

/** Work for a subagent. `task` is a few words for eyes; `goOn` is the id of an earlier one that is asked more. */
type Delegation = {
    agent: string;
    task: string;
    prompt: string;
    goOn?: string;
};

/** What became of it: `text` is its last answer, `trouble` why it ended early. */
type Delegated = {
    id: string;
    text: string;
    trouble: string | null;
    model: string;
    turns: number;
    calls: number;
    tokens: number;
    /** Of its own calls and those of its subagents. Null when the price of a model was unknown. */
    costUsd: number | null;
};

/** `output` and `error` are for the model, `display` is for eyes, `metadata` is for programs. */
type ToolResult = ({
    success: true;
    output: string;
    images?: ImagePart[];
} | {
    success: false;
    error: string;
}) & {
    display?: Display;
    metadata?: Record<string, unknown>;
};

/** `data` is base64. */
type ImagePart = {
    type: 'image';
    mediaType: string;
    data: string;
};

/** How a result looks to eyes. Faces switch on `kind`, never on a tool's name. */
type Display = {
    kind: 'text';
    text: string;
}
/** `patch` is a unified diff; `added` and `removed` count lines. */
 | {
    kind: 'diff';
    path: string;
    patch: string;
    added: number;
    removed: number;
} | {
    kind: 'command';
    command: string;
    exitCode: number | null;
    output: string;
} | {
    kind: 'files';
    paths: string[];
    total: number;
}
/** Several files' diffs as one change. */
 | {
    kind: 'diffs';
    diffs: {
        path: string;
        patch: string;
        added: number;
        removed: number;
    }[];
} | {
    kind: 'todos';
    items: {
        text: string;
        status: 'pending' | 'in_progress' | 'done';
    }[];
};

/** The simplest form of a tool. It runs in this process: only what it does through `context` is sandboxed. */
declare function defineAgentTool<Input>(tool: AgentTool<Input>): Tool;

type Tool<Input = unknown> = {
    name: string;
    aliases?: readonly string[];
    description: string;
    input: z.ZodType<Input>;
    /** What the model is told of the input, as JSON Schema, where another program wrote it; without it, `input` says. */
    parameters?: Record<string, unknown>;
    title(input: Input): string;
    /** Pure: what would be touched. */
    access(input: Input): Access[];
    /** What a person should see before saying yes. May read, never writes. */
    preview?(input: Input, context: ToolContext): Promise<Display | undefined>;
    run(input: Input, context: ToolContext): Promise<ToolResult>;
};

/**
 * What a call would touch. `target` is a path, a command line, a URL, the tool of a server or a subagent, as written by the
 * model; `unconfined` marks a command that is to run outside the sandbox, `holdsSecret` one with a value the model has
 * not seen put in.
 */
type Access = {
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

/**
 * Embeds the assistant in another program, with the same permission checks, sandbox, firewall and settings as
 * on the command line. Several agents can live in one process. Errors that the caller can fix are thrown as a
 * `UserError`.
 */
declare function createAgent(options?: AgentOptions): Promise<Agent>;

type AgentOptions = {
    /** The working directory. Default: that of the process. */
    cwd?: string;
    /**
     * `provider/model` or an alias. Default: chosen from settings, keys and local servers, as on the command
     * line.
     */
    model?: string;
    /**
     * Tools of the embedding program, made by `defineAgentTool` or `defineTool`. The model and rules know each
     * as `app:NAME`.
     */
    tools?: readonly Tool[];
    permissions?: AgentPermissions;
    /** Added to the system prompt, after the user's and the project's instructions. */
    instructions?: string;
    /**
     * `none` saves nothing; `resume` continues a session by its id, an id prefix, or its title. Default: `new`.
     */
    session?: 'new' | 'none' | {
        resume: string;
    };
    /**
     * Answers the model's questions to the user. Without it the model is informed that no user is available.
     */
    ask?(question: UserQuestion, signal: AbortSignal): Promise<string | null>;
    /** Maximum number of model replies in one run. */
    maxTurns?: number;
    /** Maximum cost of one run, such as `$0.50` or `200k tokens`. */
    budget?: string;
    /**
     * Whether the project's own settings, servers and plugins are used. Default: if the user trusted them
     * before.
     */
    trust?: boolean;
    /** Settings as in the config file; they override all config files. */
    settings?: Readonly<Record<string, unknown>>;
    /**
     * Source of API keys and `AI_ASSISTANT_…` variables, and the environment of commands. Default: that of the
     * process.
     */
    env?: Readonly<Record<string, string | undefined>>;
    /** Closes the agent. */
    signal?: AbortSignal;
};

/** What is allowed without asking, and who answers approval requests. */
type AgentPermissions = {
    /** Default: the mode from the settings, or `default` if not set. */
    mode?: PermissionMode;
    /** Rules such as `Bash(npm test)` or `Edit(src/**)`, in addition to those in the settings. */
    allow?: readonly string[];
    ask?: readonly string[];
    deny?: readonly string[];
    /**
     * Answers approval requests, one at a time. `true` approves this call only. If it is missing or throws, the
     * call is refused. Not called for calls that are always refused.
     */
    approve?(request: PermissionRequest, signal: AbortSignal): boolean | Answer | Promise<boolean | Answer>;
};

type PermissionMode = 'default' | 'accept-edits' | 'plan' | 'auto' | 'read-only';

/** The question put to a person: exactly what will happen. */
type PermissionRequest = {
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
    leadsTo?: {
        written: string;
        real: string;
    }[];
    /** Of a command: what stands between it and the machine. */
    sandbox?: SandboxState;
    /** Places outside the working directory that a yes opens. */
    opens?: Opening[];
    /** The rules a remembered yes would add. Absent where every time is asked anew: then only `once` is offered. */
    grants?: string[];
};

/** One simple command of a command line, as the judge read it. */
type CommandPart = {
    text: string;
    verdict: Verdict;
    because: string;
};

type Verdict = 'allow' | 'ask' | 'deny';

/** A real path outside the working directory that a call may touch; a folder includes everything in it. */
type Opening = {
    path: string;
    mode: 'read' | 'write';
};

/**
 * `session` and `always` also remember the yes; `reason` tells the model why not. `shown` says how much of the request was in
 * sight before the yes: `part` means that its end was not. Such a yes does not count, and the question is put again.
 */
type Answer = {
    choice: 'once' | 'session' | 'always';
    shown?: 'all' | 'part';
} | {
    choice: 'no';
    reason?: string;
};

/** One conversation. */
type Agent = {
    readonly sessionId: string;
    readonly provider: string;
    readonly model: string;
    /** Notices about the settings: what was ignored, and why. */
    readonly notices: readonly string[];
    /** All messages so far. */
    readonly messages: readonly Message[];
    /** Starts now, or after the runs queued before it. */
    run(prompt: string | UserMessage['content'], options?: {
        signal?: AbortSignal;
    }): AgentRun;
    /** Aborts all runs, saves the session, and stops running commands and servers. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
};

type Message = UserMessage | AssistantMessage | ToolMessage;

type UserMessage = {
    role: 'user';
    content: (TextPart | ImagePart)[];
    timestamp: string;
};

/** `signature`: as on a thought, where the vendor signs what its model says. */
type TextPart = {
    type: 'text';
    text: string;
    signature?: string;
};

type AssistantMessage = {
    role: 'assistant';
    content: (TextPart | ThinkingPart | ToolCallPart)[];
    provider: string;
    model: string;
    stopReason: StopReason;
    usage?: Usage;
    timestamp: string;
};

/**
 * `signature` is opaque proof from the vendor that must be sent back untouched, and only to the vendor
 * named in the message's `provider`. A redacted thought has a signature and no text.
 */
type ThinkingPart = {
    type: 'thinking';
    text: string;
    signature?: string;
    redacted?: true;
};

/**
 * `malformed` is the raw argument text when it was not a JSON object; `input` is then `{}`. `repeats` is the id of
 * the earlier call that this one is: sent a second time by the vendor, it is not run a second time. `cut` is a call
 * that the model was still writing when it reached the output limit: it is never run.
 */
type ToolCallPart = ToolCall & {
    type: 'tool_call';
    malformed?: string;
    repeats?: string;
    cut?: true;
    signature?: string;
};

/** One thing the model wants done. The id is the idempotency key: unique within a session. */
type ToolCall = {
    id: string;
    name: string;
    input: unknown;
};

/** Why a model stopped talking. `cut` is a stream that broke midway: what arrived is kept. */
type StopReason = 'end' | 'tool_calls' | 'max_tokens' | 'refusal' | 'cut' | 'aborted';

type Usage = {
    /** Input tokens that were neither read from nor written to the vendor's prompt cache. */
    inputTokens: number;
    outputTokens: number;
    cacheReadTokens: number;
    cacheWriteTokens: number;
};

/** The answer to exactly one call. */
type ToolMessage = {
    role: 'tool';
    callId: string;
    name: string;
    success: boolean;
    content: (TextPart | ImagePart)[];
    metadata?: Record<string, unknown>;
    timestamp: string;
};

/**
 * A run in progress. Leaving the loop over its events early aborts it. Unread events are buffered until the
 * run is garbage collected; they can be read once.
 */
type AgentRun = AsyncIterable<AgentEvent> & {
    /** Resolves however the run ends and says how; rejects only on a bug. */
    readonly result: Promise<RunResult>;
};

/** Everything a watcher can learn of a run, as plain JSON. `message` is durable; the rest is for watching. */
type AgentEvent = 
/** `messages` is how many the session has already. */
{
    type: 'run_start';
    sessionId: string;
    provider: string;
    model: string;
    cwd: string;
    messages: number;
} | {
    type: 'turn_start';
    turn: number;
} | {
    type: 'text';
    text: string;
} | {
    type: 'thinking';
    text: string;
}
/** Everything said in this turn so far was in truth this. */
 | {
    type: 'reclassify';
    as: 'text' | 'thinking';
}
/** The model has begun to write a call; its arguments are still arriving. */
 | {
    type: 'call_start';
    name: string;
}
/** A person is being asked. */
 | {
    type: 'question';
    request: PermissionRequest;
}
/** What became of a call before it ran, and who said so: a rule, a mode, a grant or the user. */
 | {
    type: 'judged';
    callId: string;
    tool: string;
    verdict: Exclude<Verdict, 'ask'>;
    by: string;
    because: string;
    accesses: Access[];
} | {
    type: 'tool_start';
    call: ToolCall;
    title: string;
} | {
    type: 'tool_progress';
    callId: string;
    text: string;
}
/** What happens in a subagent that a call has started; `agent` is its name and its task, for eyes. */
 | {
    type: 'subagent';
    callId: string;
    agent: string;
    event: AgentEvent;
} | {
    type: 'tool_end';
    callId: string;
    name: string;
    success: boolean;
    durationMs: number;
    display?: Display;
    metadata?: Record<string, unknown>;
}
/** An answer was looked for among those kept. `entries` is how many of its kind are kept now. */
 | {
    type: 'cache';
    kind: CacheKind;
    outcome: 'hit' | 'miss';
    entries: number;
}
/**
 * A request to a model is over, whether it was the conversation's own or a side job's; each try is one. `stop` is absent
 * where it failed, `error` where it did not. `contextWindow` is what the model can see at once.
 */
 | {
    type: 'model_call';
    provider: string;
    model: string;
    purpose: 'main' | 'helper';
    durationMs: number;
    contextWindow: number;
    usage?: Usage;
    stop?: StopReason;
    error?: ProviderErrorKind | 'unknown';
} | {
    type: 'retry';
    kind: ProviderErrorKind;
    message: string;
    attempt: number;
    delayMs: number;
}
/** `usage` of the reply; `costUsd` of all calls since the last such event, side jobs included. */
 | {
    type: 'usage';
    usage: Usage;
    costUsd: number | null;
} | {
    type: 'message';
    message: Message;
}
/** Older messages are sent in a shorter form from here on; the session keeps them whole. `by` as in the session's view. */
 | {
    type: 'compacted';
    before: number;
    after: number;
    by: string;
} | {
    type: 'notice';
    level: 'info' | 'warn';
    text: string;
} | {
    type: 'end';
    reason: EndReason;
    turns: number;
    error?: RunError;
};

/** What is kept so that it need not be worked out again. */
type CacheKind = 'checksum' | 'read' | 'glob' | 'grep' | 'llm' | 'tool_result';

/**
 * - `rate_limit`, `overloaded`, `server_error`, `timeout`: worth another try; `timeout` includes connections that
 *   broke before the model said anything.
 * - `network`: nothing answers at that address.
 * - `cut`: the stream broke after the model had begun to answer.
 * - `protocol`: what came back is not what this kind of server says.
 * - `overflow`: the conversation is larger than the model's window.
 */
type ProviderErrorKind = 'auth' | 'quota' | 'rate_limit' | 'overloaded' | 'server_error' | 'timeout' | 'network' | 'cut' | 'protocol' | 'overflow' | 'model_not_found' | 'bad_request';

/**
 * Why a run ended. `max_tokens` and `refusal`: the model's last answer is incomplete, or it declined to give one.
 * `budget`: the next call could have gone past a limit, so it was not made.
 */
type EndReason = 'done' | 'max_turns' | 'max_tokens' | 'budget' | 'refusal' | 'interrupted' | 'error';

type RunError = {
    message: string;
    hint?: string;
    kind?: ProviderErrorKind;
};

/** The outcome of a run. */
type RunResult = Omit<Report, 'type' | 'result' | 'structured'> & {
    /** The model's last answer. */
    text: string;
};

/** The outcome of a run, folded from its events: the final JSON in headless mode. */
type Report = {
    type: 'result';
    sessionId: string;
    provider: string;
    model: string;
    stopReason: EndReason;
    result: string;
    structured?: unknown;
    turns: number;
    durationMs: number;
    usage: Usage;
    /** Null when the price of the model is unknown. */
    costUsd: number | null;
    filesChanged: string[];
    commands: {
        command: string;
        exitCode: number | null;
    }[];
    denials: {
        tool: string;
        input: unknown;
        by: string;
        because: string;
    }[];
    /** The sandbox of the last command; null when none ran. */
    sandbox: SandboxState | null;
    error?: RunError;
};

/** `rule` is the rule that matched: a built-in one, or `default`. `parts` are the commands in the line. */
type CommandVerdict = {
    verdict: Verdict;
    reason: string;
    rule: string;
    parts: CommandPart[];
};

/**
 * Where a command would run; `trusted` allows the project's own scripts. `env` is the environment it would
 * run with: its PATH determines which programs are meant, and programs in the project are not mistaken for
 * the system's.
 */
type JudgeOptions = {
    cwd: string;
    home: string;
    trusted: boolean;
    env?: Env;
};

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Judges a command line without running it: `allow` if it certainly only reads permitted files, `deny` if any
 * part is destructive in whatever spelling, `ask` otherwise. Ignores the user's rules and modes.
 */
declare function judgeCommand(line: string, options: JudgeOptions): CommandVerdict;

/** Loads the shell grammar, which `judgeCommand` requires. */
declare const loadJudge: () => Promise<void>;

/** What a slash command may do to the conversation and to the screen. */
type CommandContext = {
    commands: readonly SlashCommand[];
    cwd: string;
    /** The user has called the command off. */
    signal: AbortSignal;
    print(text: string): void;
    /** Null when the input has ended, or the command was called off. */
    ask(question: string): Promise<string | null>;
    /** Puts a question that only a plain yes agrees to. */
    confirm(question: string): Promise<boolean>;
    files: FileHistory;
    sessions: SessionDesk;
    /** What was typed in this session and the others, the oldest first. */
    prompts(): readonly string[];
    spending: Spending;
    mode: ModeSwitch;
    permissions: Standing;
    window: ContextWindow;
    /** Absent where nobody watches the requests. */
    cache?(): PromptCacheUse;
    /** Absent where nobody counts. */
    figures?(): Promise<SessionFigures>;
    /** Absent where a face has none. */
    log?: LogDesk;
    /** Absent when it is switched off. */
    memory?: Memory;
    /** Absent where no server is set up. */
    mcp?: McpServers;
    /** Absent where a face has none. */
    repository?: Repository;
    /** Absent where a face has none. */
    extensions?: Extensions;
    /** What the settings say, but for what nobody set. */
    settings?(): readonly SettingState[];
    /** Looks into what usually goes wrong. */
    health?(): Promise<HealthCheck[]>;
    /** A call on the user's word: judged, asked about and run like one of the model's. Its text, and whether it went well. */
    call?(name: string, input: unknown): Promise<{
        success: boolean;
        text: string;
    }>;
    /** Goes to the model as if the user had typed it; resolves when the run has ended. */
    submit(content: UserMessage['content'], options?: RunOptions): Promise<void>;
    quit(): void;
};

/** Typed by the user as `/name args`. */
type SlashCommand = {
    name: string;
    description: string;
    execute(args: string[], context: CommandContext): Promise<void>;
};

/** What the calls of a session have done to files, and the way back. */
type FileHistory = {
    /** Runs that changed files and were not taken back, the oldest first. */
    runs(): Promise<{
        at: string;
        paths: string[];
    }[]>;
    /** Of the last run that changed any, or of all runs since a time. Null when there is nothing to take back. */
    undo(since?: string): Promise<PendingUndo | null>;
    /** Null when there is nothing to do again. */
    redo(): Promise<PendingUndo | null>;
};

/** What an undo or redo would do to files; nothing has happened yet. */
type PendingUndo = {
    files: PendingFile[];
    conflicts: {
        path: string;
        because: string;
    }[];
    /** Differences that may be somebody else's doing. They are left alone unless `apply` is given their paths. */
    uncertain: (PendingFile & {
        because: string;
    })[];
    apply(include?: readonly string[]): Promise<UndoReport>;
};

type PendingFile = {
    path: string;
    change: 'restore' | 'remove';
    added: number;
    removed: number;
};

/** `kept` are files that were left as they are, and why. */
type UndoReport = {
    restored: string[];
    removed: string[];
    kept: {
        path: string;
        because: string;
    }[];
};

/** The conversation as it is kept, and the others beside it. */
type SessionDesk = {
    /** Its messages change as the conversation goes on; all of them are there once `ready`. */
    session: Session;
    ready: Promise<void>;
    /** The one used last first. */
    list(): SessionSummary[];
    rename(title: string): Promise<void>;
    /** The conversation goes on from its first `keep` messages; the others stay in the file. */
    rewind(keep: number): Promise<void>;
    /** Goes on in a copy with the first messages, all of them if `keep` is left out. Resolves with its id. */
    fork(keep?: number): Promise<string>;
    /** Goes on in a new session, with nothing said yet. */
    begin(): void;
    /** Goes on in another session, named by its id, the first characters of it, or its title. */
    goTo(wanted: string): Promise<void>;
    /**
     * Writes it to a file, in the format that the name asks for. Placeholders stand for secrets unless `withSecrets`.
     * Resolves with the file.
     */
    exportTo(file: string, options?: {
        withSecrets?: boolean;
    }): Promise<string>;
};

type Session = {
    id: string;
    workingDirectory: string;
    startedAt: string;
    messages: Message[];
    permissions: Permission[];
    settings: SessionSettings;
    /** Given by the user; without one, the first prompt stands for it. */
    title?: string;
    /** Kept whatever its age. */
    pinned?: true;
    /** The session this one was forked from, and how many of its messages came along. */
    parent?: {
        id: string;
        messages: number;
    };
    /** What the model is shown of the messages; without it, all of them. */
    view?: SessionView;
    /** Of a subagent's own conversation. */
    subagent?: SubagentOrigin;
    /** The conversations of its subagents, the oldest first, where they were asked for. */
    subagents?: Session[];
};

/** A remembered answer. `pattern` is a tool with an optional specifier, such as `Bash(git log *)`. */
type Permission = {
    type: Access['kind'];
    pattern: string;
    action: 'allow' | 'deny';
    scope: 'session' | 'always';
    grantedAt: string;
};

type SessionSettings = {
    model: string;
    maxTokens?: number;
    temperature?: number;
    /** The mode it began in: the system prompt speaks of it for good. */
    mode?: PermissionMode;
};

type SessionView = {
    /** The last one counts; those before it are what /uncompact goes back to. */
    compactions: readonly Compaction[];
    /** Facts the user wants kept word for word. */
    pins: readonly string[];
    /** What vendors counted before this message speaks of another view. */
    countFrom: number;
    /** By model: how many tokens it counts for one of our estimate. */
    factors: Readonly<Record<string, number>>;
};

/**
 * One compaction. It says everything that is sent in place of old messages, so that the same bytes go out until the
 * next one, in this process and in any other that goes on with the session.
 */
type Compaction = {
    /** The messages before `keepFrom` in short, rounds joined by `---`; null while none was left out. */
    summary: string | null;
    /** What survives word for word besides: pinned facts, the task list, files changed, instructions of folders. */
    kept: string;
    /** Messages from here on are sent. */
    keepFrom: number;
    /** Of these, the ones before here are sent in a shorter form, the shorter the higher the level. */
    squeezeUntil: number;
    level: number;
    /** How many messages there were. */
    at: number;
    tokensBefore: number;
    tokensAfter: number;
    /** Who wrote the summary: a model, or `extract`. `squeeze` when there is none. */
    by: string;
};

/** What a subagent was started for: by `callId` of the session, or of the subagent `parent`. */
type SubagentOrigin = {
    callId: string;
    agent: string;
    task: string;
    parent?: string;
};

type SessionSummary = Pick<Session, 'id' | 'workingDirectory' | 'startedAt' | 'title' | 'pinned' | 'parent'> & {
    /** The last time something was written. */
    updatedAt: string;
    /** The first line of the first prompt. */
    firstPrompt: string;
    messageCount: number;
    bytes: number;
    /** Null when the price of a model was unknown. */
    costUsd: number | null;
};

/** What calls have cost, and what they may cost. */
type Spending = {
    /** By model, the dearest first. */
    costs(): Promise<{
        scope: LimitScope;
        models: ModelCost[];
    }[]>;
    limits(): Promise<{
        scope: LimitScope;
        limit: Limit;
        used: number;
    }[]>;
    /** Takes the place of the scope's limits, for this conversation; an empty list is no limit. */
    setLimits(scope: LimitScope, limits: readonly Limit[]): void;
};

/** What a limit holds for. */
type LimitScope = 'run' | 'session' | 'day';

/** What one model was asked for, and what it came to. `usd` is null where a price is unknown. */
type ModelCost = {
    model: string;
    calls: number;
    usage: Usage;
    usd: number | null;
    /** The vendor left out some figures. */
    estimated: boolean;
};

/** How much may be used up. Tokens are all of them: read, cached and written. */
type Limit = {
    unit: 'usd' | 'tokens' | 'turns';
    amount: number;
};

/** What may happen without asking; a change counts from the next call on. */
type ModeSwitch = {
    get(): PermissionMode;
    set(mode: PermissionMode): void;
};

/** What binds calls here and now, and the way to take answers back. */
type Standing = {
    /** The user's rules, as the settings have them. */
    rules(): {
        verdict: Verdict;
        pattern: string;
    }[];
    grants(): readonly Permission[];
    /** Refusals that answer the identical request. */
    denials(): {
        key: string;
        operation: string;
        because: string;
    }[];
    /** For good: an `always` also leaves the settings. */
    forgetGrant(grant: Permission): Promise<void>;
    forgetDenial(key: string): void;
};

/** What the model is shown of the conversation. */
type ContextWindow = {
    use(): Promise<WindowUse>;
    /** `focus` is what the summary should keep above all. Null when there is nothing old enough, or it was called off. */
    compact(focus: string, signal: AbortSignal): Promise<Compacted | null>;
    /** Null when nothing is compacted. */
    uncompact(): Promise<Compacted | null>;
    pins(): readonly string[];
    /** Null, or why it was not taken. */
    pin(text: string): Promise<string | null>;
    unpin(text: string): Promise<void>;
};

/** Where the model's window goes, in tokens. */
type WindowUse = {
    model: string;
    window: number;
    /** What a request takes now. */
    total: number;
    /** Past this, older messages are compacted. */
    compactAt: number;
    parts: {
        name: string;
        tokens: number;
    }[];
    /** The largest messages, the largest first. */
    biggest: {
        name: string;
        tokens: number;
    }[];
};

type Compacted = {
    before: number;
    after: number;
    by: string;
};

/** How far the vendor's prompt cache carries. */
type PromptCacheUse = {
    /** All replies of the session, as the vendor counted them. */
    session: Usage;
    /** Null before there is a reply. */
    last: Usage | null;
    /** The last request beside the one before it; null before there are two. */
    compared: {
        gapMs: number;
        difference: {
            block: string;
            character: number;
        } | null;
    } | null;
};

/** What a session has come to so far, in this process and before. */
type SessionFigures = {
    runs: number;
    turns: number;
    ms: number;
    /** Of each request to a model, the first one first. */
    requests: readonly {
        usage: Usage;
        usd: number | null;
    }[];
    /** How long models took. */
    answered: Count;
    /** The one used most first. */
    tools: readonly (Count & {
        name: string;
    })[];
    caches: readonly {
        name: string;
        hits: number;
        misses: number;
    }[];
};

/** How often a thing was done, how often it failed, and how long it took in all. */
type Count = {
    calls: number;
    failed: number;
    ms: number;
};

/** The log, for whoever looks for a cause. */
type LogDesk = {
    file: string;
    level: string;
    /** Of all sessions, the latest last. */
    warnings(count: number): Promise<readonly {
        timestamp: string;
        level: string;
        message: string;
    }[]>;
};

/** What is kept from session to session. */
type Memory = {
    folder: string;
    list(): RememberedNote[];
    remember(kind: RememberedNote['kind'], text: string): Promise<NotNoted>;
    /** Goes through this conversation now. Null when there is no model for it. */
    learn(signal: AbortSignal): Promise<RememberedNote[] | null>;
    edit(note: RememberedNote, text: string): Promise<NotNoted>;
    forget(note: RememberedNote): Promise<NotNoted>;
    pin(note: RememberedNote, pinned: boolean): Promise<NotNoted>;
    suggestions(): Promise<Suggestion[]>;
};

/** A note of the user, or of this project. */
type RememberedNote = {
    kind: 'user' | 'context' | 'decisions' | 'learnings';
    text: string;
    /** When it was noted; null for what a person wrote into the file. */
    date: string | null;
    /** Told in every session, and kept whatever its age. */
    pinned: boolean;
};

/** Why a text was not noted, or null when it was. */
type NotNoted = 'known' | 'secret' | 'gone' | null;

/** What experience speaks for. Nothing happens before `apply`. */
type Suggestion = {
    what: 'rule' | 'convention';
    text: string;
    because: string;
    apply(): Promise<void>;
};

type McpServers = {
    list(): McpServerState[];
    /** Resolves when it is ready or known not to be; false when there is no such server. */
    restart(name: string): Promise<boolean>;
    /** `show` is told the address that the user must visit. */
    login(name: string, show: (url: string) => void): Promise<void>;
    /** The servers' prompts as commands. */
    commands(): readonly SlashCommand[];
    /** A prompt with what its `@server:uri` words stand for. */
    withResources(content: UserMessage['content']): Promise<UserMessage['content']>;
};

/** One MCP server as a user sees it. `trouble` says why it is not ready. */
type McpServerState = {
    name: string;
    transport: 'stdio' | 'http' | 'sse';
    address: string;
    phase: 'connecting' | 'ready' | 'failed' | 'login' | 'off';
    trouble: string;
    tools: readonly {
        name: string;
        description: string;
    }[];
    resources: readonly {
        uri: string;
        name: string;
    }[];
    prompts: readonly {
        name: string;
        description: string;
    }[];
    /** What it said of itself lately. */
    log: readonly string[];
};

/** The git repository around the working directory, on the user's word. */
type Repository = {
    /** Null where there is none. */
    state(): Promise<RepositoryState | null>;
    /** What has changed of the files git knows. */
    stageChanged(): Promise<void>;
    /** A message for what is staged, written by a model. */
    draft(wishes: string): Promise<string>;
    /** With the user's hooks, as git would. */
    commit(message: string): Promise<{
        success: boolean;
        output: string;
    }>;
    switchTo(branch: string, options: {
        create: boolean;
    }): Promise<void>;
    /** By a subagent that changes nothing; null when there is nothing to review. */
    review(wanted: string): Promise<{
        what: string;
        text: string;
    } | null>;
    /** Ends what a model does here; false when none does anything. */
    interrupt(): boolean;
};

/** Where a git repository stands. `branch` is null away from all branches; `hooks` would run with a commit. */
type RepositoryState = {
    branch: string | null;
    /** The one committed to last first. */
    branches: string[];
    staged: string[];
    unstaged: string[];
    untracked: string[];
    hooks: string[];
};

/** What users and projects add to the assistant. */
type Extensions = {
    /** Once they are loaded. */
    plugins(): Promise<readonly PluginState[]>;
    skills(): Promise<readonly {
        name: string;
        description: string;
        source: string;
    }[]>;
    hooks(): readonly {
        point: string;
        command: string;
    }[];
    /** Of plugins and of Markdown files; those of plugins come when they are loaded. */
    commands(): readonly SlashCommand[];
    /** The prompt that a line such as `/name args` stands for; null when no Markdown file has that name. */
    promptFor(line: string): Promise<{
        content: UserMessage['content'];
        options: RunOptions;
    } | null>;
};

/** A plugin as a user sees it; `trouble` says why it was left out. */
type PluginState = {
    name: string;
    version: string;
    place: string;
    trouble: string;
    tools: readonly string[];
    hooks: readonly string[];
    commands: readonly string[];
};

/** For one run only: another model, and the only tools that may be used. */
type RunOptions = {
    model?: string;
    tools?: readonly string[];
};

/** One setting that is not at its default, and who set it. */
type SettingState = {
    key: string;
    value: string;
    origin: string;
};

/** One thing looked into, and what was found. `next` says what to do about it. */
type HealthCheck = {
    name: string;
    state: 'ok' | 'warn' | 'bad';
    text: string;
    next?: string;
};

/** What the user can mend: printed as a sentence and a next step, never with a stack. */
declare class UserError extends Error {
    name: string;
    readonly hint: string;
    /** Which exit code it ends a program with: most are wrong usage. */
    readonly exit: 'usage' | 'error';
    constructor(message: string, hint: string, options?: ErrorOptions & {
        exit?: 'usage' | 'error';
    });
}

/**
 * Ties a tool's functions to the type its schema yields, then forgets that type so that tools fit in one list. The
 * schema is made when it is first needed: making all of them would delay every start.
 */
declare function defineTool<Schema extends z.ZodType>(tool: Omit<Tool<z.output<Schema>>, 'input'> & {
    input: () => Schema;
}): Tool;

/** What the model can mend: say what is wrong and what to do next. */
declare function fail(error: string, extra?: Pick<ToolResult, 'display' | 'metadata'>): ToolResult;

declare function ok(output: string, extra?: Pick<ToolResult, 'display' | 'metadata'> & {
    images?: ImagePart[];
}): ToolResult;

/** For types in an editor; returns the plugin unchanged. */
declare function definePlugin(plugin: Plugin): Plugin;

/** The default export of a plugin's module. */
type Plugin = {
    /** Letters, digits, `.`, `_` and `-`. */
    name: string;
    version: string;
    tools?: readonly (PluginTool | Tool)[];
    hooks?: PluginHooks;
    /** Typed by the user as `/name`. */
    commands?: readonly SlashCommand[];
};

/** A tool in its shortest form. The model and the user see it as `plugin:name`. */
type PluginTool = {
    name: string;
    /** For the model: what it does and when to use it. */
    description: string;
    /** JSON Schema of an object. */
    parameters: Record<string, unknown>;
    /** Whether the user is asked before a call. Default: always. The user's own rules take precedence. */
    requiresApproval?: boolean | ((params: Record<string, unknown>) => boolean);
    /** Whether it changes nothing, so that it may be used in plan and read-only mode. Default: no. */
    readOnly?: boolean;
    /** A string counts as success. Thrown errors are reported to the model. */
    execute(params: Record<string, unknown>, context: ToolContext): Promise<ToolResult | string> | ToolResult | string;
};

/**
 * Each has 10 seconds. A hook that throws is reported to the user and ignored; one that hangs is not called
 * again.
 */
type PluginHooks = {
    /** Before the first prompt of a new or resumed session. */
    onSessionStart?(session: Session): void | Promise<void>;
    /**
     * Before a call is judged. Returns the call with another input, or `null` or `{ block: reason }` to refuse
     * it; `undefined` leaves it unchanged. A changed input is validated and judged like any other.
     */
    onBeforeToolCall?(call: ToolCall): Maybe<ToolCall | {
        block: string;
    } | null>;
    /** After a call that ran. */
    onAfterToolCall?(call: ToolCall, result: ToolResult): void | Promise<void>;
    /** Before a message is saved. Returns it with other texts, or nothing to leave it unchanged. */
    onMessage?(message: Message): Maybe<Message>;
};

type Maybe<T> = T | undefined | Promise<T | undefined>;

export {
  type Access,
  type Agent,
  type AgentEvent,
  type AgentOptions,
  type AgentPermissions,
  type AgentRun,
  type AgentTool,
  type Answer,
  type AssistantMessage,
  type CommandContext,
  type CommandVerdict,
  type Display,
  type EndReason,
  type ImagePart,
  type JudgeOptions,
  type Message,
  type Permission,
  type PermissionMode,
  type PermissionRequest,
  type Plugin,
  type PluginHooks,
  type PluginTool,
  type RunOptions,
  type RunResult,
  type SandboxState,
  type Session,
  type SlashCommand,
  type TextPart,
  type ThinkingPart,
  type Tool,
  type ToolCall,
  type ToolCallPart,
  type ToolContext,
  type ToolMessage,
  type ToolResult,
  type Usage,
  UserError,
  type UserMessage,
  type UserQuestion,
  createAgent,
  defineAgentTool,
  definePlugin,
  defineTool,
  fail,
  judgeCommand,
  loadJudge,
  ok,
};
