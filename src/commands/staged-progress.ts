import { createProgress, type Progress, type ProgressStream } from '../ops/progress.ts';
import type { Progress as AuditProgress } from '../store/sqlite/verify.ts';

/** One bar after the other, one per stage of an audit or a rebuild; silent off a terminal. */
export function stagedProgress(stream: ProgressStream): AuditProgress {
  let bar: Progress | undefined;
  return {
    start(stage, total) {
      bar?.done();
      bar = createProgress({ total, label: stage.padEnd(10), stream });
    },
    tick: (steps) => bar?.tick(steps),
    done: () => bar?.done(),
  };
}
