/**
 * The results of an actor for an object that it did not apply (KubeFleet work applier, the manifest processing results that
 * leave Applied False).
 */
export const notApplied = [
  'ManifestApplyFailed',
  'FailedToTakeOver',
  'NotTakenOver',
  'FoundDrifts',
  'FoundDriftsInDegradedMode',
  'DecodingErred',
  'FoundGenerateName',
  'Duplicated',
  'PreparingToProcess',
  'FailedToFindObjInMemberCluster',
  'FailedToRunDriftDetection',
] as const;
