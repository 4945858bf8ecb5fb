import { inject } from 'vitest';
import { inPostgres } from '../store/postgres/new-journal.ts';
import { journalsFrom } from '../store/replicated/suite-journal.ts';

// Tests of `rules` import stores in memory too, and must not reach a network through them.
journalsFrom(() => inPostgres(inject('postgresUrl')));
