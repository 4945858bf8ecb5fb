import { defineConfig } from 'vitest/config';

/** The tests of the rules alone: a rule must be held by them, and not only by a test of the whole. */
export default defineConfig({ test: { include: ['test/domain/**/*.test.ts'] } });
