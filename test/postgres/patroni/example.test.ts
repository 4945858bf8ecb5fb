import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { etcdOf, patroniOf } from './example.ts';

/** Ports as `nightly/patroni.test.ts` may choose them. */
const ports = new Map(
  [11, 12, 13].flatMap((machine) =>
    [2379, 2380, 5432, 8008].map((port) => [`10.0.0.${machine}:${port}`, port + machine * 100]),
  ),
);
const setup = { folder: '/tmp/cluster', ports, programs: '/opt/postgres/bin' };

test('the example of Patroni can be run on loopback, and keeps what protects webhooks', () => {
  expect(parse(patroniOf('db2', setup))).toMatchObject({
    name: 'db2',
    restapi: { listen: '127.0.0.1:9208', connect_address: '127.0.0.1:9208' },
    etcd3: { hosts: '127.0.0.1:3479,127.0.0.1:3579,127.0.0.1:3679' },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 5,
        primary_start_timeout: 0,
        synchronous_mode: true,
        synchronous_mode_strict: true,
      },
    },
    postgresql: {
      listen: '127.0.0.1:6632',
      data_dir: '/tmp/cluster/db2/data',
      bin_dir: '/opt/postgres/bin',
      parameters: { ssl: 'on', ssl_key_file: '/tmp/cluster/db2/server.key' },
      pg_hba: [
        'local all all peer',
        'hostssl replication replicator 127.0.0.0/8 scram-sha-256',
        'hostssl all all 127.0.0.0/8 scram-sha-256',
      ],
    },
  });
});

test("the guide's settings of etcd can be run on loopback", () => {
  expect(etcdOf('witness', setup)).toEqual({
    ETCD_NAME: 'witness',
    ETCD_DATA_DIR: '/tmp/cluster/witness/etcd',
    ETCD_LISTEN_CLIENT_URLS: 'http://127.0.0.1:3679',
    ETCD_ADVERTISE_CLIENT_URLS: 'http://127.0.0.1:3679',
    ETCD_LISTEN_PEER_URLS: 'http://127.0.0.1:3680',
    ETCD_INITIAL_ADVERTISE_PEER_URLS: 'http://127.0.0.1:3680',
    ETCD_INITIAL_CLUSTER:
      'db1=http://127.0.0.1:3480,db2=http://127.0.0.1:3580,witness=http://127.0.0.1:3680',
    ETCD_INITIAL_CLUSTER_STATE: 'new',
  });
});
