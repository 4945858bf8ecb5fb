import { createProgress, type Progress, type ProgressStream } from '../../ops/progress.ts';
import type { Progress as AuditProgress } from '../../store/sqlite/audit/verify.ts';

/** Shows one progress bar per stage of an audit or rebuild, on a terminal only. */
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
