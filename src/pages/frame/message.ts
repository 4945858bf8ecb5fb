import type { Written } from '../parts/written-text.tsx';

/** A message about the result of an action, shown once on the next page. */
export interface Message {
  readonly tone: 'good' | 'alarm';
  readonly title: string;
  readonly detail: string | null;
  /** What the person wrote into a refused form, by field, to copy. */
  readonly written?: Written;
}
