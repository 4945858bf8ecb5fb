import type { Markup } from './markup.ts';

/** What went wrong and what to do, from a problem of the API. */
export function ProblemNotice({ problem }: { problem: { title: string; detail: string } }): Markup {
  return (
    <div class="notice alarm" role="alert">
      <b>{problem.title}</b>
      <p>{problem.detail}</p>
    </div>
  );
}
