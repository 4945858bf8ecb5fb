import type { Child, PropsWithChildren } from 'hono/jsx';
import type { LifeFact } from '../../../store/answers.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';
import { StepBody } from './step-body.tsx';

/** What every step of a life has: the fact, and where it comes from. */
export interface StepHead<Origin extends string> {
  /** Journal position. */
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly origin: Origin;
  readonly title: string;
  /** A reason, or how the fact was read; null without one. */
  readonly detail: string | null;
  readonly fact: LifeFact | null;
}

/** One fact of a life, with its effects and its body. Children: what the fact was compared with. */
export function LifeStep(
  props: PropsWithChildren<{
    step: StepHead<string>;
    effects: readonly Child[];
    showsBodies: boolean;
  }>,
): Markup {
  const { step, effects, showsBodies, children } = props;
  const { seq, at, origin, title, detail, fact } = step;
  return (
    <li id={`fact-${seq}`}>
      <p class="when">
        <Moment at={at} /> <span class="origin">{origin}</span>
      </p>
      <h3>{title}</h3>
      {detail !== null && <p class="muted">{detail}</p>}
      {effects.length !== 0 && (
        <ul class="effects">
          {effects.map((effect) => (
            <li>{effect}</li>
          ))}
        </ul>
      )}
      {children}
      {fact !== null && showsBodies && <StepBody fact={fact} />}
    </li>
  );
}
