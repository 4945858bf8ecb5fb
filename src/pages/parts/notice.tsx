import type { Markup } from './markup.ts';
import { WrittenText, type Written } from './written-text.tsx';

/** A message about the result of an action, or about what is wrong. */
export interface Message {
  readonly tone: 'good' | 'alarm';
  readonly title: string;
  readonly detail: string | null;
  /** What the person wrote into a refused form, by field, to copy. */
  readonly written?: Written;
}

/** A message in a box. */
export function Notice({ message }: { message: Message }): Markup {
  const { tone, title, detail, written = [] } = message;
  return (
    <div class={`notice ${tone}`} role={tone === 'alarm' ? 'alert' : 'status'}>
      <b>{title}</b>
      {detail !== null && <p>{detail}</p>}
      <WrittenText written={written} />
    </div>
  );
}

/** What went wrong and what to do. */
export type Problem = Omit<Message, 'tone'>;

/** A problem in a box. */
export function ProblemNotice({ problem }: { problem: Problem }): Markup {
  return <Notice message={{ tone: 'alarm', ...problem }} />;
}
