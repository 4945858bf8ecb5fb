import { errorBodyOf, refused } from './api/answer.ts';

type Fetch<Environment> = (
  request: Request,
  environment: Environment,
) => Response | Promise<Response>;

/**
 * Sends an answer only after the changes that it reports are on disk. Reads wait too, because they
 * can report a change that is not written yet. When the file cannot be written, the answer is 500
 * `GE-1` (the specification, section "Errors"), so that the caller does not rely on it.
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
      // The state file reports the cause to the operator.
      const refusal = refused('GE-1', 'The core could not write its state file');
      const endpoint = `${request.method} ${new URL(request.url).pathname}`;
      return Response.json(errorBodyOf(refusal, endpoint, options.now()), { status: 500 });
    }
  };
}
