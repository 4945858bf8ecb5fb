import { Command } from 'commander';
export function doctorCommand(_terminal: unknown, _environment: unknown): Command {
  return new Command('doctor');
}
