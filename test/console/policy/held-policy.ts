import type { ConsoleUnderTest } from '../console-under-test.ts';

/** The policy in force, as the API shows it. */
export async function held(console: ConsoleUnderTest) {
  const { body } = await console.api.get('/v1/policy');
  return body as { version: string; policy: Record<string, unknown>; halted: string[] };
}
