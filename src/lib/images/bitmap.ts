/** Pixels, row by row from the top, four bytes each. */
export type Bitmap = { width: number; height: number; rgba: Uint8Array };

/** Over white, because JPEG has no transparency. */
export function opaque({ width, height, rgba }: Bitmap): Bitmap {
  const flat = Uint8Array.from(rgba);
  for (let i = 0; i < flat.length; i += 4) {
    const alpha = flat[i + 3] ?? 255;
    if (alpha === 255) continue;
    for (let channel = i; channel < i + 3; channel++)
      flat[channel] = Math.round(((flat[channel] ?? 0) * alpha + 255 * (255 - alpha)) / 255);
    flat[i + 3] = 255;
  }
  return { width, height, rgba: flat };
}
