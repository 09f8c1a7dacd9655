import { projectReadings, userReadings } from '../../config/other-assistants/find.ts';
import { isThere } from '../../config/other-assistants/other-files.ts';
import { type Reading, readableNote } from '../../config/other-assistants/read.ts';
import type { Support } from '../../config/other-assistants/table.ts';
import { supportTables } from '../../config/other-assistants/tables.ts';
import { type AssistantName, assistantNames } from '../../config/schema/other-assistants.ts';
import { projectContent, projectRoot } from '../../config/trust.ts';
import { homeFolder } from '../../lib/files/data-root.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';

/** Whether a settings file is used, and if not, why. */
type FileState = 'used' | 'undecided' | 'untrusted' | 'not wanted';

/** A file, key or folder of another assistant, and whether it works here. */
type Found = { what: string; support: Support; note: string };

type FoundFile = {
  file: string;
  /** In the user's home folder, as opposed to the project. */
  isPersonal: boolean;
  state: FileState;
  keys: Found[];
  /** What could not be used, with its place. */
  problems: string[];
  reading: Reading;
};

/** What another assistant has in the user's home folder and in the project. */
export type Belongings = {
  assistant: AssistantName;
  name: string;
  settings: FoundFile[];
  /** Instructions, commands, skills and the like. */
  files: Found[];
};

type Known = Pick<Settings, 'config' | 'root' | 'trusted'>;

/** What is there of each other assistant; those without anything are left out. */
export function findBelongings({ config, root, trusted }: Known, { env, cwd }: Host): Belongings[] {
  const folders = [...new Set([cwd, projectRoot(cwd)])];
  const personal = userReadings({ env, folders }, {}).map((reading): FoundFile => {
    const consent = config.otherAssistants[reading.assistant];
    const state = consent === undefined ? 'undecided' : consent === 'use' ? 'used' : 'not wanted';
    return { ...fileOf(reading), isPersonal: true, state };
  });
  const ofProject = projectReadings(projectContent(cwd, root), env).map(
    (reading): FoundFile => ({
      ...fileOf(reading),
      isPersonal: false,
      state: trusted ? 'used' : 'untrusted',
    }),
  );
  const all = [...personal, ...ofProject];
  return assistantNames
    .map((assistant) => ({
      assistant,
      name: supportTables[assistant].name,
      settings: all.filter(({ reading }) => reading.assistant === assistant),
      files: otherFiles(assistant, { home: homeFolder(env), folders }),
    }))
    .filter(({ settings, files }) => settings.length + files.length > 0);
}

function fileOf(reading: Reading): Omit<FoundFile, 'isPersonal' | 'state'> {
  const { file, findings, notices } = reading;
  const keys = findings.map(({ key, support, note }) => ({ what: key, support, note: readableNote(note) }));
  return { file, keys, problems: notices, reading };
}

/** Paths in the tables that belong to this assistant alone. */
const OWN: Readonly<Record<AssistantName, RegExp>> = {
  claude: /^(~\/)?(\.claude|CLAUDE)/,
  codex: /^(~\/)?\.codex/,
  gemini: /^(~\/)?(\.gemini|GEMINI)/,
  cursor: /^(~\/)?\.cursor/,
  opencode: /^(~\/\.config\/opencode|~\/\.local\/share\/opencode|\.opencode)/,
};

function otherFiles(
  assistant: AssistantName,
  { home, folders }: { home: string; folders: string[] },
): Found[] {
  const rows = supportTables[assistant].others.flatMap((section) => section.rows);
  return rows
    .filter(({ what }) => OWN[assistant].test(what) && isThere(what, { home, folders }))
    .map(({ what, support, note }) => ({ what, support, note: readableNote(note) }));
}
