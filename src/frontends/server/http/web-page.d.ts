/** Made by scripts/web-page.mjs. */
declare module 'virtual:web-page' {
  export const files: Record<string, { type: string; etag: string; hashed: boolean; base64: string }>;
}
