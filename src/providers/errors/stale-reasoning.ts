/**
 * How vendors report that reasoning in the request cannot be verified: made for another conversation, account or
 * model, changed since, or no longer stored.
 */
const STALE: readonly RegExp[] = [
  // Anthropic: the prefix of a block changed, its signature is damaged, or blocks of the last turn were edited.
  /invalid .?signature.? in .?thinking.? block|thinking.{0,40} block is bound to a different/i,
  /thinking.? (or .?redacted_thinking.? )?blocks in the latest assistant message cannot be modified/i,
  /compaction_(content_mismatch|signature_invalid|block_ambiguous|block_misplaced)/,
  /invalid .?signature.? in .?compaction.? block/i,
  // OpenAI and xAI: items that are not stored, encrypted for another account, or without their neighbors.
  /encrypted content.{0,80}(could not|cannot|failed to|unable to) be (verified|decrypted)/is,
  /(could not|cannot|failed to|unable to) (verify|decrypt|parse) .{0,40}(encrypted[ _]content|reasoning)/i,
  /invalid_encrypted_content/i,
  /item (with id )?'?rs_\w+'? (not found|.{0,40}without its required following item)/i,
  /provided without its required '?reasoning'? item/i,
  // Google
  /(invalid|corrupted|missing a|malformed) .?thought[ _]signature/i,
];

/** Whether the same request would succeed without the reasoning of earlier turns. */
export function meansStaleReasoning(words: string): boolean {
  return STALE.some((pattern) => pattern.test(words));
}
