import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type LoadCache, loadCache } from '../../src/repo/load-cache.ts';
import { loadFleet } from '../../src/repo/load-fleet.ts';
import { treeOf } from '../scenarios/fleet.ts';

const folders = 1_000;
const perFolder = 10;

const manifest = (folder: number, item: number, image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-${item}
  namespace: team-${folder}
  labels: {app: app-${item}, team: team-${folder}}
spec:
  replicas: 3
  selector:
    matchLabels: {app: app-${item}}
  template:
    metadata:
      labels: {app: app-${item}}
    spec:
      containers:
        - name: main
          image: registry.example.com/team-${folder}/app-${item}:${image}
          ports:
            - {containerPort: 8080, name: http}
          env:
            - {name: LOG_LEVEL, value: info}
            - {name: TEAM, value: team-${folder}}
          resources:
            requests: {cpu: 100m, memory: 128Mi}
            limits: {memory: 256Mi}
          readinessProbe:
            httpGet: {path: /ready, port: http}
            periodSeconds: 5
`;

async function timed(times: number, work: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let time = 0; time < times; time++) {
    const began = performance.now();
    await work();
    all.push(performance.now() - began);
  }
  return all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!;
}

/** Loading 10,000 manifests in 1,000 folders: cold, after a restart, and with 100 files changed. */
export async function run(): Promise<void> {
  const files: Record<string, string> = {};
  for (let folder = 0; folder < folders; folder++) {
    for (let item = 0; item < perFolder; item++)
      files[`resources/team-${folder}/app-${item}.yaml`] = manifest(folder, item, '1.0.0');
  }
  const tree = treeOf(files);
  const changed = { ...files };
  for (let folder = 0; folder < 100; folder++)
    changed[`resources/team-${folder}/app-0.yaml`] = manifest(folder, 0, '1.1.0');
  const next = treeOf(changed);
  const dir = await mkdtemp(join(tmpdir(), 'gitfleet-bench-'));
  try {
    const baseline = await timed(1, async () => {
      for (const text of Object.values(files)) parseAllDocuments(text);
    });
    let at = 0;
    const cold = await timed(3, async () => loadFleet(tree, await loadCache(join(dir, String(at++)))));
    const restart = await timed(3, async () => loadFleet(tree, await loadCache(join(dir, '0'))));
    const caches: LoadCache[] = [];
    for (let time = 0; time < 5; time++) {
      const cache = await loadCache(join(dir, '0'));
      await loadFleet(tree, cache);
      caches.push(cache);
    }
    const change = await timed(5, () => loadFleet(next, caches.pop()!));
    const say = (what: string, ms: number) =>
      process.stdout.write(
        `${what.padEnd(52)} ${ms.toFixed(0).padStart(6)} ms   ${(baseline / ms).toFixed(1)} × baseline\n`,
      );
    say('baseline: yaml, parse only, one thread', baseline);
    say('cold load: parse, lint, validate, cache on disk', cold);
    say('restart: everything from the cache on disk', restart);
    say('100 files changed', change);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
