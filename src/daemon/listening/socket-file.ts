import { chmodSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';

/** Its owner and group: a proxy that runs as somebody else shares the daemon's group. */
const MODE = 0o660;

/** Lets the group of the socket's file connect. */
export function openToGroup(path: string): void {
  chmodSync(path, MODE);
}

/** Removes the file that a killed daemon left; false when a process listens on it. */
export async function removeStaleSocket(path: string): Promise<boolean> {
  const isAlive = await new Promise<boolean>((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true));
    socket.once('error', (error) => resolve(!('code' in error) || error.code !== 'ECONNREFUSED'));
    socket.once('connect', () => socket.destroy());
  });
  if (!isAlive) unlinkSync(path);
  return !isAlive;
}
