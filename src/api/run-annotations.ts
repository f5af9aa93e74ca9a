/** How long a cluster of a run may take to become available. A duration; absent = forever. */
export const progressDeadlineAnnotation = 'gitfleet.dev/progress-deadline';
/** How many clusters of a run may fail, as a number or a percentage of its clusters. Absent = none. */
export const maxFailuresAnnotation = 'gitfleet.dev/max-failures';
/** What a failed run does with the clusters that it has reached: a value of {@link onFailureValues}. Absent = stop. */
export const onFailureAnnotation = 'gitfleet.dev/on-failure';

/** `stop` leaves them as they are; `rollback` returns them to the snapshot that they had. */
export const onFailureValues = ['stop', 'rollback'] as const;
