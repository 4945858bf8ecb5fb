import type { IncomingMessage } from 'node:http';

/** A body read within bounds, or why not. */
export type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  /** The sender stopped before the end. */
  | { readonly kind: 'cut_off' };

/**
 * Reads a request body of at most `bytesMax`; an announced length over it is refused unread.
 * `incoming`: the same request as Node's server has it, where it came from there.
 */
export async function readBody(
  request: Request,
  bytesMax: number,
  incoming?: IncomingMessage,
): Promise<ReadBody> {
  const length = request.headers.get('content-length');
  if (length === null) return readChunks(request, bytesMax);
  if (Number(length) > bytesMax) return { kind: 'too_large' };
  return incoming === undefined ? readChunks(request, bytesMax) : readWhole(incoming);
}

/** A body of a known length as its server reads it: nearly always one piece, without a copy. */
function readWhole(incoming: IncomingMessage): Promise<ReadBody> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    const cutOff = (): void => resolve({ kind: 'cut_off' });
    incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    incoming.on('end', () => resolve({ kind: 'read', bytes: joined(chunks) }));
    incoming.on('error', cutOff);
    incoming.on('close', cutOff);
  });
}

async function readChunks(request: Request, bytesMax: number): Promise<ReadBody> {
  const stream: ReadableStream<Uint8Array> | null = request.body;
  if (stream === null) return { kind: 'read', bytes: new Uint8Array() };
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > bytesMax) return { kind: 'too_large' };
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'cut_off' };
  }
  return { kind: 'read', bytes: joined(chunks) };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}
