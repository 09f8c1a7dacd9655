export function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

/** A human-readable size: `812 bytes`, `12.3 KB`, `4.0 MB`. */
export function humanSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${megabytes(bytes)} MB`;
}
