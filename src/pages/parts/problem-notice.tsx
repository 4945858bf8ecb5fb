import type { Markup } from './markup.ts';
import { WrittenText, type Written } from './written-text.tsx';

/** What went wrong and what to do, from a problem of the API, and what the person wrote. */
export function ProblemNotice({
  problem,
  written = [],
}: {
  problem: { title: string; detail: string };
  written?: Written;
}): Markup {
  return (
    <div class="notice alarm" role="alert">
      <b>{problem.title}</b>
      <p>{problem.detail}</p>
      <WrittenText written={written} />
    </div>
  );
}
