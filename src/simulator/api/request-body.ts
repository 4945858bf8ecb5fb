/** The longest request body that is read; orders and metadata are far shorter. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** The text of a request body; throws when it is too long or not UTF-8. */
export async function readBody(request: Request): Promise<string> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > BODY_BYTES_MAX) throw new RangeError('request body is too long');
  const stream: AsyncIterable<Uint8Array> | null = request.body;
  return stream === null ? '' : readText(stream, BODY_BYTES_MAX);
}

/** Text of at most `bytesMax` bytes; throws when there is more of it or it is not UTF-8. */
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
 * The deepest JSON that is taken; what clients nest in `data` and `metadata` is far flatter. Values
 * are written, compared and shown by recursion: what is nested too deeply could be kept and never
 * written again.
 */
export const BODY_DEPTH_MAX = 64;

/** Whether the JSON text nests deeper than `BODY_DEPTH_MAX`. Reads text, so it needs no stack. */
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
