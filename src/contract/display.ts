/** How a result looks to eyes. Faces switch on `kind`, never on a tool's name. */
export type Display =
  | { kind: 'text'; text: string }
  /** `patch` is a unified diff; `added` and `removed` count lines. */
  | { kind: 'diff'; path: string; patch: string; added: number; removed: number }
  | { kind: 'command'; command: string; exitCode: number | null; output: string }
  | { kind: 'files'; paths: string[]; total: number };
