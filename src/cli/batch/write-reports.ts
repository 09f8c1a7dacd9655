import path from 'node:path';
import { exported } from '../../app/conversation/export-file.ts';
import { redactedSession } from '../../app/conversation/redact-session.ts';
import { loadSettings, sessionStore } from '../../app/settings.ts';
import type { OpenBatch } from '../../fleet/batch/batch-store.ts';
import { reportOf, toHtml, toMarkdown } from '../../fleet/batch/report.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';

/** The report, with a transcript of each task beside it. */
export async function writeReports(batch: OpenBatch, terminal: Terminal): Promise<void> {
  const report = reportOf(batch.state, await writeTranscripts(batch, terminal));
  await batch.write(batch.files.markdown, toMarkdown(report));
  await batch.write(batch.files.html, toHtml(report));
}

/** By task, without secrets. Sessions of other machines stay there. */
async function writeTranscripts(batch: OpenBatch, terminal: Terminal): Promise<Map<string, string>> {
  const settings = loadSettings({}, terminal);
  const store = sessionStore(settings);
  const { transcripts } = batch.files;
  makePrivateFolder(transcripts);
  const files = new Map<string, string>();
  for (const { task, session: id } of batch.state.results.values()) {
    // The batch is done, whatever became of a session.
    const session = id === undefined ? null : await store.read(id).catch(() => null);
    if (!session) continue;
    const file = path.join(transcripts, `${task}.html`);
    await batch.write(file, await exported(redactedSession(session, { settings, host: terminal }), 'html'));
    files.set(task, path.relative(batch.folder, file));
  }
  return files;
}
