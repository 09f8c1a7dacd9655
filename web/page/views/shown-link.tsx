import { useEffect, useState } from 'preact/hooks';
import { copyText } from '../../chat/parts/copy-button.tsx';

/** A link to pass on: to copy, and as a QR code. It is not shown again. */
export function ShownLink({ link, role }: { link: string; role: string }) {
  const [said, setSaid] = useState('');
  const [code, setCode] = useState<boolean[][]>([]);
  useEffect(() => {
    setSaid('');
    void import('uqr').then(({ encode }) => setCode(encode(link, { border: 2, ecc: 'L' }).data));
  }, [link]);
  const copy = () =>
    copyText(link).then(
      () => setSaid('Copied.'),
      (error: Error) => setSaid(error.message),
    );
  return (
    <section class="shown-link" aria-label="New invitation">
      <QrCode rows={code} />
      <div>
        <p>
          <strong>{role === 'viewer' ? 'A link to watch' : 'A link to take part'}</strong>
        </p>
        <p class="hint">It is shown only now. Send it to one person, or let them scan the code.</p>
        <input
          type="text"
          class="mono"
          readOnly
          value={link}
          aria-label="Link"
          onFocus={(event) => event.currentTarget.select()}
        />
        <div class="actions">
          <button type="button" class="button primary" onClick={() => void copy()}>
            Copy link
          </button>
          <span role="status">{said}</span>
        </div>
      </div>
    </section>
  );
}

function QrCode({ rows }: { rows: boolean[][] }) {
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${rows.length || 1} ${rows.length || 1}`}
      role="img"
      aria-label="QR code of the link"
    >
      <path d={path} />
    </svg>
  );
}
