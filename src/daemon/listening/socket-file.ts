import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';

/** Its owner and group: a proxy that runs as somebody else shares the daemon's group. */
const MODE = 0o660;

/** Lets the group of the socket's file connect. */
export function openToGroup(path: string): void {
  chmodSync(path, MODE);
}

/** Removes the socket that a killed daemon left; false when it is in use, or no socket. */
export async function removeStaleSocket(path: string): Promise<boolean> {
  if (!lstatSync(path).isSocket() || (await isInUse(path))) return false;
  unlinkSync(path);
  return true;
}

function isInUse(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', (error) => resolve(!('code' in error) || error.code !== 'ECONNREFUSED'));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
