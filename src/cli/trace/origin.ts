import type { Manifest } from '../../api/meta.ts';
import type { Fleet } from '../../engine/input.ts';
import { sourceOf } from '../../engine/problem-of.ts';
import { type Commit, subjectOf } from '../../git/objects/commit.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { loadFleet } from '../../repo/fleet/load-fleet.ts';
import type { StatusReader } from '../status/open-status.ts';

/** A commit of the fleet repo, in short. */
export interface CommitSummary {
  readonly id: string;
  readonly subject: string;
  readonly author: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A file of the fleet repo, and the last commit that changed it. */
export interface FileOrigin {
  readonly file: string;
  readonly changedBy: CommitSummary | undefined;
}

/** Finds the files and commits that objects of one fleet commit come from. */
export interface Origin {
  readonly commit: CommitSummary;
  /** The file under `resources/` that holds an object. */
  resource(manifest: Manifest): Promise<FileOrigin | undefined>;
  /** The file of a fleet object, with its line: `placements/web.yaml:1`. */
  place(kind: string, of: { readonly name: string; readonly namespace?: string | undefined }): string | undefined;
}

type FleetReader = Pick<StatusReader, 'branches' | 'folder'>;

/** Reads the fleet repo at a commit, each commit once; undefined when the repository has no such commit any more. */
export function origins(reader: FleetReader): (commit: string | undefined) => Promise<Origin | undefined> {
  const known = new Map<string, Promise<Origin | undefined>>();
  return async (commit) => {
    if (commit === undefined) return undefined;
    const origin = known.get(commit) ?? originAt(reader, commit);
    known.set(commit, origin);
    return origin;
  };
}

async function originAt({ branches, folder }: FleetReader, id: string): Promise<Origin | undefined> {
  const found = await resolveCommit(branches, id).catch(() => undefined);
  if (found === undefined) return undefined;
  const { objects } = branches;
  const fleet: Fleet = await loadFleet(await objects.files(found, folder));
  return {
    commit: summaryOf(await objects.commit(found)),
    async resource(manifest) {
      const file = fleet.resources.find((resource) => isSame(resource.manifest, manifest))?.file;
      if (file === undefined) return undefined;
      const [last] = await objects.log(found, { most: 1, path: folder + file });
      return { file: folder + file, changedBy: last === undefined ? undefined : summaryOf(await objects.commit(last)) };
    },
    place(kind, of) {
      const source = sourceOf(fleet, { kind, ...of });
      return source && `${folder}${source.file}:${source.line}`;
    },
  };
}

const summaryOf = (commit: Commit): CommitSummary => ({
  id: commit.oid,
  subject: subjectOf(commit),
  author: commit.author.name,
  at: commit.author.at,
});

const isSame = (a: Manifest, b: Manifest): boolean =>
  a.apiVersion === b.apiVersion &&
  a.kind === b.kind &&
  a.metadata.name === b.metadata.name &&
  (a.metadata.namespace ?? '') === (b.metadata.namespace ?? '');
