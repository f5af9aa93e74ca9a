/**
 * What an actor says of an object that it did not bring about (KubeFleet work applier, the manifest processing results that
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
