import { expect, test } from 'vitest';
import { endedText } from '../../../src/commands/demo/child.ts';

test.for([
  [
    'serve',
    'counterfoil: cannot listen on 127.0.0.1:8080 (listen EADDRINUSE: address already in use 127.0.0.1:8080): stop what uses it, or change listen.port',
    '127.0.0.1:8080 is in use: stop what uses it, or choose other ports with --port and --core-port',
  ],
  [
    'core',
    'counterfoil: listen EADDRINUSE: address already in use 127.0.0.1:4100: stop what uses the port, or choose others with --port and --control-port',
    '127.0.0.1:4100 is in use: stop what uses it, or choose other ports with --port and --core-port',
  ],
  ['serve', 'counterfoil: no space', '`counterfoil serve` ended at once: counterfoil: no space'],
] as const)('a %s that ends at once is reported with the options of the demo: %s', (row) => {
  const [command, said, text] = row;
  expect(endedText(command, said)).toBe(text);
});
