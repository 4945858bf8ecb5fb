/** Longest request body that is read. Orders and metadata are far shorter. */
const BODY_BYTES_MAX = 1024 * 1024;

/** Reads the text of a request body. Throws when it is too long or not UTF-8. */
export async function readBody(request: Request): Promise<string> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > BODY_BYTES_MAX) throw new RangeError('request body is too long');
  const stream: AsyncIterable<Uint8Array> | null = request.body;
  return stream === null ? '' : readText(stream, BODY_BYTES_MAX);
}

/** Reads text of at most `bytesMax` bytes. Throws when it is longer or not UTF-8. */
export async function readText(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.byteLength;
    if (length > bytesMax) throw new RangeError('request body is too long');
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

/**
 * Deepest JSON that is accepted; `data` and `metadata` of clients are far flatter. The core writes,
 * compares and shows values by recursion, so a value that is too deep could be stored and never
 * written again.
 */
export const BODY_DEPTH_MAX = 64;

/**
 * Whether the JSON text nests deeper than `BODY_DEPTH_MAX`. It scans the text, so depth needs no
 * stack.
 */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > BODY_DEPTH_MAX) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}
