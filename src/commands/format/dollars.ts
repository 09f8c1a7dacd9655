/** A cost where space is short: `<$0.01`, `$0.12`. */
export function dollars(usd: number): string {
  return usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`;
}
