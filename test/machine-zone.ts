/** Runs a check as a machine in this time zone would. */
export function inMachineZone(zone: string, check: () => void): void {
  const own = process.env['TZ'];
  process.env['TZ'] = zone;
  try {
    check();
  } finally {
    if (own === undefined) delete process.env['TZ'];
    else process.env['TZ'] = own;
  }
}
