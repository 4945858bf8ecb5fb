import { spawn, type ChildProcess } from 'node:child_process';
import { MAIN, type Finished } from './program.ts';

/**
 * Runs the built program's `main.js` again and again in one process, which has loaded everything that
 * commands share. A query makes each import another module, so that each call runs from the start.
 */
const CALLER = `
const { exit } = process;
// Each call leaves its listeners of signals: that is no leak, and no warning belongs to its output.
process.setMaxListeners(0);
process.on('message', async ({ main, args, call }) => {
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    process[name].removeAllListeners('error');
    process[name].write = (text) => {
      printed[name] += text;
      return true;
    };
  }
  process.argv = [process.execPath, main, ...args];
  process.exitCode = undefined;
  const exited = new Promise((resolve) => {
    process.exit = (code = process.exitCode) => {
      process.exitCode = code;
      resolve();
      // Nothing after it may run.
      throw new Error('exit');
    };
  });
  const ended = import(main + '?call=' + call).catch((error) => {
    process.exitCode ??= 1;
    printed.stderr += String(error.stack ?? error);
  });
  await Promise.race([ended, exited]);
  process.send({ code: process.exitCode ?? 0, ...printed });
});
process.once('disconnect', () => exit());
`;

let caller: ChildProcess | undefined;
let calls = 0;
/** Ends with the newest call: arguments and output belong to the process, so calls wait in line. */
let line: Promise<unknown> = Promise.resolve();

function callerProcess(): ChildProcess {
  const started = spawn(process.execPath, ['--input-type=module', '-e', CALLER], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  // It must not keep the tests' process, whose end disconnects it.
  started.unref();
  started.channel?.unref();
  return started;
}

async function callNow(args: readonly string[]): Promise<Finished> {
  caller ??= callerProcess();
  const { channel } = caller;
  channel?.ref();
  const running = caller;
  const finished = await new Promise<Finished>((resolve, reject) => {
    running.once('message', (answer: Finished) => resolve(answer));
    running.once('exit', (code) => {
      caller = undefined;
      reject(new Error(`${args.join(' ')} ended its process with ${code}`));
    });
    calls += 1;
    running.send({ main: MAIN, args, call: calls });
  }).finally(() => running.removeAllListeners());
  channel?.unref();
  return finished;
}

/**
 * What a command of the built program prints, and its exit code, without a process of its own: a tenth
 * of the time of `runProgram`. For commands that refuse or only print; what remains open is not seen.
 */
export function callProgram(...args: string[]): Promise<Finished> {
  const answer = line.then(() => callNow(args));
  line = answer.catch(() => undefined);
  return answer;
}
