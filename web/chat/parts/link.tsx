import type { ComponentChildren } from 'preact';
import { useChat } from '../context.ts';
import type { LinkTarget } from '../text/link-target.ts';

/** Opens through the connection; without a target, or an editor for a file, it is plain text. */
export function Link({ target, children }: { target: LinkTarget | null; children: ComponentChildren }) {
  const { connection, run } = useChat();
  if (target?.type === 'web') {
    const open = (event: Event) => {
      event.preventDefault();
      run(connection.openLink(target.url));
    };
    return (
      <a href={target.url} title={target.url} rel="noopener noreferrer" target="_blank" onClick={open}>
        {children}
      </a>
    );
  }
  const { openFile } = connection;
  if (target === null || !openFile) return <>{children}</>;
  const place = target.line === undefined ? target.path : `${target.path}:${target.line}`;
  return (
    <button
      type="button"
      class="link"
      title={`Open ${place}`}
      onClick={() => run(connection.openFile?.(target.path, target.line) ?? Promise.resolve())}
    >
      {children}
    </button>
  );
}
