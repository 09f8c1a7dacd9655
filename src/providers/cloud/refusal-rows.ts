import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';

/** A cloud's error whose HTTP status says too little. */
export type RefusalRow<Place> = {
  /** Found in the error's type or code. */
  type?: RegExp;
  /** Found in its message. */
  says?: RegExp;
  status?: number;
  kind: ProviderErrorKind;
  next?(place: Place): string;
};

type Refused = { status: number; type: string; message: string; provider: string };

/** By the first row that fits; undefined if none does: then the HTTP status decides, as for other vendors. */
export function refusedBy<Place>(
  rows: readonly RefusalRow<Place>[],
  { status, type, message, provider }: Refused,
  place: Place,
): ProviderError | undefined {
  const row = rows.find(
    (one) =>
      (one.status ?? status) === status &&
      (one.type?.test(type) ?? true) &&
      (one.says?.test(message) ?? true),
  );
  if (!row) return undefined;
  const nextStep = row.next?.(place);
  return new ProviderError(message || type, {
    kind: row.kind,
    provider,
    status,
    ...(nextStep !== undefined && { nextStep }),
  });
}
