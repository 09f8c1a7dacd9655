import { pickerDialog } from '../components/picker.ts';
import type { DialogDesk } from '../dialog-queue.ts';
import type { PagerScreen } from '../pager/pager-screen.ts';
import { inTreeOrder } from '../view/subagents.ts';
import type { ViewStore } from '../view/view-store.ts';

const WHOLE = '';

type Parts = { store: ViewStore; dialogs: DialogDesk; pager: PagerScreen };

/** Opens the conversation in the pager; while subagents work, the user may choose one of theirs. */
export async function openTranscript({ store, dialogs, pager }: Parts): Promise<void> {
  const subagents = inTreeOrder(store.view.subagents).flatMap(({ path, name }) => {
    const transcript = pager.subagent(path);
    return transcript ? [{ id: path.join(' '), label: name, transcript }] : [];
  });
  if (subagents.length === 0) return pager.open();
  const picked = await dialogs.show(
    pickerDialog({
      title: 'Which conversation?',
      none: '',
      takes: 'open',
      items: [{ id: WHOLE, label: 'This session' }, ...subagents.map(({ id, label }) => ({ id, label }))],
      search: 'none',
    }),
  );
  if (!picked) return;
  const chosen = subagents.find(({ id }) => id === picked.id);
  await pager.open(chosen ? { transcript: chosen.transcript } : {});
}
