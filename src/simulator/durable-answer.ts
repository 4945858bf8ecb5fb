import { errorBodyOf, refused } from './api/answer.ts';

type Fetch<Environment> = (
  request: Request,
  environment: Environment,
) => Response | Promise<Response>;

/**
 * Lets no answer out before what it promises is on disk, whichever endpoint gave it: reads wait too,
 * for they may tell of a change that is not yet written. When it cannot be written, the answer is
 * 500 `GE-1` (section "Errors"): the caller must not believe in it.
 */
export function durableAnswers<Environment>(
  answer: Fetch<Environment>,
  options: { committed: () => Promise<void>; now: () => number },
): Fetch<Environment> {
  return async (request, environment) => {
    const response = await answer(request, environment);
    try {
      await options.committed();
      return response;
    } catch {
      // Whoever runs the core hears of the cause from the state file itself.
      const refusal = refused('GE-1', 'The core could not write its state file');
      const endpoint = `${request.method} ${new URL(request.url).pathname}`;
      return Response.json(errorBodyOf(refusal, endpoint, options.now()), { status: 500 });
    }
  };
}
