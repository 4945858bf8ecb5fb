import type { IncomingMessage } from 'node:http';
import type { BodyShare } from './body-memory.ts';

/** A body, or why it was not read. */
export type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  /** Other bodies use the available memory. */
  | { readonly kind: 'no_memory' }
  /** The connection ended before the body. */
  | { readonly kind: 'cut_off' };

/**
 * Reads a request body of at most `bytesMax` bytes within its share of the memory. Refuses an
 * announced length beyond either limit without reading. `incoming`: the request as Node's server
 * has it, if it came from there. Never rejects: `kind` says why a body was not read.
 */
export async function readBody(
  request: Request,
  bounds: { readonly bytesMax: number; readonly share: BodyShare },
  incoming?: IncomingMessage,
): Promise<ReadBody> {
  const length = request.headers.get('content-length');
  if (length === null) return readChunks(request, bounds);
  if (Number(length) > bounds.bytesMax) return { kind: 'too_large' };
  if (!bounds.share.fits(Number(length))) return { kind: 'no_memory' };
  return incoming === undefined ? readChunks(request, bounds) : readWhole(incoming, bounds.share);
}

/**
 * Reads a body of known length from Node's request. Nearly every body is one chunk and is not
 * copied.
 */
function readWhole(incoming: IncomingMessage, share: BodyShare): Promise<ReadBody> {
  return new Promise((resolve) => {
    let chunks: Uint8Array[] = [];
    let length = 0;
    let hasRoom = true;
    incoming.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      hasRoom &&= share.grow(length);
      if (hasRoom) {
        chunks.push(chunk);
        return;
      }
      // The sender reads the answer only after it has sent its body, so read and drop the rest.
      chunks = [];
      share.release();
      resolve({ kind: 'no_memory' });
    });
    const cutOff = (): void => resolve({ kind: 'cut_off' });
    incoming.on('end', () => resolve({ kind: 'read', bytes: joined(chunks) }));
    incoming.on('error', cutOff);
    incoming.on('close', cutOff);
  });
}

async function readChunks(
  request: Request,
  { bytesMax, share }: { readonly bytesMax: number; readonly share: BodyShare },
): Promise<ReadBody> {
  const stream: ReadableStream<Uint8Array> | null = request.body;
  if (stream === null) return { kind: 'read', bytes: new Uint8Array() };
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > bytesMax) return { kind: 'too_large' };
      if (!share.grow(length)) return { kind: 'no_memory' };
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
