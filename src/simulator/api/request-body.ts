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
