import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresPrograms } from '../../src/commands/demo/postgres/programs.ts';
import { PostgresServer as Server } from '../../src/commands/demo/postgres/server.ts';

export const PASSWORD = 'open-sesame';

/** A server that a test can suspend and configure. */
export class PostgresServer extends Server {
  /** `settings` are those of postgresql.conf. Throws where PostgreSQL is not installed. */
  constructor(folder: string, settings: Readonly<Record<string, string>>) {
    super({ folder, settings, password: PASSWORD, programs: new PostgresPrograms(process.env) });
  }

  /** Suspends every process of the server; connections stay open. */
  pause(): void {
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  override async stop(): Promise<void> {
    this.resume();
    await super.stop();
  }

  /** A line at the end of postgresql.auto.conf, which the next start or reload reads. */
  configure(line: string): void {
    appendFileSync(join(this.folder, 'postgresql.auto.conf'), `${line}\n`);
  }
}
