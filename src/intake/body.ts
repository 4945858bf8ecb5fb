import type { IncomingMessage } from 'node:http';
import type { BodyShare } from './body-room.ts';

/** A body read within bounds, or why not. */
export type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  /** Too many bytes of other bodies are in memory. */
  | { readonly kind: 'no_room' }
  /** The sender stopped before the end. */
  | { readonly kind: 'cut_off' };

/**
 * Reads a request body of at most `bytesMax` within its share of the room; an announced length over
 * either is refused unread. `incoming`: the same request as Node's server has it, where it came from
 * there.
 */
export async function readBody(
  request: Request,
  bounds: { readonly bytesMax: number; readonly share: BodyShare },
  incoming?: IncomingMessage,
): Promise<ReadBody> {
  const length = request.headers.get('content-length');
  if (length === null) return readChunks(request, bounds);
  if (Number(length) > bounds.bytesMax) return { kind: 'too_large' };
  if (!bounds.share.fits(Number(length))) return { kind: 'no_room' };
  return incoming === undefined ? readChunks(request, bounds) : readWhole(incoming, bounds.share);
}

/** A body of a known length as its server reads it: nearly always one piece, without a copy. */
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
      // The sender reads its answer once its body has gone: the rest is read and dropped.
      chunks = [];
      share.release();
      resolve({ kind: 'no_room' });
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
      if (!share.grow(length)) return { kind: 'no_room' };
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
