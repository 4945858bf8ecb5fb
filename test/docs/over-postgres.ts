/** What pages ask a reader to type against PostgreSQL; `journal-commands.test.ts` types it. */
export interface OverPostgres {
  readonly page: string;
  /** The headings of its sections. */
  readonly sections: readonly string[];
}

export const OVER_POSTGRES = {
  twoMachines: {
    page: 'docs/how-to/run-on-two-machines.md',
    sections: ['# Run on two machines'],
  },
  receivers: {
    page: 'docs/how-to/run-several-receivers.md',
    sections: ['# Run several receivers'],
  },
  backup: {
    page: 'docs/how-to/back-up-and-restore.md',
    sections: ['## A journal in PostgreSQL'],
  },
  upgrade: {
    page: 'docs/how-to/upgrade.md',
    sections: ['## Several receivers'],
  },
} as const satisfies Record<string, OverPostgres>;
