import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

/**
 * Pixels in which two PNG pictures differ; all of them when the sizes differ. Differences that no eye
 * sees do not count, because a browser sometimes rounds the edges of letters and frames differently.
 */
export function differingPixels(one: Buffer, other: Buffer): number {
  // Most pictures are equal, and to decode them takes longer than to take them.
  if (one.equals(other)) return 0;
  const [a, b] = [PNG.sync.read(one), PNG.sync.read(other)];
  const { width, height } = a;
  if (width !== b.width || height !== b.height) return Math.max(a.data.length, b.data.length) / 4;
  return pixelmatch(a.data, b.data, undefined, width, height);
}
