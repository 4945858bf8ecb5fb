/**
 * The registered memo to whose sub-account a `memoInfo` attributes a credit (the specification,
 * section "Conservation rules", 4). Null when it holds no readable memo: then nothing is
 * attributed.
 */
export function attributedMemo(memoInfo: unknown): string | null {
  if (typeof memoInfo !== 'object' || memoInfo === null || !('memo' in memoInfo)) return null;
  return typeof memoInfo.memo === 'string' && memoInfo.memo !== '' ? memoInfo.memo : null;
}
