/** How a result is shown to people. Frontends switch on `kind`, never on a tool's name. */
export type Display =
  | { kind: 'text'; text: string }
  /** `patch` is a unified diff; `added` and `removed` count lines. */
  | { kind: 'diff'; path: string; patch: string; added: number; removed: number }
  | { kind: 'command'; command: string; exitCode: number | null; output: string }
  | { kind: 'files'; paths: string[]; total: number }
  /** Diffs of several files as one change. */
  | { kind: 'diffs'; diffs: { path: string; patch: string; added: number; removed: number }[] }
  | { kind: 'todos'; items: { text: string; status: 'pending' | 'in_progress' | 'done' }[] };
