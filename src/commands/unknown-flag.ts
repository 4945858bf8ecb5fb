import type { Command } from 'commander';

/** Whether the arguments of a command have a flag that it does not know. */
function hasUnknownFlag({ options }: Command, args: readonly string[]): boolean {
  for (let index = 0; index < args.length; index += 1) {
    const [flag = '', value] = (args[index] ?? '').split('=', 2);
    if (flag === '--') return false;
    if (!flag.startsWith('--') || flag === '--help') continue;
    const known = options.find(({ long }) => long === flag);
    if (known === undefined) return true;
    // The next argument is the value, whatever it begins with.
    if (known.required && value === undefined) index += 1;
  }
  return false;
}

/**
 * Lets commander report an unknown flag before a missing option, whose misspelling it may be.
 * `args`: those after the command's name.
 */
export function reportUnknownFlagFirst(command: Command, args: readonly string[]): void {
  if (!hasUnknownFlag(command, args)) return;
  for (const option of command.options) option.makeOptionMandatory(false);
}
