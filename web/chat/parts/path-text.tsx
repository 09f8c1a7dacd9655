import { visible } from '../text/visible.ts';

/** A path that loses the middle of its folders, never its name, where there is little room. */
export function PathText({ path }: { path: string }) {
  const name = path.split('/').at(-1) ?? path;
  const folder = path.slice(0, path.length - name.length);
  return (
    <span class="path" title={visible(path)}>
      <span class="offscreen">{visible(path)}</span>
      <span class="folder" aria-hidden="true">
        {visible(folder)}
      </span>
      <span class="file-name" aria-hidden="true">
        {visible(name)}
      </span>
    </span>
  );
}
