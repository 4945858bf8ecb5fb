import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A line and column of a built file, counted from 0. */
export interface CodeLocation {
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** Finds the source file of each line and column of the built program, by its source maps. */
export class BuiltFrom {
  readonly #maps = new Map<string, SourceMap | null>();

  /** Address of the source file; the address of the built file without a map. */
  sourceOf({ url, lineNumber, columnNumber }: CodeLocation): string {
    const entry = this.#mapOf(url)?.findEntry(lineNumber, columnNumber);
    if (entry === undefined || !('originalSource' in entry)) return url;
    return new URL(entry.originalSource, url).href;
  }

  #mapOf(url: string): SourceMap | null {
    const known = this.#maps.get(url);
    if (known !== undefined) return known;
    const read = readMap(url);
    this.#maps.set(url, read);
    return read;
  }
}

function readMap(url: string): SourceMap | null {
  if (!url.startsWith('file:')) return null;
  const file = `${fileURLToPath(url)}.map`;
  if (!existsSync(file)) return null;
  return new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload);
}
