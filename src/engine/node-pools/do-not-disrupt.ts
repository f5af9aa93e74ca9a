/** An annotation of pods and nodes: nothing disrupts them. Of pods also a duration from their start. */
export const doNotDisrupt = 'karpenter.sh/do-not-disrupt';
