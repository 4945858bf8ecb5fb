import { defineConfig } from 'vitest/config';

/** Proofs of scale: minutes long, and so beside the gate. */
export default defineConfig({
  test: { include: ['test/proof/*.proof.ts'], testTimeout: 1_200_000, fileParallelism: false },
});
