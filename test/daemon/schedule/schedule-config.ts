/** The part of the configuration that schedules read. */
export function reconcileAt(close: string, timezone: string) {
  const reconcile = {
    sweep: '* * * * *',
    close,
    timezone,
    graceSeconds: 600,
    exemptions: [],
    stale: { depositSeconds: 1, withdrawalSeconds: 1 },
    escalation: { infoToWarningAfterSeconds: null, warningToCriticalAfterSeconds: null },
  };
  return { reconcile };
}
