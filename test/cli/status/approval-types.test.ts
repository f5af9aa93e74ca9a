import { expect, it } from 'vitest';
import { kindMeant } from '../../../src/cli/kinds/kinds.ts';
import type { Status, StatusReader } from '../../../src/cli/status/open-status.ts';
import { readRecord } from '../../../src/repo/record/read.ts';

const approval = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterApprovalRequest
metadata: {name: web-1-after-canary}
spec: {parentStageRollout: web-1, targetStage: canary}
`;
const status: Status = {
  tip: 'tip',
  now: Date.parse('2026-11-20T12:00:00Z'),
  inPlace: false,
  branch: 'main',
  removals: [{ name: 'removal-12', removalDigest: 'sha256:1234', messages: ['Namespace web holds theirs'] }],
  holds: [],
  reported: [],
  notRolledOut: [],
  notInEffect: { refusals: [], notValid: [], notRead: [], errors: [] },
  files: new Map(),
  unreachable: new Map(),
  record: readRecord(new Map([['approvals/web-1-after-canary.yaml', approval]])).record,
};

it.each([
  ['approvals', ['removal-12 removal', 'web-1-after-canary stage']],
  ['careq', ['web-1-after-canary stage']],
  ['clusterapprovalrequests', ['web-1-after-canary stage']],
  ['areq', []],
])(
  'get %s distinguishes requests of stages from those of removals, which are no kind of KubeFleet',
  async (word, expected) => {
    const { listing, isMeant } = kindMeant(word);
    const rows = (await listing.rows(status, undefined as unknown as StatusReader)).filter(isMeant);
    const asks = rows.map(({ name, cells }) => `${name} ${cells.find(({ heading }) => heading === 'TYPE')?.cell}`);
    expect(asks).toEqual(expected);
  },
);
