import type { LifeFact } from '../../../store/answers.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { readable } from './raw-body.tsx';
import { prettyJson } from './pretty-json.ts';

const TITLES: Readonly<Record<string, string>> = {
  notification: 'Notification as received',
  'custody-record': 'Custody record as journalled',
  decision: 'Decision as journalled',
};

/** JSON with a line for each member, and any other body as it is. */
function indented(body: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return readable(new TextEncoder().encode(prettyJson(text)));
  } catch {
    return readable(body);
  }
}

/** The body of a step's fact, folded. Its link leads to the bytes as they were received. */
export function StepBody({ fact }: { fact: LifeFact }): Markup {
  const { seq, kind, body } = fact;
  const title = `${TITLES[kind] ?? 'Body as received'} (journal position ${seq})`;
  const href = `/console/journal/${seq}`;
  if (body === null) return <a href={href}>{title}</a>;
  return (
    <details class="step-body">
      <summary>{title}</summary>
      <pre tabindex={0} role="region" aria-label={title}>
        {indented(body)}
      </pre>
      <a href={href}>The bytes as received</a>
    </details>
  );
}
