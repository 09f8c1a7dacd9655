import type { CommandContext } from '../../../contract/command.ts';
import type { SessionSummary } from '../../../contract/session.ts';
import { ago } from '../../../lib/text/ago.ts';
import { counted } from '../../../lib/text/counted.ts';
import { visibleText } from '../../../lib/text/visible-text.ts';
import { pickerDialog } from '../components/picker.ts';
import { rowsOf } from '../dialogs/look.ts';
import type { PickItem } from '../dialogs/picker.ts';
import type { Pickers } from './pickers.ts';

type Place = { cwd: string; current?: string };

/** Sessions of this folder first; the others show their folder. */
function sessionItems(
  sessions: readonly SessionSummary[],
  { cwd, current }: Place,
  now = Date.now(),
): PickItem[] {
  const here = sessions.filter(({ workingDirectory }) => workingDirectory === cwd);
  const elsewhere = sessions.filter(({ workingDirectory }) => workingDirectory !== cwd);
  return [...here, ...elsewhere].map((summary) => {
    const { id, title, firstPrompt, updatedAt, messageCount, workingDirectory } = summary;
    const facts = [
      ago(updatedAt, now),
      counted(messageCount, 'message'),
      ...(workingDirectory === cwd ? [] : [workingDirectory]),
    ];
    return {
      id,
      label: title ?? (firstPrompt || '(no prompt)'),
      detail: facts.join(' · '),
      words: `${id} ${firstPrompt} ${workingDirectory}`,
      ...(id === current && { current: true as const }),
    };
  });
}

type Choosing = Place & { sessions: readonly SessionSummary[]; title: string };

/** Lets the user select a session, with search and preview; null when none was selected. */
export async function chooseSession(
  { sessions, title, ...place }: Choosing,
  desk: Pick<Pickers, 'show' | 'sessions'>,
): Promise<string | null> {
  const items = sessionItems(sessions, place);
  const byId = new Map(items.map((item) => [item.id, item]));
  const picked = await desk.show(
    pickerDialog({
      title,
      none: 'No sessions yet.',
      takes: 'resume',
      items,
      search: 'typed',
      find: async (query) => {
        const hits = await desk.sessions.search(query);
        return hits.flatMap(({ id, line }) => {
          const item = byId.get(id);
          return item ? [{ ...item, detail: `“${line}”` }] : [];
        });
      },
      preview: async (id, { columns, look }) => [
        [{ text: '─'.repeat(columns), style: look.quiet }],
        ...rowsOf(visibleText(await desk.sessions.glimpse(id)).replaceAll('\t', '    '), columns, look.quiet),
      ],
    }),
  );
  return picked?.id ?? null;
}

/** `/resume` and `/sessions` without a name. */
export async function resumeByPicking(context: CommandContext, desk: Pickers): Promise<void> {
  const { sessions, cwd } = context;
  const current = sessions.session.id;
  const id = await chooseSession({ sessions: sessions.list(), cwd, current, title: 'Sessions' }, desk);
  if (id !== null && id !== current) await sessions.goTo(id);
}
