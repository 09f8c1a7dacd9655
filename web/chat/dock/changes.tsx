import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChangedFile, ChangedHunk } from '../connection.ts';
import { useChat, useFold } from '../context.ts';
import { countChanges, rowsOf } from '../diff/diff-rows.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { Icon } from '../parts/icon.tsx';
import { PathText } from '../parts/path-text.tsx';
import { plural, shortPath } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { Counts, OpenDiff } from '../transcript/call-content.tsx';

/** What the session changed, file by file, to accept or revert. `version` says when to ask again. */
export function Changes({ version, cwd, isWatching }: { version: number; cwd: string; isWatching: boolean }) {
  const { connection, run } = useChat();
  const [files, setFiles] = useState<ChangedFile[]>([]);
  const [isOpen, toggle] = useFold('changes', false);
  useEffect(() => {
    let isGone = false;
    const loaded = connection.changes().then((found) => isGone || setFiles(found));
    // The changes of a session that is not open are not known.
    run(isWatching ? loaded.catch(() => undefined) : loaded);
    return () => {
      isGone = true;
    };
  }, [connection, run, version, isWatching]);
  const counts = useMemo(() => total(files), [files]);
  if (files.length === 0) return null;
  return (
    <section class="panel changes" aria-label="Changes">
      <div class="panel-row">
        <button type="button" class="panel-head" onClick={toggle} aria-expanded={isOpen}>
          <Icon name="edit" />
          <span class="panel-title">
            {plural(files.length, 'file')}
            <span class="wide"> changed</span>
          </span>
          <Counts {...counts} />
          <span class={isOpen ? 'fold open' : 'fold'}>
            <Icon name="chevron" />
          </span>
        </button>
        {!isWatching && <Decide files={files} names={['Revert all', 'Accept all']} />}
      </div>
      {isOpen && (
        <div class="panel-body">
          {files.map((file) => (
            <FileChanges key={file.path} file={file} cwd={cwd} isWatching={isWatching} />
          ))}
        </div>
      )}
    </section>
  );
}

type FileProps = { file: ChangedFile; cwd: string; isWatching: boolean };

function FileChanges({ file, cwd, isWatching }: FileProps) {
  const [isOpen, toggle] = useFold(`changes:${file.path}`, false);
  const name = visible(shortPath(file.path, cwd));
  const status = file.status === 'modified' ? null : file.status === 'added' ? 'New' : 'Deleted';
  return (
    <div class="changed-file">
      <div class="panel-row">
        <button type="button" class="panel-head" onClick={toggle} aria-expanded={isOpen}>
          <span class={isOpen ? 'fold open' : 'fold'}>
            <Icon name="chevron" />
          </span>
          <span class="panel-title">
            <PathText path={shortPath(file.path, cwd)} />
          </span>
          {status && <span class="muted">{status}</span>}
          <Counts {...total([file])} />
        </button>
        <OpenDiff path={file.path} name={name} />
        {!isWatching && <Decide files={[file]} names={['Revert', 'Accept']} of={name} />}
      </div>
      {isOpen &&
        file.hunks.map((hunk) => (
          <div key={hunk.id} class="hunk">
            <DiffView
              rows={rowsOf(hunk.lines, { oldLine: hunk.oldStart, newLine: hunk.newStart })}
              label={`Change in ${name}, line ${hunk.newStart}`}
            />
            {!isWatching && file.hunks.length > 1 && (
              <Decide
                files={[{ ...file, hunks: [hunk] }]}
                names={['Revert', 'Accept']}
                of={`${name}, line ${hunk.newStart}`}
              />
            )}
          </div>
        ))}
    </div>
  );
}

type DecideProps = { files: readonly ChangedFile[]; names: [revert: string, accept: string]; of?: string };

/** Buttons that revert or accept; missing where the connection cannot. */
function Decide({ files, names: [revert, accept], of = '' }: DecideProps) {
  const { connection, run } = useChat();
  const [isBusy, setBusy] = useState(false);
  const forEach = (decide: (path: string, ids: string[]) => Promise<void>) => {
    setBusy(true);
    const done = async () => {
      for (const { path, hunks } of files)
        await decide(
          path,
          hunks.map(({ id }: ChangedHunk) => id),
        );
    };
    run(done().finally(() => setBusy(false)));
  };
  const { revertHunks, acceptHunks } = connection;
  return (
    <span class="decide">
      {revertHunks && (
        <button
          type="button"
          class="quiet small"
          disabled={isBusy}
          aria-label={`${revert} ${of}`.trim()}
          onClick={() => forEach(revertHunks.bind(connection))}
        >
          {revert}
        </button>
      )}
      {acceptHunks && (
        <button
          type="button"
          class="quiet small accept"
          disabled={isBusy}
          aria-label={`${accept} ${of}`.trim()}
          onClick={() => forEach(acceptHunks.bind(connection))}
        >
          {accept}
        </button>
      )}
    </span>
  );
}

function total(files: readonly ChangedFile[]): { added: number; removed: number } {
  const rows = files.flatMap(({ hunks }) =>
    hunks.flatMap(({ lines }) => rowsOf(lines, { oldLine: null, newLine: null })),
  );
  return countChanges(rows);
}
