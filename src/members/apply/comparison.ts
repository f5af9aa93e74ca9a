import type { Manifest } from '../../api/meta.ts';
import type { PatchDetail } from '../../api/placement.ts';
import { ApiError } from '../api-server/api-error.ts';
import { differences } from './compare.ts';
import type { ObjectRequests } from './requests.ts';

/** Compares a manifest with an object: by a dry-run apply on the server (partial), or field by field (full). */
export class Comparison {
  readonly #requests: ObjectRequests;
  readonly #manifest: Manifest;
  readonly #full: boolean;
  /** Set when the server rejects the manifest as invalid, so that only the field-by-field comparison is possible. */
  suffix: '' | 'InDegradedMode' = '';

  constructor(requests: ObjectRequests, manifest: Manifest, full: boolean) {
    this.#requests = requests;
    this.#manifest = manifest;
    this.#full = full;
  }

  async with(live: Manifest): Promise<PatchDetail[]> {
    if (this.#full) return differences(this.#manifest, live);
    try {
      return differences(await this.#requests.dryRun(), live);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 422)) throw error;
      this.suffix = 'InDegradedMode';
      return differences(this.#manifest, live);
    }
  }
}
