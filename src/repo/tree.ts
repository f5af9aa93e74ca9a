/** One file of a fleet repo, by content id: two files with the same id have the same bytes. */
export interface TreeFile {
  /** With forward slashes, relative to the root. */
  readonly path: string;
  readonly oid: string;
  /** `120000` a symbolic link, `160000` a submodule, `40000` a folder that was not listed, anything else a file. */
  readonly mode: string;
}

/** The files of a commit, or of a plain directory. */
export interface RepoTree {
  /** Commit id; for a plain directory the digest of its files. */
  readonly id: string;
  files(): Promise<readonly TreeFile[]>;
  /** Sizes of contents by id, in bytes, without reading them; absent if all contents are in memory. */
  sizes?(oids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Contents by id; missing ids are omitted. */
  read(oids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Whether a file is in a folder that begins with a dot, which is not part of a fleet. */
export const isHidden = (path: string): boolean => /(^|\/)\.(?!\.?\/)[^/]*\//.test(path);

/** Whether a file has the name of a manifest. */
export const mayBeManifest = ({ path }: Pick<TreeFile, 'path'>): boolean => /\.(ya?ml|json)$/i.test(path);

/** Whether an entry is a file: no symbolic link, submodule or folder. */
export const isFile = ({ mode }: Pick<TreeFile, 'mode'>): boolean =>
  mode !== '120000' && mode !== '160000' && mode !== '40000';
