import { useEffect, useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../parts/copy-button.tsx';
import { highlightNow, isHighlightLoaded, loadHighlight } from './highlight.ts';

type Props = { code: string; language: string; isOpen?: boolean };

/** Code with its language and a button that copies it. It gets its colours when it is complete. */
export function CodeBlock({ code, language, isOpen = false }: Props) {
  const isLoaded = useHighlight(language !== '');
  const pieces = useMemo(
    () => (isOpen || !isLoaded ? null : highlightNow(code, language.toLowerCase())),
    [code, language, isOpen, isLoaded],
  );
  return (
    <div class="code-block">
      <div class="code-head">
        <span>{language}</span>
        <CopyButton text={code} label="Copy code" />
      </div>
      <pre tabIndex={0}>
        <code>
          {pieces?.map(({ text, scope }, index) =>
            scope === '' ? (
              text
            ) : (
              <span key={index} class={`hl-${scope}`}>
                {text}
              </span>
            ),
          ) ?? code}
        </code>
      </pre>
    </div>
  );
}

function useHighlight(isWanted: boolean): boolean {
  const [isLoaded, setLoaded] = useState(isHighlightLoaded());
  useEffect(() => {
    if (!isWanted || isLoaded) return;
    let isGone = false;
    // Without colours the code is still readable.
    loadHighlight().then(
      () => isGone || setLoaded(true),
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [isWanted, isLoaded]);
  return isLoaded;
}
