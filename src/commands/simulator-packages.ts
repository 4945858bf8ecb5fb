import { CommandFailed } from '../daemon/process/terminal.ts';

/** Throws `CommandFailed` when packages of the simulated core are not installed. */
export function needPackages(names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  throw new CommandFailed(
    `the simulated custody core needs ${missing.join(', ')}, which this install has left out: run \`npm ci --include=optional\` in its folder`,
  );
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch (error) {
    // An installed package without a main module fails with another code.
    return !(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND');
  }
}
