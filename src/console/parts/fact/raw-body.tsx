import type { KeptBody } from '../../../store/answers.ts';
import { grouped } from '../../../pages/parts/value/figure.ts';
import type { Markup } from '../../../pages/parts/markup.ts';

/** Bytes of a body that a page shows; the download has all. */
const SHOWN_BYTES_MAX = 64 * 1024;
/** Bytes that are no text are shown as hexadecimal digits, a page of them. */
const HEX_BYTES_MAX = 2 * 1024;
const HEX_ROW = 16;

/** Control and format characters, which could hide or reorder what a person reads. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text with every invisible character written as its code, except line breaks and tabs. */
function visible(text: string): string {
  return text.replaceAll(HIDDEN, (one) =>
    one === '\n' || one === '\t' ? one : `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function hexRows(bytes: Uint8Array): string {
  const rows: string[] = [];
  for (let from = 0; from < Math.min(bytes.length, HEX_BYTES_MAX); from += HEX_ROW) {
    const row = Buffer.from(bytes.subarray(from, from + HEX_ROW)).toString('hex');
    rows.push(`${from.toString(16).padStart(6, '0')}  ${row.replaceAll(/..(?=.)/g, '$& ')}`);
  }
  return rows.join('\n');
}

/** The bytes as a person can read them: text, or hexadecimal digits for anything else. */
export function readable(bytes: Uint8Array): string {
  try {
    const shown = bytes.subarray(0, SHOWN_BYTES_MAX);
    // A character at the cut may be incomplete; `stream` leaves it out.
    const stream = shown.length < bytes.length;
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return visible(decoder.decode(shown, { stream }));
  } catch {
    return hexRows(bytes);
  }
}

/** The bytes of a fact exactly as received. `seq`: its journal position. */
export function RawBody({ body, seq }: { body: KeptBody | undefined; seq: number }): Markup {
  if (body === undefined) return <p class="muted">The journal holds nothing at {seq}.</p>;
  if (!body.isWhole) {
    return (
      <p class="notice alarm">
        The body at {seq} is damaged in the store: <code>counterfoil verify</code> says what else
        is; only a backup has it.
      </p>
    );
  }
  const { bytes } = body;
  return (
    <div class="raw-body">
      <p class="muted">
        {grouped(bytes.length)} bytes at journal position {seq} ·{' '}
        <a href={`/console/journal/${seq}/bytes`}>Download</a>
      </p>
      <pre tabindex={0} role="region" aria-label={`The body at journal position ${seq}`}>
        {readable(bytes)}
      </pre>
    </div>
  );
}
