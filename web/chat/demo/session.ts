import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import type { ChatEvent, PermissionAsked } from '../connection.ts';
import { CWD } from './lists.ts';

export { changes, sessions } from './lists.ts';

export const opened: ChatEvent[] = [
  { type: 'connection', state: 'online' },
  {
    type: 'session',
    session: {
      id: 'demo',
      title: 'Reject expired sign-in tokens',
      cwd: CWD,
      modes: {
        currentModeId: 'default',
        availableModes: [
          {
            id: 'read-only',
            name: 'Read-only',
            description: 'Reads files; never writes or runs commands that do',
          },
          { id: 'plan', name: 'Plan', description: 'Reads and plans; changes nothing' },
          { id: 'default', name: 'Ask', description: 'Asks before changes and risky commands' },
          {
            id: 'accept-edits',
            name: 'Accept edits',
            description: 'Changes files in this folder without asking',
          },
          { id: 'auto', name: 'Auto', description: 'Never asks; what would need approval is refused' },
        ],
      },
      configOptions: [
        {
          id: 'model',
          name: 'Model',
          category: 'model',
          type: 'select',
          currentValue: 'claude-sonnet-5',
          options: [
            {
              group: 'anthropic',
              name: 'Anthropic',
              options: [
                { value: 'claude-opus-5', name: 'Claude Opus 5', description: '1M context, $5 / $25' },
                { value: 'claude-sonnet-5', name: 'Claude Sonnet 5', description: '1M context, $3 / $15' },
              ],
            },
            {
              group: 'local',
              name: 'Ollama',
              options: [
                { value: 'qwen3-coder', name: 'qwen3-coder:30b', description: 'runs on this machine' },
              ],
            },
          ],
        },
        {
          id: 'effort',
          name: 'Reasoning effort',
          category: 'thought_level',
          type: 'select',
          currentValue: 'default',
          options: [
            { value: 'default', name: 'Default' },
            { value: 'high', name: 'High' },
          ],
        },
      ],
    },
  },
  update({
    sessionUpdate: 'available_commands_update',
    availableCommands: [
      {
        name: 'compact',
        description: 'Summarize the conversation to free context',
        input: { hint: '[what to keep]' },
      },
      { name: 'cost', description: 'Show what this session has cost' },
      { name: 'review', description: 'Review the uncommitted changes' },
      { name: 'undo', description: 'Undo the file changes of the last run' },
    ],
  }),
];

function update(value: SessionUpdate, at?: number): ChatEvent {
  return at === undefined ? { type: 'update', update: value } : { type: 'update', update: value, at };
}

function says(
  kind: 'user' | 'agent_message' | 'agent_thought',
  text: string,
  messageId: string,
  at?: number,
): ChatEvent[] {
  const sessionUpdate =
    kind === 'user'
      ? 'user_message_chunk'
      : kind === 'agent_message'
        ? 'agent_message_chunk'
        : 'agent_thought_chunk';
  return (
    text
      .match(/[\s\S]{1,24}/g)
      ?.map((part) =>
        update({ sessionUpdate, content: { type: 'text', text: part }, messageId } as SessionUpdate, at),
      ) ?? []
  );
}

function text(value: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text: value } };
}

type CallFacts = {
  id: string;
  title: string;
  kind: string;
  path?: string;
  line?: number;
  content?: ToolCallContent[];
  took?: number;
  status?: string;
};

function call(
  { id, title, kind, path, line, content = [], took = 300, status = 'completed' }: CallFacts,
  at: number,
): ChatEvent[] {
  const locations = path ? [{ path: `${CWD}/${path}`, line: line ?? null }] : [];
  return [
    update(
      {
        sessionUpdate: 'tool_call',
        toolCallId: id,
        title,
        kind,
        status: 'in_progress',
        locations,
      } as SessionUpdate,
      at,
    ),
    update(
      { sessionUpdate: 'tool_call_update', toolCallId: id, status, content } as SessionUpdate,
      at + took,
    ),
  ];
}

const OLD = `  const token = parse(header);
  if (token === null) return null;
  return { user: token.sub };
}
`;
const NEW = `  const token = parse(header);
  if (token === null) return null;
  if (token.exp * 1000 <= now()) return null;
  return { user: token.sub };
}
`;

const TESTS = `$ npm test -- auth
✓ accepts a valid token (4 ms)
✓ refuses a token without a signature (1 ms)
✓ refuses a token of another issuer (1 ms)
✓ refuses a token of another audience (1 ms)
✓ reads the token from the cookie (2 ms)
✓ prefers the header to the cookie (1 ms)
✓ renews a token shortly before its end (3 ms)
✓ logs out everywhere (2 ms)
✓ keeps the session of another device (2 ms)
✗ refuses an expired token (6 ms)

  AssertionError: expected { user: 'ana' } to be null
    at test/auth.test.ts:48:23

Tests  1 failed | 9 passed (10)
Time   1.84s
`;

const ANSWER = `The token's \`exp\` was read but never compared with the clock. It is checked in \`src/auth.ts:42\` now, and the failing test passes.

### What changed

1. \`currentUser\` returns \`null\` for a token that has expired.
2. The clock is a parameter, so the test does not wait:

\`\`\`ts
export function currentUser(header: string, now = Date.now): User | null {
  const token = parse(header); // throws nothing
  if (token === null) return null;
  if (token.exp * 1000 <= now()) return null;
  return { user: token.sub };
}
\`\`\`

| case | before | now |
| --- | --- | --- |
| expired an hour ago | signed in | refused |
| expires this second | signed in | refused |
| valid | signed in | signed in |

> Sessions that are open keep their cookie until the next request.

See [RFC 7519](https://datatracker.ietf.org/doc/html/rfc7519#section-4.1.4) for what \`exp\` means.
`;

const T = 1_700_000_000_000;

/** What has happened when the question below is asked. */
export const work: ChatEvent[] = [
  ...says(
    'user',
    'Users stay signed in after their token expired. Find out why and fix it, with a test.',
    'u1',
  ),
  { type: 'turn_started' },
  ...says(
    'agent_thought',
    'The user says that expired tokens are accepted. I should look at how tokens are read.',
    'm1',
    T,
  ),
  ...says('agent_thought', ' First the auth module.', 'm1', T + 4_200),
  ...says('agent_message', "I'll look at how the token is read first.", 'm1'),
  ...call(
    {
      id: 'c1',
      title: 'Search exp in src',
      kind: 'search',
      content: [text('src/auth.ts\nsrc/token.ts\ntest/auth.test.ts')],
    },
    T,
  ),
  ...call(
    { id: 'c2', title: 'Read src/auth.ts', kind: 'read', path: 'src/auth.ts', content: [text('…')] },
    T,
  ),
  ...call(
    { id: 'c3', title: 'Read src/token.ts', kind: 'read', path: 'src/token.ts', content: [text('…')] },
    T,
  ),
  update({
    sessionUpdate: 'plan',
    entries: [
      { content: 'Reproduce with a test', priority: 'medium', status: 'completed' },
      { content: 'Compare exp with the clock in currentUser', priority: 'medium', status: 'in_progress' },
      { content: 'Run the tests of auth', priority: 'medium', status: 'pending' },
      { content: 'Check other users of parse()', priority: 'medium', status: 'pending' },
    ],
  }),
  ...says('agent_message', 'Nothing compares `exp` with the clock. A test first:', 'm2'),
  ...call(
    {
      id: 'c4',
      title: 'npm test -- auth',
      kind: 'execute',
      content: [text(`\`\`\`\n${TESTS}\`\`\``)],
      took: 2_640,
      status: 'failed',
    },
    T,
  ),
  update({
    sessionUpdate: 'usage_update',
    used: 68_400,
    size: 200_000,
    cost: { amount: 0.42, currency: 'USD' },
  }),
];

const diff: ToolCallContent = {
  type: 'diff',
  path: `${CWD}/src/auth.ts`,
  oldText: OLD,
  newText: NEW,
  _meta: { aca: { line: 39, oldLine: 39 } },
};

const question: PermissionAsked = {
  requestId: 'r1',
  toolCall: {
    toolCallId: 'c5',
    title: 'Edit src/auth.ts?',
    kind: 'edit',
    status: 'pending',
    content: [diff],
  },
  options: [
    { optionId: 'once', kind: 'allow_once', name: 'Yes' },
    { optionId: 'session', kind: 'allow_always', name: 'Yes, for this session: Edit(src/**)' },
    { optionId: 'no', kind: 'reject_once', name: 'No' },
  ],
};

export const asked: ChatEvent[] = [
  update({
    sessionUpdate: 'tool_call',
    toolCallId: 'c5',
    title: 'Edit src/auth.ts',
    kind: 'edit',
    status: 'pending',
    content: [diff],
    locations: [{ path: `${CWD}/src/auth.ts`, line: 41 }],
  }),
  { type: 'permission_asked', request: question },
];

export const command: PermissionAsked = {
  requestId: 'r2',
  toolCall: {
    toolCallId: 'c6',
    title: 'Run a command?',
    kind: 'execute',
    content: [
      text('```\ngit push --force origin main && rm -rf dist/\n```'),
      text(
        'Asked because: it rewrites published history.\n- `git push --force origin main`: rewrites a remote branch\n- `rm -rf dist/`: deletes a folder',
      ),
    ],
  },
  options: question.options.map((option) =>
    option.optionId === 'session' ? { ...option, name: 'Yes, for this session: git push *' } : option,
  ),
};

/** The rest of the turn. */
export const done: ChatEvent[] = [
  { type: 'permission_settled', requestId: 'r1', optionId: 'once' },
  update({ sessionUpdate: 'tool_call_update', toolCallId: 'c5', status: 'completed' }),
  ...call({ id: 'c7', title: 'Review the change', kind: 'think', took: 8_400 }, T),
  update({
    sessionUpdate: 'tool_call',
    toolCallId: 'c8',
    title: 'Search parse( in src',
    kind: 'search',
    status: 'completed',
    _meta: { aca: { parent: 'c7' } },
  }),
  update({
    sessionUpdate: 'tool_call',
    toolCallId: 'c9',
    title: 'Read src/middleware.ts',
    kind: 'read',
    status: 'completed',
    _meta: { aca: { parent: 'c7' } },
  }),
  ...call(
    {
      id: 'c10',
      title: 'npm test -- auth',
      kind: 'execute',
      content: [text('```\n✓ refuses an expired token (2 ms)\nTests  10 passed (10)\n```')],
      took: 1_900,
    },
    T,
  ),
  ...says('agent_message', ANSWER, 'm3'),
  update({
    sessionUpdate: 'plan',
    entries: [
      'Reproduce with a test',
      'Compare exp with the clock in currentUser',
      'Run the tests of auth',
      'Check other users of parse()',
    ].map((content) => ({
      content,
      priority: 'medium',
      status: 'completed',
    })),
  }),
  { type: 'turn_ended', stopReason: 'end_turn' },
];
