/**
 * Limits for a file of the status branch. What is written is checked against the limits with which it is read: a file beyond them
 * would be lost at the next start.
 */
export const recordFileLimits = {
  /** 100,000 bindings in many placements take 316 MB; one file has the selected resources of one placement. */
  bytes: 64 * 1024 ** 2,
  /** Commas, colons, brackets and the like. A placement on 40,000 clusters has as many in its state. */
  separators: 8_000_000,
  /** Of the JSON of what a placement selects: YAML of manifests has 1.4 times as many, and a separator for each 7. */
  selectedCharacters: 16 * 1024 ** 2,
};
