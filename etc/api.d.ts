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

/** All capabilities of a tool. */
type ToolContext = {
    cwd: string;
    files: Files;
    shell: Shell;
    search: Search;
    web: Web;
    /** What is wrong with a text; null if nothing is, or no program can tell. Absent where none may run. */
    syntaxFault?(language: SyntaxLanguage, text: string, signal: AbortSignal): Promise<string | null>;
    /** Null when no user is available to answer. */
    ask(question: UserQuestion, signal: AbortSignal): Promise<string | null>;
    /** Plan mode; a plan that is started ends it. Absent without a user, and for subagents. */
    planning?: {
        isOn(): boolean;
        review: ReviewPlan;
    };
    /** The task list shown to the user and maintained by the model. */
    todos: {
        list(): readonly Todo[];
        replace(items: readonly Todo[]): void;
    };
    /** The input types the current model supports, and the images that its vendor takes. */
    accepts: {
        images: boolean;
        imageLimits?: ImageLimits;
    };
    /** How long the result of this call may be. Absent: as in a large window. */
    limits?: ResultLimits;
    signal: AbortSignal;
    /** Files the session has read: SHA-256 by real path. */
    seen: Map<string, string>;
    progress(text: string): void;
    /** Whether a command outside the sandbox could be approved; false where it is always refused. */
    mayLeaveSandbox?(): boolean;
    /**
     * Delegates work to a subagent; resolves with an error sentence if that is impossible. Absent where the
     * agent may not delegate.
     */
    delegate?(work: Delegation): Promise<Delegated | string>;
};

/** Access to the disk. Paths may be relative to the working directory; each is checked again when opened. */
type Files = {
    /** Reads a whole file; refuses files with more bytes than `most`, which is 10 MB by default. */
    read(path: string, limit?: {
        most: number;
    }): Promise<FileContent>;
    /** Reads part of a file of any size as a stream: memory use does not grow with the file. */
    readLines(path: string, window: LineRange): Promise<LineWindow>;
    /** Null when nothing exists. `itself`: of a link rather than its target; its type is `other`. */
    stat(path: string, meant?: {
        itself: true;
    }): Promise<FileStat | null>;
    list(path: string): Promise<FileStat[]>;
    /**
     * Creates parent folders; keeps mode, owner, attributes and hard links. Atomic where the system allows
     * replacing a file. The old content is kept for undo. `was` is what the caller has read, null for nothing:
     * if the file differs now, nothing is written.
     */
    write(path: string, bytes: Uint8Array, was?: Pick<FileContent, 'sha256'> | null): Promise<void>;
    /** All or nothing; one undo step. */
    writeAll(changes: readonly FileWrite[]): Promise<void>;
    /** The old content is kept for undo. */
    remove(path: string): Promise<void>;
};

/** The complete content at a path. `sha256` is of the bytes on disk. */
type FileContent = {
    path: string;
    bytes: Uint8Array;
    sha256: string;
    /** As in `FileStat`, from just before the read: differs if the file changed since. */
    version?: string;
};

/** `offset` lines are skipped; `part` says which characters of the others are read, by default their first. */
type LineRange = {
    offset: number;
    limit: number;
    part?: LinePart;
};

/** Which characters of lines are shown: `width` of them, after `skip` others. */
type LinePart = {
    skip: number;
    width: number;
};

/**
 * Some lines of a text file. `more` is true if the file continues; `sha256` is null unless the whole file was
 * read.
 */
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
    /**
     * For a regular file accessed by its own name: differs after any change. Absent where that is not certain.
     */
    version?: string;
};

/**
 * `editor` shows new content in the editor that has the file open, and saves it there: called when everything else is
 * ready, so that the disk does not change under the editor. If it rejects, nothing is written.
 */
type FileWrite = {
    path: string;
    bytes: Uint8Array;
    was?: Pick<FileContent, 'sha256'> | null;
    editor?(bytes: Uint8Array): Promise<void>;
};

/** Runs other programs. */
type Shell = {
    name: string;
    /** The current sandbox. Detected once, on first use. */
    sandbox(): Promise<SandboxState>;
    run(run: CommandRun): Promise<CommandOutcome>;
    /** Ends with the session at the latest. Resolves with its id. */
    start(run: Pick<CommandRun, 'command' | 'cwd' | 'unconfined' | 'onlyReads' | 'env' | 'readable' | 'sealed'>): Promise<string>;
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

/** The isolation of a command; `host` is none. `fallback` says why it is not the requested one. */
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
    /** Outside the sandbox, with the user's approval. */
    unconfined?: true;
    /** It is allowed because it only reads: in the sandbox it can change nothing. */
    onlyReads?: true;
    /** It only reads its input: in the sandbox it sees nothing of the project, and starts where nothing is. */
    apart?: true;
    /** Real paths outside the working directory that were opened to it and are visible in the sandbox. */
    readable?: readonly string[];
    /** Files that it must not change. */
    sealed?: readonly string[];
    /** It may change the config of repositories; the caller checks the result. */
    gitConfig?: true;
    /** Added to the default environment of commands; undefined removes a variable. */
    env?: Readonly<Record<string, string | undefined>>;
    /** Standard input; empty by default. */
    input?: string;
    onOutput?: (text: string) => void;
    /** At its time limit it is not stopped: it continues in the background. */
    continuesInBackground?: true;
};

/**
 * `exitCode` is null when a signal ended the command. Text beyond the buffer limit is cut from the middle;
 * `fullOutput` is then a file with all of it, which Read can page through.
 */
type CommandOutcome = {
    stdout: string;
    stderr: string;
    fullOutput?: string;
    exitCode: number | null;
    signal: string | null;
    timedOut: boolean;
    /** The id of a command that continues in the background after its time limit. */
    background?: string;
    durationMs: number;
    sandbox: SandboxState;
};

/** A background command. `newOutput` is the output since the last check. */
type BackgroundState = {
    id: string;
    command: string;
    running: boolean;
    exitCode: number | null;
    signal: string | null;
    newOutput: string;
};

/** Searches in a tree; honours ignore files. `total` includes results beyond the limit. */
type Search = {
    files(pattern: string, under: string | undefined, options: SearchOptions): Promise<{
        paths: string[];
        total: number;
    }>;
    grep(query: GrepQuery, options: SearchOptions): Promise<GrepResult>;
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
    /** A ripgrep file type, such as ts or py. */
    type?: string;
    ignoreCase?: boolean;
    multiline?: boolean;
    /** Includes hidden and ignored files. */
    everything?: boolean;
    contextLines?: number;
    /** In lines mode, a NUL follows the path instead of the separator, so that any path can be parsed. */
    null?: boolean;
    mode: 'content' | 'files' | 'count';
};

/**
 * Lines and files found. `total` includes lines beyond the limit; so do `matches`, without context lines, and the
 * number of `files`; both only for content.
 */
type GrepResult = {
    lines: string[];
    total: number;
    matches?: number;
    files?: number;
};

/** Access to the web: public addresses only, limited in size and time. */
type Web = {
    get(url: string, signal: AbortSignal): Promise<WebPage>;
};

/**
 * A response from the web. `url` is the final address; `movedTo` is a redirect to another host, which is not
 * followed.
 */
type WebPage = {
    url: string;
    status: number;
    mediaType: string;
    text: string;
    movedTo?: string;
};

/** Languages whose programs can say whether a text parses. */
type SyntaxLanguage = 'Python' | 'JavaScript' | 'shell';

/** A question to the user. An empty list of choices asks for free text; `kinds` has those of the choices of a decision. */
type UserQuestion = {
    question: string;
    choices: string[];
    kinds?: ChoiceKind[];
};

/** What a choice amounts to, for frontends that show a decision by that. */
type ChoiceKind = 'always' | 'once' | 'no';

/** Puts a plan to the user. Null if there was no decision. */
type ReviewPlan = (plan: string, signal: AbortSignal) => Promise<PlanReview | null>;

/** The user's decision about a plan. `plan` is the version that counts: the user may have edited it. */
type PlanReview = {
    plan: string;
} & ({
    type: 'start';
    mode: 'accept-edits' | 'default';
}
/** `feedback` says what to change; it may be empty. */
 | {
    type: 'revise';
    feedback: string;
});

type Todo = {
    text: string;
    status: 'pending' | 'in_progress' | 'done';
};

/** What a receiver takes: bytes of one image, and pixels per side. */
type ImageLimits = {
    maxBytes: number;
    maxSide: number;
};

/**
 * The longest tool results, in characters. A token is about four characters, so that a window of W tokens holds
 * 4 W characters: a page of W / 2 characters fills an eighth of it.
 */
type ResultLimits = {
    /** A page of a file; twice as much if the call asks for a number of lines. */
    read: number;
    readAsked: number;
    /** Output of commands, MCP servers, web pages and everything not listed here. */
    output: number;
    /** Lines found by a search. */
    search: number;
    /** Names of files and folders. */
    names: number;
    /** All results of one reply together. */
    reply: number;
};

/**
 * Work for a subagent. `task` is a short description for people; `resumeId` is the id of an earlier subagent to
 * continue.
 */
type Delegation = {
    agent: string;
    task: string;
    prompt: string;
    resumeId?: string;
    /** In a copy of the project; also if the agent's definition says so. */
    isolation?: 'worktree';
};

/** The result: `text` is the last answer, `trouble` why it ended early. */
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
    /** What became of its changes, if it worked in a copy of the project. */
    merge?: string;
};

/**
 * `output` and `error` are for the model, `display` and `summary` are for people, `metadata` is for programs. A
 * summary that follows from `display` need not be given.
 */
type ToolResult = ({
    success: true;
    output: string;
    images?: ImagePart[];
} | {
    success: false;
    error: string;
}) & ResultExtras;

/** `data` is base64. */
type ImagePart = {
    type: 'image';
    mediaType: string;
    data: string;
};

type ResultExtras = {
    display?: Display;
    summary?: Summary;
    metadata?: Record<string, unknown>;
};

/** How a result is shown to people. Frontends switch on `kind`, never on a tool's name. */
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
/** Pages on the web. */
 | {
    kind: 'links';
    links: WebHit[];
}
/** Diffs of several files as one change. */
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

/**
 * A page found on the web. `snippet` is empty if the service gave none. `domain` is that of the page, if the
 * address leads through another host.
 */
type WebHit = {
    title: string;
    url: string;
    snippet: string;
    domain?: string;
};

/**
 * The outcome of a call in a few words, as data. `total` counts also what was not returned; `files` is the number
 * of files the results are in.
 */
type Summary = {
    kind: 'count';
    unit: CountUnit;
    count: number;
    total?: number;
    files?: number;
} | {
    kind: 'change';
    added: number;
    removed: number;
    files: number;
}
/** `exitCode` is null when a signal ended the command. */
 | {
    kind: 'exit';
    exitCode: number | null;
    timedOut?: true;
}
/** A command that continues in the background. */
 | {
    kind: 'started';
    id: string;
} | {
    kind: 'interrupted';
};

type CountUnit = 'line' | 'match' | 'file' | 'entry' | 'place' | 'page' | 'cell' | 'result';

/** The simplest form of a tool. It runs in this process: only what it does through `context` is sandboxed. */
declare function defineAgentTool<Input>(tool: AgentTool<Input>): Tool;

type Tool<Input = unknown> = {
    name: string;
    aliases?: readonly string[];
    /** Other names of its arguments, compared without case, `_` and `-`. */
    argumentAliases?: Readonly<Record<string, readonly string[]>>;
    /** Arguments of other assistants that change nothing here. */
    ignoredArguments?: readonly string[];
    /** What cannot be said by other names alone. `calledAs` is the name that the model used. */
    adapt?(input: Arguments, calledAs: string): AdaptedCall;
    /** Accepted from every model, offered to those that were trained on it. */
    isHidden?: true;
    /** It changes nothing, although it declares no access: an argument that it does not know is only reported. */
    onlyReads?: true;
    description: string;
    input: z.ZodType<Input>;
    /**
     * The input's JSON Schema as shown to the model, if another program wrote it; by default it is derived from
     * `input`.
     */
    parameters?: Record<string, unknown>;
    /** One line for people; `shown` shortens a path for it. */
    title(input: Input, shown: (path: string) => string): string;
    /** For a read-only call whose result people rarely read. */
    explores?: Exploration;
    /** Which limit applies to its results; absent: that of output. */
    results?: ResultKind;
    /** Pure: what the call would access. */
    access(input: Input): Access[];
    /** What the user should see before approving, or why the call cannot succeed. May read, never writes. */
    preview?(input: Input, context: ToolContext): Promise<Preview | undefined>;
    run(input: Input, context: ToolContext): Promise<ToolResult>;
};

/** The arguments of a call by name, as a model wrote them. */
type Arguments = Readonly<Record<string, unknown>>;

/** What a call in the dialect of another assistant means: other arguments, another tool, or nothing that exists. */
type AdaptedCall = {
    tool?: string;
    input: Arguments;
} | {
    refuse: string;
};

/** What a read-only call looks at. Consecutive ones can be shown as one. */
type Exploration = 'file' | 'pattern' | 'folder';

/** Which of the limits applies to a tool. */
type ResultKind = Exclude<keyof ResultLimits, 'readAsked' | 'reply'>;

/**
 * What a call would access. `target` is a path, a command line, a URL, a web search query, a server's tool or a
 * subagent, as written by the model; `unconfined` marks a command to run outside the sandbox, `holdsSecret` one with an
 * inserted value that the model has not seen.
 */
type Access = {
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

/** The user is not asked about a call that cannot succeed: the model gets the error at once. */
type Preview = Display | {
    kind: 'refused';
    error: string;
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

/** The question shown to the user: exactly what will happen. */
type PermissionRequest = {
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
    leadsTo?: {
        written: string;
        real: string;
    }[];
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
    queue?: {
        position: number;
        total: number;
    };
};

/** One simple command of a command line, as parsed and judged; `span` is its place in the line. */
type CommandPart = {
    text: string;
    verdict: Verdict;
    because: string;
    span?: TextSpan;
};

type Verdict = 'allow' | 'ask' | 'deny';

/** A range in a text, in UTF-16 units. */
type TextSpan = {
    start: number;
    end: number;
};

/**
 * A real path outside the working directory that a call may access; a folder includes everything in it, or only what
 * commands in the sandbox can read.
 */
type Opening = {
    path: string;
    mode: 'read' | 'write';
    onlyShown?: true;
};

/**
 * `session` and `always` also remember the yes; `sandboxed` also frees all commands that the sandbox contains, for
 * this session; `trust` also trusts this folder, where the request offers that. `reason` explains a no to the model. `shown` says how much of
 * the request was visible before the yes: `part` means that its end was not. Such a yes does not count, and
 * the question is asked again.
 */
type Answer = {
    choice: 'once' | 'sandboxed' | 'trust' | 'session' | 'always';
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
    /** How hard the model should think from this prompt on, if that changed. */
    effort?: EffortChoice;
    timestamp: string;
};

/**
 * `signature`: as on a thought, for vendors that sign their model's text. `phase`: as the vendor labeled its model's text,
 * to be sent back to it. `sent` marks what a person sent to a session
 * with several participants; its images follow it. `typed`: the user wrote it, or these words of it; without it, the
 * program did. `origin`: what printed or sent the text that the program put into a prompt. `update`: announces a change
 * of the surroundings. Only the text is sent to a model, and the tools of an update where the vendor takes them.
 */
type TextPart = {
    type: 'text';
    text: string;
    signature?: string;
    phase?: TextPhase;
    sent?: Sent;
    typed?: true | string;
    origin?: TextOrigin;
    update?: Update;
} & Continues;

/** A note while the model works, or its answer. */
type TextPhase = 'commentary' | 'final_answer';

/** A prompt of its own: its id, and the name of who sent it. */
type Sent = {
    id: string;
    by?: string;
};

/** A command that printed a text, the address of a resource, or what others wrote and the user passed on. */
type TextOrigin = {
    kind: 'command' | 'resource' | 'others';
    name: string;
};

/**
 * A change of the surroundings: `states` names what the text states from now on (null: no longer), for comparison with
 * later changes. `trusted`: the text is in the program's own words alone. `tools` were added to, or removed from, those
 * of the prefix.
 */
type Update = {
    states: Readonly<Record<string, string | null>>;
    trusted?: true;
    tools?: {
        added: readonly ToolDefinition[];
        removed: readonly string[];
    };
};

/** A tool as a model sees it: `parameters` is JSON Schema. */
type ToolDefinition = {
    name: string;
    description: string;
    parameters: Record<string, unknown>;
};

/**
 * Before this part the reply broke off, and the program asked the model to continue with these words. A provider gets
 * it as what it was: a reply, a prompt, and another reply.
 */
type Continues = {
    continues?: string;
};

/** A chosen effort; `default` leaves it to the vendor. */
type EffortChoice = Effort | 'default';

/** How hard a model thinks before it answers. */
type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

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
 * `signature` is opaque proof from the vendor that must be sent back unchanged, and only to the vendor named
 * in the message's `provider`. A redacted thought has a signature and no text. `note`: the text is a progress note for
 * people, which its vendor wants back as a thought.
 */
type ThinkingPart = {
    type: 'thinking';
    text: string;
    signature?: string;
    redacted?: true;
    note?: true;
} & Continues;

/**
 * `malformed` is the raw argument text if it was not a JSON object; `input` is then `{}`. `repaired` is the start of the call
 * as the model sent it, if it was not valid and had exactly one reading, which `name` and `input` are. `repeats` is the id
 * of the same call sent earlier by the vendor: it does not run twice. `cut` marks a call the model was still
 * writing when it reached the output limit: it never runs.
 */
type ToolCallPart = ToolCall & Continues & {
    type: 'tool_call';
    malformed?: string;
    repaired?: string;
    repeats?: string;
    cut?: true;
    signature?: string;
};

/** An action the model requests. The id is the idempotency key: unique within a session. */
type ToolCall = {
    id: string;
    name: string;
    input: unknown;
};

/** Why a model stopped. `cut` is a stream that broke midway: the part that arrived is kept. */
type StopReason = 'end' | 'tool_calls' | 'max_tokens' | 'refusal' | 'cut' | 'aborted';

type Usage = {
    /** Input tokens that were neither read from nor written to the vendor's prompt cache. */
    inputTokens: number;
    outputTokens: number;
    cacheReadTokens: number;
    cacheWriteTokens: number;
    /** Those of `cacheWriteTokens` that stay cached for an hour. */
    cacheWriteHourTokens?: number;
};

/** The answer to exactly one call. */
type ToolMessage = {
    role: 'tool';
    callId: string;
    name: string;
    success: boolean;
    content: (TextPart | ImagePart)[];
    metadata?: Record<string, unknown>;
    /** For people; never sent to a model. */
    summary?: Summary;
    timestamp: string;
};

/**
 * A run in progress. Leaving the loop over its events early aborts it. Unread events are buffered until the
 * run is garbage collected; they can be read once.
 */
type AgentRun = AsyncIterable<AgentEvent> & {
    /** Resolves however the run ends and says how; rejects only on a bug. */
    readonly result: Promise<RunResult>;
    /**
     * Sends a prompt to the model with the next tool results. Resolves with true when the run takes it, and with
     * false when the run ends before that: the prompt was not sent then.
     */
    steer(prompt: string | UserMessage['content']): Promise<boolean>;
};

/**
 * Everything an observer can learn about a run, as plain JSON. `message` is durable; the rest is transient.
 */
type AgentEvent = 
/** `messages` is the number already in the session. */
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
}
/** `note`: a progress note between calls. */
 | {
    type: 'text';
    text: string;
    note?: true;
} | {
    type: 'thinking';
    text: string;
}
/** All text of this turn so far is reclassified. */
 | {
    type: 'reclassify';
    as: 'text' | 'thinking';
}
/** The model started to write a call; its arguments are still arriving. */
 | {
    type: 'call_start';
    name: string;
}
/** The user is being asked. */
 | {
    type: 'question';
    request: PermissionRequest;
}
/** The verdict on a call before it ran, and its source: a rule, a mode, a grant or the user. */
 | {
    type: 'judged';
    callId: string;
    tool: string;
    verdict: Exclude<Verdict, 'ask'>;
    by: string;
    because: string;
    accesses: Access[];
    title?: string;
} | {
    type: 'tool_start';
    call: ToolCall;
    title: string;
    explores?: Exploration;
} | {
    type: 'tool_progress';
    callId: string;
    text: string;
}
/** An event of a subagent started by a call; `agent` is its name and task, for people. */
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
    summary?: Summary;
    display?: Display;
    metadata?: Record<string, unknown>;
}
/** A cache lookup. `entries` is the number of cached entries of this kind. */
 | {
    type: 'cache';
    kind: CacheKind;
    outcome: 'hit' | 'miss';
    entries: number;
}
/**
 * A request to a model has ended, from the conversation or a side job; each attempt is one. `stop` is
 * absent if it failed, `error` if it succeeded. `contextWindow` is the model's window in tokens.
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
/** The vendor left out, or allowed, thinking in the request that does not fit its place; it reports which. */
 | {
    type: 'input_transformed';
    transformations: InputTransformation[];
}
/** A part of the prompt that the vendor could have had in its cache was read in full, at this extra cost. */
 | {
    type: 'cache_miss';
    reason: string;
    tokens: number;
    costUsd: number | null;
}
/** A local model is being loaded from a file of this size; `share` is done, from 0 to 1. */
 | {
    type: 'loading';
    file: string;
    bytes: number;
    share: number;
}
/** `usage` of the reply; `costUsd` of all calls since the last such event, including side jobs. */
 | {
    type: 'usage';
    usage: Usage;
    costUsd: number | null;
} | {
    type: 'message';
    message: Message;
}
/**
 * Older messages are sent in a shorter form from now on; the session keeps them in full. `by` as in the
 * session's view.
 */
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

/** Kinds of cached results. */
type CacheKind = 'checksum' | 'read' | 'glob' | 'grep' | 'llm' | 'tool_result';

/**
 * - `rate_limit`, `overloaded`, `server_error`, `timeout`: worth a retry; `timeout` includes connections that
 *   broke before the model said anything.
 * - `network`: nothing answers at that address.
 * - `cut`: the stream broke after the model had started to answer.
 * - `protocol`: the response is not what this kind of server sends.
 * - `overflow`: the conversation is larger than the model's window.
 * - `stale_reasoning`: the request contains reasoning that the vendor cannot verify: it belongs to another conversation,
 *   account or model, or was changed. The same request without it would succeed.
 */
type ProviderErrorKind = 'auth' | 'quota' | 'rate_limit' | 'overloaded' | 'server_error' | 'timeout' | 'network' | 'cut' | 'protocol' | 'overflow' | 'model_not_found' | 'stale_reasoning' | 'bad_request';

/** `kind`, such as `thinking_dropped`, `reason` and `path` in the request: the vendor's own words. */
type InputTransformation = {
    kind: string;
    reason: string;
    path: string;
};

/**
 * Why a run ended. `max_tokens` and `refusal`: the model's last answer is incomplete, or it declined to give
 * one. `budget`: the next call could have exceeded a limit and was not made.
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
    /** `check_failed`: the model is done, but a command of `--check` fails. */
    stopReason: EndReason | 'check_failed';
    result: string;
    structured?: unknown;
    turns: number;
    durationMs: number;
    usage: Usage;
    /** Null when the price of the model is unknown. */
    costUsd: number | null;
    /** What the vendor could have had in its prompt cache, and read in full: why, and at what extra cost. */
    cacheMisses?: {
        reason: string;
        tokens: number;
        costUsd: number | null;
    }[];
    filesChanged: string[];
    /** `folder`: where it ran, if the model named a folder. */
    commands: {
        command: string;
        exitCode: number | null;
        folder?: string;
    }[];
    /** Files that differ from before the run, whatever changed them; null if lines were not counted. */
    changes?: NetChange[];
    /** The last outcome of each command that tested, built or linted; null if it was stopped. */
    checks?: (Check | RequiredCheck)[];
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

/** Lines that a file gained and lost; null if they were not counted. */
type NetChange = {
    path: string;
    lines: {
        added: number;
        removed: number;
    } | null;
};

/** A command that tested, built or linted, such as `npm test`. A null exit code means that it was stopped. */
type Check = {
    name: string;
    exitCode: number | null;
};

/** A command of `--check`: how often it ran, and the end of its last output. */
type RequiredCheck = Check & {
    required: true;
    attempts: number;
    output: string;
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

/** What a slash command may do to the conversation and the screen. */
type CommandContext = {
    commands: readonly SlashCommand[];
    cwd: string;
    /** Aborted when the user cancels the command. */
    signal: AbortSignal;
    print(text: string): void;
    /** Null when the input has ended or the command was cancelled. */
    ask(question: string): Promise<string | null>;
    /** Asks a question that only an explicit yes confirms. */
    confirm(question: string): Promise<boolean>;
    files: FileHistory;
    sessions: SessionActions;
    /** Prompts typed in this and other sessions, oldest first. */
    prompts(): readonly string[];
    spending: Spending;
    mode: ModeSwitch;
    permissions: PermissionState;
    window: ContextWindow;
    /** Absent if requests are not tracked. */
    cache?(): PromptCacheUse;
    /** Absent if there are no statistics. */
    figures?(): Promise<SessionFigures>;
    /** Absent in frontends without one. */
    log?: LogAccess;
    /** Absent when memory is disabled. */
    memory?: Memory;
    /** Absent if no server is configured. */
    mcp?: McpServers;
    /** Absent in frontends without them. */
    languageServers?: LanguageServers;
    /** That of the working directory, and those of the other folders that the user opened. Absent in frontends without them. */
    repositories?: readonly Repository[];
    /** Absent in frontends without them. */
    extensions?: Extensions;
    /** Absent in frontends without it. */
    effort?: EffortSwitch;
    /** Absent in frontends without them. */
    styles?: OutputStyles;
    /** The settings that are not at their defaults. */
    settings?(): readonly SettingState[];
    /** Shows and changes which files of other assistants are used; resolves with what to tell the user. */
    importSettings?(args: readonly string[]): Promise<string>;
    trustFolder?(args: readonly string[]): Promise<string>;
    /** Checks for common problems. */
    health?(): Promise<HealthCheck[]>;
    /**
     * A call on behalf of the user: judged, asked about and run like one of the model's. Resolves with its text
     * and whether it succeeded.
     */
    call?(name: string, input: unknown): Promise<{
        success: boolean;
        text: string;
    }>;
    /** Opens a folder for this session; resolves with what to tell the user. Absent where that is impossible. */
    addFolder?(folder: string): Promise<string>;
    /** Sent to the model as if typed by the user; resolves when the run has ended. */
    submit(content: UserMessage['content'], options?: RunOptions): Promise<void>;
    quit(): void;
};

/** Typed by the user as `/name args`. */
type SlashCommand = {
    name: string;
    description: string;
    /** Its heading in `/help`; without one it is listed as a custom command. */
    group?: string;
    /**
     * `user`: it asks, so it is missing in headless runs. `terminal`: it leaves the session or changes what it works on,
     * which other frontends leave to the program that opened it.
     */
    needs?: 'user' | 'terminal';
    /**
     * People who are invited to a session of a server may use it: it stays within the session, and does nothing that a
     * prompt of theirs could not do. Without it, only the owner may.
     */
    forGuests?: true;
    execute(args: string[], context: CommandContext): Promise<void>;
};

/** The file changes of a session, with undo and redo. */
type FileHistory = {
    /** Runs that changed files and were not undone, oldest first. */
    runs(): Promise<{
        at: string;
        paths: string[];
    }[]>;
    /** Undoes the last run that changed files, or all runs since a time. Null when there is nothing to undo. */
    undo(since?: string): Promise<PendingUndo | null>;
    /** Null when there is nothing to redo. */
    redo(): Promise<PendingUndo | null>;
    /** What is left of the changes of some runs, to be looked at and reverted one by one. */
    changes(scope: ChangeScope): Promise<ChangeReview>;
};

/** The effect an undo or redo would have on files; nothing has been changed yet. */
type PendingUndo = {
    files: PendingFile[];
    conflicts: {
        path: string;
        because: string;
    }[];
    /** Differences that another program may have caused. Left alone unless `apply` is given their paths. */
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

/** `kept` lists files that were left unchanged, and why. */
type UndoReport = {
    restored: string[];
    removed: string[];
    kept: {
        path: string;
        because: string;
    }[];
};

/** The last run that changed files, the whole session, or everything since a time. */
type ChangeScope = 'run' | 'session' | {
    since: string;
};

/** What is left of the changes of some runs, compared with the files as they are now. */
type ChangeReview = {
    files: ChangedFile[];
    /**
     * Takes changes back, together; `/undo` brings them back. Files that were changed since they were listed
     * are left alone.
     */
    revert(chosen: readonly ChosenChange[]): Promise<UndoReport>;
    /** The files stay as they are, and these changes are no longer listed. */
    accept(chosen: readonly ChosenChange[]): Promise<void>;
    /** The text of a file without its changes. Null if it would not exist, or is not a text. */
    original(path: string): string | null;
};

type ChangedFile = {
    path: string;
    change: 'new' | 'deleted' | 'changed';
    added: number;
    removed: number;
    /** Empty if nothing of it can be reverted: then a note says why. */
    hunks: ChangedHunk[];
    /** For the user: what cannot be reverted, or may have been changed by somebody else. */
    notes: string[];
};

/** A change that can be looked at and reverted on its own. */
type ChangedHunk = {
    /** From its content: the same after changes elsewhere in the file. */
    id: string;
    /** `lines 3-9`, `new file`, `mode 644 → 755`. */
    what: string;
    /** A unified diff with its heading and lines around it; empty if the change is not in lines. */
    patch: string;
    /** Null if the change is not in lines. */
    lines: ChangedLines | null;
    added: number;
    removed: number;
};

/** The lines before and after, with their ends. A line number counts from 1; without lines, it is the next one. */
type ChangedLines = {
    oldStart: number;
    oldText: string;
    newStart: number;
    newText: string;
};

/** One hunk by its index, or the whole file. */
type ChosenChange = {
    path: string;
    hunk?: number;
};

/** The current session, and access to the others. */
type SessionActions = {
    /** Its messages change during the conversation; all of them are loaded once `ready`. */
    session: Session;
    ready: Promise<void>;
    /** Most recently used first. */
    list(): SessionSummary[];
    rename(title: string): Promise<void>;
    /** Continues from the first `keep` messages; the others stay in the file. */
    rewind(keep: number): Promise<void>;
    /** Continues in a copy with the first `keep` messages, or all of them. Resolves with its id. */
    fork(keep?: number): Promise<string>;
    /** Continues in a new, empty session. */
    begin(): Promise<void>;
    /** Continues in another session, given by id, id prefix or title. */
    goTo(wanted: string): Promise<void>;
    /**
     * Exports the session to a file, in the format of its extension. Secrets are replaced by placeholders
     * unless `withSecrets`. Resolves with the path.
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
    /** Set by the user; if absent, the first prompt is used. */
    title?: string;
    /** Never expires. */
    pinned?: true;
    /** The session this one was forked from, and how many of its messages were copied. */
    parent?: {
        id: string;
        messages: number;
    };
    /** What the model is shown of the messages; if absent, all of them. */
    view?: SessionView;
    /** Where what was read came from, as far as it matters; those of subagents included. */
    sources?: TextSource[];
    /** How calls were decided in a session with several participants, by their ids. */
    decisions?: Record<string, CallDecision>;
    /** In an editor or on a server, where they are restored when the session is opened again. */
    choices?: SessionChoices;
    /** For the conversation of a subagent. */
    subagent?: SubagentOrigin;
    /** The conversations of its subagents, oldest first, if requested. */
    subagents?: Session[];
};

/** A remembered answer. `pattern` is a tool with an optional specifier, such as `Bash(git log *)`. */
type Permission = {
    type: Access['kind'];
    pattern: string;
    action: 'allow' | 'deny';
    scope: 'session' | 'always';
    grantedAt: string;
    /** Added as a rule, which covers whatever matches; an answer covers exactly what was shown. */
    rule?: RuleList;
};

/** The lists of rules: `trust` is for calls that need no approval even after foreign text was read. */
type RuleList = Verdict | 'trust';

type SessionSettings = {
    model: string;
    maxTokens?: number;
    temperature?: number;
    /** The mode at the start of the session. */
    mode?: PermissionMode;
};

type SessionView = {
    /** The last one applies; /uncompact returns to the one before. */
    compactions: readonly Compaction[];
    /** Facts the user wants kept verbatim. */
    pins: readonly string[];
    /** Vendor token counts before this message refer to another view. */
    countFrom: number;
    /** By model: its token count divided by our estimate. */
    factors: Readonly<Record<string, number>>;
    /** The last one applies. */
    epochs: readonly MaskedEpoch[];
};

/**
 * One compaction. Contains everything sent in place of old messages, so that requests stay byte-identical
 * until the next one, in this process and in any other that resumes the session.
 */
type Compaction = {
    /** Summary of the messages before `keepFrom`, rounds joined by `---`; null while none was dropped. */
    summary: string | null;
    /** The same as the vendor made it, with the reasoning; sent in its place where it can be read. */
    vendorSummary?: VendorSummary;
    /** What is kept verbatim in addition: pinned facts, the task list, changed files, folder instructions. */
    kept: string;
    /** Messages from this index on are sent. */
    keepFrom: number;
    /** Of these, the ones before this index are sent in a shorter form; a higher level means shorter. */
    squeezeUntil: number;
    level: number;
    /** Maximum characters of one text among the messages at that time, if they would not fit otherwise. */
    textLimit?: number;
    /** Files with the full content of shortened prompts, by the prompt's digest. */
    fullTexts?: Readonly<Record<string, string>>;
    /** The number of messages at that time. */
    at: number;
    tokensBefore: number;
    tokensAfter: number;
    /** Author of the summary: a model, or `extract`. `squeeze` if there is none. */
    by: string;
};

/** A conversation as its vendor summarized it: opaque, sent back unchanged, and only to the provider that made it. */
type VendorSummary = {
    provider: string;
    items: readonly unknown[];
};

/** An epoch and the secrets that its messages are sent without: a rewind returns to both. */
type MaskedEpoch = Epoch & {
    masks: readonly SecretMask[];
};

/**
 * A stretch of a conversation whose requests begin with the same bytes. Vendors bind a model's reasoning to what came
 * before it, so a prefix never changes within an epoch, and no reasoning outlives the epoch it was made in.
 */
type Epoch = {
    /** Messages from this index on were made in this epoch. */
    from: number;
    cause: EpochCause;
    /** Which models can continue it: those with the same value. */
    reader: string;
    /** As sent: without the secrets that were known. */
    system: string;
    /** Which compaction it shows, by the number of messages then; absent if none. */
    compactedAt?: number;
    /** Of the conversation before; absent if there is none. */
    summary?: string;
    /** The conversation before, as its vendor summarized it; `summary` then has only what is kept beside it. */
    vendorSummary?: VendorSummary;
    tools: readonly ToolDefinition[];
    /** What the prefix states, to announce only what differs later. */
    stated: Stated;
};

/** Why a prefix was built: at the start, or at a boundary that the user or the window declared. */
type EpochCause = 'start' | 'compaction' | 'uncompact' | 'model' | 'refresh' | 'repair';

/**
 * What was stated about the surroundings, by name (`mode`, `instructions:AGENTS.md`). Long texts are kept as digests:
 * they are only compared.
 */
type Stated = Readonly<Record<string, string>>;

/**
 * A secret of the conversation. It is masked in the messages of a request from this position on. Those before were
 * sent when it was not known yet (`exposed`), and stay as they were sent.
 */
type SecretMask = {
    placeholder: string;
    from: number;
    exposed?: true;
};

/**
 * Where something that the model has read came from. `foreign` text was written by others and may contain
 * orders to the model. The other kinds are private: files of the project, files of the user elsewhere, secrets.
 */
type TextSource = {
    kind: 'foreign' | 'project' | 'user' | 'secret';
    /** As the user is shown it: a URL, a path. */
    name: string;
    /** For foreign text: the addresses of the repository's remotes when it was read, before it could add any. */
    remotes?: readonly string[];
    /** It is the working directory, which the user has not trusted: alone, it can give away nothing but itself. */
    own?: true;
    /** It describes the tools of this MCP server, which may get what their descriptions ask for, within the project. */
    server?: string;
    /** For an imported session: as many of its first messages came with it, and nobody here has typed them. */
    imported?: number;
};

/** The answer to a question about a call, and the name of who gave it. */
type CallDecision = {
    choice: Answer['choice'];
    by: string;
};

/** What the user chose for this session; what is absent follows the settings. */
type SessionChoices = {
    model?: string;
    mode?: PermissionMode;
    effort?: EffortChoice;
    sandbox?: SandboxLevel;
};

/** `worktree`: the folder with the copy of the project that it works in. */
type SubagentOrigin = {
    callId: string;
    agent: string;
    task: string;
    parent?: string;
    worktree?: string;
};

type SessionSummary = Pick<Session, 'id' | 'workingDirectory' | 'startedAt' | 'title' | 'pinned' | 'parent'> & {
    /** Time of the last write. */
    updatedAt: string;
    /** The first line of the first prompt. */
    firstPrompt: string;
    messageCount: number;
    bytes: number;
    /** Null when the price of a model was unknown. */
    costUsd: number | null;
};

/** Costs so far, and their limits. */
type Spending = {
    /** By model, most expensive first. */
    costs(): Promise<{
        scope: LimitScope;
        models: ModelCost[];
    }[]>;
    limits(): Promise<{
        scope: LimitScope;
        limit: Limit;
        used: number;
    }[]>;
    /** Replaces the scope's limits for this conversation; an empty list means no limit. */
    setLimits(scope: LimitScope, limits: readonly Limit[]): void;
};

/** What a limit applies to. */
type LimitScope = 'run' | 'session' | 'day';

/** Usage and cost of one model. `usd` is null where a price is unknown. */
type ModelCost = {
    model: string;
    calls: number;
    usage: Usage;
    usd: number | null;
    /** The vendor omitted some figures. */
    estimated: boolean;
};

/** A maximum. Tokens include all kinds: input, cached and output. */
type Limit = {
    unit: 'usd' | 'tokens' | 'turns';
    amount: number;
};

/** What may happen without asking. A change applies from the next call on. */
type ModeSwitch = {
    get(): PermissionMode;
    set(mode: PermissionMode): void;
    /** Called after every change. Returns a function that removes the listener. */
    onChange(listener: (mode: PermissionMode) => void): () => void;
};

/** The rules, grants and denials in effect, and how to change them. */
type PermissionState = {
    /** The user's rules from the settings. */
    rules(): PermissionRule[];
    /** Those that the user added in this session. */
    addedRules(): readonly PermissionRule[];
    /** Those of the skills and commands in use, until the run ends. */
    promptRules(): readonly PromptRules[];
    /** Throws a `UserError` if it is not a rule. Resolves with warnings. */
    addRule(rule: PermissionRule): Promise<readonly string[]>;
    removeRule(rule: PermissionRule): Promise<void>;
    grants(): readonly Permission[];
    /** Denials that also apply to identical requests. */
    denials(): {
        key: string;
        operation: string;
        because: string;
    }[];
    /** Permanent: an `always` is also removed from the settings. */
    forgetGrant(grant: Permission): Promise<void>;
    forgetDenial(key: string): void;
    /** Trusts this folder from now on; null where that would change nothing, or is not up to this user. */
    trust(): (() => Promise<void>) | null;
};

type PermissionRule = {
    verdict: RuleList;
    pattern: string;
};

/**
 * The rules of a skill or custom command that is in use; `by` names it. They have the power of rules in the
 * user's settings, for calls of the agent that uses it.
 */
type PromptRules = {
    by: string;
    allow: readonly string[];
    deny: readonly string[];
};

/** What the model is shown of the conversation. */
type ContextWindow = {
    use(): Promise<WindowUse>;
    /**
     * `focus` is what the summary should keep above all. Null when nothing is old enough, or it was cancelled.
     */
    compact(focus: string, signal: AbortSignal): Promise<Compacted | null>;
    /** Null when nothing is compacted. */
    uncompact(): Promise<Compacted | null>;
    /**
     * Reads instructions, skills and tools again and begins with them anew: tokens of what was read, and of the next
     * request, which no vendor has cached.
     */
    refresh(): Promise<{
        prefix: number;
        tokens: number;
    }>;
    pins(): readonly string[];
    /** Null, or why the text was rejected. */
    pin(text: string): Promise<string | null>;
    unpin(text: string): Promise<void>;
};

/** How the model's context window is used, in tokens. */
type WindowUse = {
    model: string;
    /** The named account that pays; absent for the default one. */
    account?: string;
    window: number;
    /** The size of a request now. */
    total: number;
    /** Above this, older messages are compacted. */
    compactAt: number;
    parts: {
        name: string;
        tokens: number;
    }[];
    /** The largest messages, largest first. */
    biggest: {
        name: string;
        tokens: number;
    }[];
    /** Blocks of earlier reasoning that the vendor left out since this program started; absent without any. */
    reasoningDropped?: number;
};

type Compacted = {
    before: number;
    after: number;
    by: string;
};

/** How much the vendor's prompt cache is used. */
type PromptCacheUse = {
    /** All replies of the session, as counted by the vendor. */
    session: Usage;
    /** Null before the first reply. */
    last: Usage | null;
    /** The last request compared with the previous one; null before there are two. */
    compared: {
        gapMs: number;
        difference: {
            block: string;
            character: number;
        } | null;
    } | null;
    /** What the cache could have served and did not, oldest first. */
    misses: readonly {
        reason: string;
        tokens: number;
        costUsd: number | null;
    }[];
};

/** Figures of a session so far, including earlier processes. */
type SessionFigures = {
    runs: number;
    turns: number;
    ms: number;
    /** Of each request to a model, oldest first. */
    requests: readonly {
        usage: Usage;
        usd: number | null;
    }[];
    /** How long models took to answer. */
    answered: Count;
    /** Most used first. */
    tools: readonly (Count & {
        name: string;
    })[];
    caches: readonly {
        name: string;
        hits: number;
        misses: number;
    }[];
};

/** How often an operation ran, how often it failed, and its total duration. */
type Count = {
    calls: number;
    failed: number;
    ms: number;
};

/** Access to the log, for diagnosis. */
type LogAccess = {
    file: string;
    level: string;
    /** From all sessions, latest last. */
    warnings(count: number): Promise<readonly {
        timestamp: string;
        level: string;
        message: string;
    }[]>;
};

/** Notes kept across sessions. */
type Memory = {
    folder: string;
    list(): RememberedNote[];
    remember(kind: RememberedNote['kind'], text: string): Promise<NotNoted>;
    /** Extracts notes from this conversation now. Null when no model is available. */
    learn(signal: AbortSignal): Promise<RememberedNote[] | null>;
    edit(note: RememberedNote, text: string): Promise<NotNoted>;
    forget(note: RememberedNote): Promise<NotNoted>;
    pin(note: RememberedNote, pinned: boolean): Promise<NotNoted>;
    suggestions(): Promise<Suggestion[]>;
    /** Remembers commands that tested or built the project, and forgets those that no longer exist. */
    noteChecks(checks: readonly {
        name: string;
        exitCode: number | null;
    }[]): Promise<void>;
};

/** A note about the user or this project. */
type RememberedNote = {
    kind: 'user' | 'context' | 'decisions' | 'learnings' | 'commands' | 'corrections';
    text: string;
    /** When it was saved; null if a person wrote it into the file. */
    date: string | null;
    /** Sent in every session and never expires. */
    pinned: boolean;
};

/** Why a text was not saved, or null when it was. */
type NotNoted = 'known' | 'secret' | 'gone' | null;

/** A suggestion drawn from past sessions. Nothing changes before `apply`. */
type Suggestion = {
    what: 'rule' | 'convention' | 'instruction';
    text: string;
    because: string;
    apply(): Promise<void>;
    /** It is not suggested again until there is new evidence. */
    dismiss(): Promise<void>;
};

type McpServers = {
    list(): McpServerState[];
    /** Resolves when it is ready or has failed; false when there is no such server. */
    restart(name: string): Promise<boolean>;
    /** `show` is called with the URL the user must visit. */
    login(name: string, show: (url: string) => void): Promise<void>;
    /** The servers' prompts as slash commands. */
    commands(): readonly SlashCommand[];
    /** Resolves when all servers are ready or have failed, or after some seconds. */
    settled(): Promise<void>;
    /** A prompt with its `@server:uri` references resolved. */
    withResources(content: UserMessage['content']): Promise<UserMessage['content']>;
};

/** One MCP server as shown to the user. `trouble` says why it is not ready. */
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
    /** Its recent log output. */
    log: readonly string[];
};

/** For `/lsp`. */
type LanguageServers = {
    /** Why none is used; empty if they may be. */
    off: string;
    /** Servers of the settings whose programs were not found, each as a line. */
    missing: readonly string[];
    list(): LanguageServerState[];
    /** Starts it again, also after it crashed too often; false when there is no such server. */
    restart(name: string): Promise<boolean>;
};

/** One language server as shown to the user. `trouble` says why it does not run. */
type LanguageServerState = {
    name: string;
    language: string;
    root: string;
    program: string;
    phase: 'idle' | 'starting' | 'ready' | 'failed';
    trouble: string;
    documents: number;
    restarts: number;
    sandbox: string;
};

/** A git repository, used only on the user's request. */
type Repository = {
    /** The folder that was opened in it. */
    folder: string;
    /** Null outside a repository. */
    state(): Promise<RepositoryState | null>;
    /** Stages changes to tracked files. */
    stageChanged(): Promise<void>;
    /** A commit message for the staged changes, written by a model. */
    draft(wishes: string): Promise<string>;
    /** Runs the user's hooks, as git would. */
    commit(message: string): Promise<{
        success: boolean;
        output: string;
    }>;
    switchTo(branch: string, options: {
        create: boolean;
    }): Promise<void>;
    /** Runs a read-only subagent; null when there is nothing to review. */
    review(wanted: string): Promise<{
        what: string;
        text: string;
    } | null>;
    /** Interrupts the model's work here; false when there is none. */
    interrupt(): boolean;
};

/** State of a git repository. `branch` is null for a detached HEAD; `hooks` would run on commit. */
type RepositoryState = {
    branch: string | null;
    /** Most recently committed to first. */
    branches: string[];
    staged: string[];
    unstaged: string[];
    untracked: string[];
    hooks: string[];
};

/** Plugins and commands added by users and projects. */
type Extensions = {
    /** Resolves when they are loaded. */
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
    /** From plugins and Markdown files; those from plugins appear once loaded. */
    commands(): readonly SlashCommand[];
    /** The prompt for a line such as `/name args`; null when no Markdown file has that name. */
    promptFor(line: string): Promise<{
        content: UserMessage['content'];
        options: RunOptions;
    } | null>;
};

/** A plugin as shown to the user; `trouble` says why it was not loaded. */
type PluginState = {
    name: string;
    version: string;
    place: string;
    trouble: string;
    tools: readonly string[];
    hooks: readonly string[];
    commands: readonly string[];
};

/**
 * For one run only: another model, and the only tools it may use. `command` is the custom command or skill that the
 * prompt comes from: what its file allows and forbids applies to the run.
 */
type RunOptions = {
    model?: string;
    tools?: readonly string[];
    command?: string;
};

/** How hard the model thinks. A change applies from the next request on. */
type EffortSwitch = {
    get(): EffortChoice;
    set(choice: EffortChoice): void;
    /** The current model, and what it accepts. */
    model(): string;
    levels(): EffortLevels;
    /** The level of the current model that is used; undefined for its default, or if it has none. */
    used(): Effort | undefined;
    /** Returns a function that removes the listener. */
    onChange(listener: (choice: EffortChoice) => void): () => void;
};

/** What a model accepts. Without `none`, its thinking cannot be turned off; without any level, it has no effort setting. */
type EffortLevels = {
    levels: readonly Effort[];
    default?: Effort;
    /** A prompt may change it without losing the vendor's prompt cache. */
    perMessage?: true;
};

/** How the model answers; a change applies from the next request on. */
type OutputStyles = {
    list(): readonly {
        name: string;
        description: string;
        source: 'built-in' | 'user' | 'project' | 'plugin';
    }[];
    /** The name of the selected one. */
    current(): string;
    /** False if there is no such style. */
    select(name: string): boolean;
};

/** A setting that is not at its default, and where it was set. */
type SettingState = {
    key: string;
    value: string;
    origin: string;
};

/** The result of one check. `next` says what to do about it. */
type HealthCheck = {
    name: string;
    state: 'ok' | 'warn' | 'bad';
    text: string;
    next?: string;
};

/** An error the user can fix: printed as a sentence and a next step, never with a stack trace. */
declare class UserError extends Error {
    name: string;
    readonly hint: string;
    /** The exit code it causes; most are usage errors. */
    readonly exit: 'usage' | 'error';
    constructor(message: string, hint: string, options?: ErrorOptions & {
        exit?: 'usage' | 'error';
    });
}

/**
 * Binds a tool's functions to the type its schema yields, then erases that type so that all tools fit in one
 * list. The schema is created on first use: creating all of them would delay every start.
 */
declare function defineTool<Schema extends z.ZodType>(tool: Omit<Tool<z.output<Schema>>, 'input'> & {
    input: () => Schema;
}): Tool;

/** An error the model can fix: say what is wrong and what to do next. */
declare function fail(error: string, extra?: ResultExtras): ToolResult;

declare function ok(output: string, extra?: ResultExtras & {
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
